#include "models/isa/assemble_recording.hpp"

#include <algorithm>
#include <limits>

#include "models/isa/assemble.hpp"

namespace tcsim::isa {
namespace {

using Jump = std::pair<int, int>;

/// The smallest loop, made by `loops_of`, that contains both ends of a backward jump.
const Loop& loop_round(const std::vector<Loop>& loops, const Jump& jump) {
  const Loop* best = nullptr;
  for (const Loop& loop : loops) {
    const bool holds = loop.first <= jump.second && jump.first <= loop.last;
    if (holds && (best == nullptr || loop.last - loop.first < best->last - best->first))
      best = &loop;
  }
  return *best;
}

std::uint8_t waits_in(const std::vector<Instruction>& instructions, int first, int end) {
  unsigned mask = 0;
  for (int i = first; i < end; ++i)
    mask |= instructions[static_cast<std::size_t>(i)].control.wait_mask;
  return static_cast<std::uint8_t>(mask);
}

/// The counters that are waited for by the instructions that the assembler assumes to run between
/// the ends of `jump`.
std::uint8_t skipped_waits(const std::vector<Instruction>& instructions,
                           const std::vector<Loop>& loops, const Jump& jump) {
  const auto [from, to] = jump;
  if (to > from) return waits_in(instructions, from + 1, to);
  const Loop& loop = loop_round(loops, jump);
  return waits_in(instructions, from + 1, loop.last + 1) | waits_in(instructions, loop.first, to);
}

/// Takes the control bits from `assembled` without the fillers: those have no number in `access`,
/// all other instructions do. Fillers after the end of a loop matter only when the loop is left and
/// would delay every iteration, so they are dropped.
void take_control_bits(std::vector<Instruction>& instructions, const WarpProgram& assembled,
                       const std::vector<Loop>& loops) {
  constexpr int kLargestStall = std::numeric_limits<std::uint16_t>::max();
  Instruction* last = nullptr;
  for (const Instruction& instruction : assembled.instructions) {
    if (instruction.access != kNoIndex) {
      last = &instructions[static_cast<std::size_t>(instruction.access)];
      last->control = instruction.control;
      continue;
    }
    const int position = static_cast<int>(last - instructions.data());
    if (std::ranges::find(loops, position, &Loop::last) != loops.end()) continue;
    last->control.stall = static_cast<std::uint16_t>(
        std::min(kLargestStall, last->control.stall + instruction.control.stall));
  }
}

}  // namespace

std::vector<Loop> loops_of(const std::vector<Jump>& jumps) {
  std::vector<Loop> ranges;
  for (const auto& [from, to] : jumps) {
    if (to <= from) ranges.push_back({to, from, 0, {1, {}}});
  }
  std::ranges::sort(ranges, [](const Loop& a, const Loop& b) {
    return a.first != b.first ? a.first < b.first : a.last > b.last;
  });
  std::vector<Loop> loops;
  std::vector<Loop> open;
  for (Loop range : ranges) {
    while (!open.empty() && open.back().last < range.first) {
      loops.push_back(open.back());
      open.pop_back();
    }
    while (!open.empty() && open.back().last <= range.last) {
      range.first = open.back().first;
      open.pop_back();
    }
    open.push_back(range);
  }
  loops.insert(loops.end(), open.begin(), open.end());
  return loops;
}

void assemble_recording(KernelLaunch& launch, const TimingTable& timing) {
  const std::vector<Jump>& jumps = launch.recording->jumps();
  const std::vector<Loop> loops = loops_of(jumps);
  std::vector<Instruction>& instructions = launch.programs.front().instructions;
  WarpProgram numbered = launch.programs.front();
  numbered.loops = loops;
  for (int i = 0; i < static_cast<int>(instructions.size()); ++i)
    numbered.instructions[static_cast<std::size_t>(i)].access = i;
  assemble(numbered, timing);
  take_control_bits(instructions, numbered, loops);
  const std::vector<Instruction> assembled = instructions;
  for (const Jump& jump : jumps) {
    ControlBits& target = instructions[static_cast<std::size_t>(jump.second)].control;
    target.wait_mask |= skipped_waits(assembled, loops, jump);
  }
}

}  // namespace tcsim::isa
