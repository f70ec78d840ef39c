#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "models/isa/access_checks.hpp"
#include "models/isa/any_variable.hpp"
#include "models/isa/async_checks.hpp"
#include "models/isa/launch.hpp"
#include "models/isa/name_text.hpp"
#include "models/isa/smallest_trips.hpp"
#include "models/isa/uniforms.hpp"

namespace tcsim::isa {
namespace {

constexpr int kMostRegistersOfThread = 255;  // microarchitecture.md 2.2

using LaunchProblems = std::vector<LaunchProblem>;

bool depends_on_loops_or_lane(const Expression& expression) {
  return any_variable(expression, [](Variable variable) {
    return variable == Variable::kLane ||
           (variable >= Variable::kLoop0 && variable < Variable::kUniform0);
  });
}

/// Collects the problems of program number `number`; every sentence names the program and the
/// place.
class ProgramCheck {
 public:
  ProgramCheck(const KernelLaunch& launch, int number, LaunchProblems& problems)
      : launch_(launch),
        number_(number),
        program_(launch.programs[static_cast<std::size_t>(number)]),
        registers_(launch.registers_per_thread),
        problems_(problems) {}

  void run() {
    if (program_.instructions.empty()) {
      report("has no instructions");
      return;
    }
    const Instruction& last = program_.instructions.back();
    if (last.opcode != Opcode::kExit || last.guard != kNoIndex)
      report("does not end in an unguarded EXIT");
    for (std::size_t i = 0; i < program_.instructions.size(); ++i) check_instruction(i);
    check_cluster_waits();
    check_uniforms();
    for (std::size_t i = 0; i < program_.loops.size(); ++i) check_loop(i);
    for (std::size_t i = 0; i < program_.accesses.size(); ++i) check_access(i);
    for (std::size_t i = 0; i < program_.guards.size(); ++i)
      for (const Bound& bound : program_.guards[i].bounds)
        if (divides_by_zero(bound.expression))
          report("guard " + std::to_string(i) + " divides by zero");
  }

 private:
  using Part = LaunchProblem::Part;

  void report(const std::string& what, Part part = Part::kProgram, int index = kNoIndex) {
    problems_.push_back(
        {"program " + name_text(program_.name) + ": " + what, part, index, number_});
  }

  void report_at(std::size_t index, const std::string& what) {
    const auto& info = opcode_info(program_.instructions[index].opcode);
    report(
        "instruction " + std::to_string(index) + " (" + std::string(info.mnemonic) + "): " + what,
        Part::kInstruction, static_cast<int>(index));
  }

  void report_loop(std::size_t index, const std::string& what) {
    report("loop " + std::to_string(index) + " " + what, Part::kLoop, static_cast<int>(index));
  }

  void check_uniforms() {
    LaunchProblems found = uniform_problems(program_);
    for (std::size_t i = 0; i < program_.uniforms.size(); ++i)
      if (divides_by_zero(program_.uniforms[i]))
        found.push_back({"uniform " + std::to_string(i) + " divides by zero", Part::kProgram});
    for (const LaunchProblem& problem : found) report(problem.text, problem.part, problem.index);
    has_sound_uniforms_ = found.empty();
  }

  void check_register(std::size_t index, Register first, int count, const char* operand) {
    if (first == kZeroRegister || count == 0) return;
    if (first + count > registers_)
      report_at(index, std::string(operand) + " reaches R" + std::to_string(first + count - 1) +
                           " of " + std::to_string(registers_) + " registers");
  }

  void check_instruction(std::size_t index) {
    const Instruction& instruction = program_.instructions[index];
    const OpcodeInfo& info = opcode_info(instruction.opcode);
    const std::size_t before = problems_.size();
    registers_ = registers_behind(instruction, registers_);
    check_register(index, instruction.dst, info.dst_registers, "destination");
    for (std::size_t s = 0; s < instruction.src.size(); ++s)
      check_register(index, instruction.src[s], info.src_registers[s], "source");
    if (instruction.guard != kNoIndex && !is_index(instruction.guard, program_.guards.size()))
      report_at(index, "guard " + std::to_string(instruction.guard) + " does not exist");
    const bool wants_access = is_memory(instruction.opcode);
    if (wants_access && !is_index(instruction.access, program_.accesses.size()))
      report_at(index, "access " + std::to_string(instruction.access) + " does not exist");
    else if (wants_access && addresses_global(info.effect) &&
             !is_index(program_.accesses[static_cast<std::size_t>(instruction.access)].buffer,
                       launch_.buffers.size()))
      report_at(index, "moves global memory without a buffer");
    if (!wants_access && !is_asynchronous(info.effect) && instruction.access != kNoIndex)
      report_at(index, "cannot have an access");
    for (const std::string& problem : async_problems(launch_, program_, index))
      report_at(index, problem);
    if (is_named_barrier(info.effect)) check_named_barrier(index);
    if (info.effect == Effect::kWaitCopyGroups && instruction.immediate < 0)
      report_at(index, "waits for a negative number of groups");
    if (wants_access && is_index(instruction.access, program_.accesses.size())) check_flags(index);
    if (wants_access && problems_.size() == before)
      for (const std::string& problem :
           access_problems(launch_, program_, instruction, lanes_left_ || may_be_skipped(index)))
        report_at(index, problem);
    lanes_left_ = lanes_left_ || ends_lanes(program_, instruction);
    if (reads_constant(instruction)) check_constant(index);
    if (info.effect == Effect::kBranch) check_branch(index);
    if (info.effect == Effect::kSkipLoop) check_skip(index);
  }

  [[nodiscard]] bool touches_flags(const WarpProgram& program,
                                   const Instruction& instruction) const {
    if (!is_memory(instruction.opcode) || !is_index(instruction.access, program.accesses.size()))
      return false;
    const int buffer = program.accesses[static_cast<std::size_t>(instruction.access)].buffer;
    return is_index(buffer, launch_.buffers.size()) &&
           launch_.buffers[static_cast<std::size_t>(buffer)].flags;
  }

  void check_flags(std::size_t index) {
    const Instruction& instruction = program_.instructions[index];
    if (!touches_flags(program_, instruction)) return;
    const bool waits = instruction.opcode == Opcode::kLdgStrong32;
    const bool adds =
        instruction.opcode == Opcode::kRedAdd || instruction.opcode == Opcode::kAtomgAdd;
    if (!waits && !(adds && instruction.has_immediate))
      report_at(index,
                "touches flags; only LDG.E.STRONG.GPU, and RED.E.ADD and ATOMG.E.ADD with a "
                "literal, may do so");
  }

  /// A wait at the barrier of the cluster is for an arrival since the wait before it.
  void check_cluster_waits() {
    bool has_arrived = false;
    for (std::size_t i = 0; i < program_.instructions.size(); ++i) {
      const Effect effect = opcode_info(program_.instructions[i].opcode).effect;
      if (effect == Effect::kClusterWait && !has_arrived)
        report_at(i, "waits at the barrier of the cluster, but no UCGABAR_ARV precedes it");
      if (effect == Effect::kClusterWait || effect == Effect::kClusterArrive)
        has_arrived = effect == Effect::kClusterArrive;
    }
  }

  /// Loop `index` works on numbers that CTAs take.
  void check_numbers(std::size_t index) {
    const Loop& loop = program_.loops[index];
    if (loop.depth != 0 || loop.until)
      report_loop(index, "takes numbers but is not an outermost one, or waits");
    if (program_.uniforms.empty()) report_loop(index, "takes numbers but there is no uniform 0");
    if (*loop.numbers < launch_.cta_count())
      report_loop(index, "takes fewer numbers than there are CTAs");
    const bool takes = std::ranges::any_of(launch_.programs, [this](const WarpProgram& program) {
      return std::ranges::any_of(program.instructions, [&](const Instruction& instruction) {
        return instruction.opcode == Opcode::kAtomgAdd && touches_flags(program, instruction);
      });
    });
    if (!takes) report_loop(index, "takes numbers but no ATOMG.E.ADD of a flag requests them");
  }

  /// Loop `index` waits for a flag: it is skippable, loads one and is entered at most once.
  void check_wait(std::size_t index) {
    const Loop& loop = program_.loops[index];
    if (!is_skippable(program_.instructions, loop, static_cast<int>(index)))
      report_loop(index, "waits but has no BRA.SKIP before it");
    if (depends_on_loops_or_lane(*loop.until) || !loop.until->quotients.empty())
      report_loop(index, "waits for a value that depends on a loop or the lane or divides a sum");
    const auto first = program_.instructions.begin() + loop.first;
    const bool loads = std::any_of(
        first, program_.instructions.begin() + loop.last, [&](const Instruction& instruction) {
          return instruction.opcode == Opcode::kLdgStrong32 && touches_flags(program_, instruction);
        });
    if (!loads) report_loop(index, "waits for a flag that it does not load");
    const std::optional<std::int64_t> most = uses_uniforms(loop.trips)
                                                 ? known_trips_of(index, 0).most
                                                 : largest_trips(loop.trips, launch_);
    check_most(index, most, 1);
  }

  void check_constant(std::size_t index) {
    const Instruction& instruction = program_.instructions[index];
    if (instruction.has_constant && instruction.has_immediate)
      report_at(index, "has a literal and a constant");
    if (instruction.immediate < 0 || instruction.immediate > kConstantBytes - kConstantAlignment)
      report_at(index, "reads constant byte " + std::to_string(instruction.immediate) + " of " +
                           std::to_string(kConstantBytes));
    else if (instruction.immediate % kConstantAlignment != 0)
      report_at(index, "reads constant byte " + std::to_string(instruction.immediate) +
                           ", allowed multiples of " + std::to_string(kConstantAlignment));
  }

  void check_named_barrier(std::size_t index) {
    const Instruction& instruction = program_.instructions[index];
    const NamedBarrier named = named_barrier(instruction.immediate);
    if (!is_index(named.number, kNamedBarriers))
      report_at(index, "barrier " + std::to_string(named.number) + " is not one of 16");
    const int least = instruction.opcode == Opcode::kBarArrive ? 1 : 0;
    if (named.warps < least || named.warps > launch_.warps_per_cta)
      report_at(index, "barrier of " + std::to_string(named.warps) + " warps, allowed " +
                           std::to_string(least) + " to " + std::to_string(launch_.warps_per_cta));
  }

  void check_branch(std::size_t index) {
    const int loop = program_.instructions[index].immediate;
    if (!is_index(loop, program_.loops.size()))
      report_at(index, "loop " + std::to_string(loop) + " does not exist");
    else if (program_.loops[static_cast<std::size_t>(loop)].last != static_cast<int>(index))
      report_at(index, "is not the end of loop " + std::to_string(loop));
  }

  /// True in a loop that some warps may pass by.
  [[nodiscard]] bool may_be_skipped(std::size_t index) const {
    const int at = static_cast<int>(index);
    return std::ranges::any_of(program_.loops, [&](const Loop& loop) {
      return loop.first > 0 && loop.first <= at && at <= loop.last &&
             opcode_info(program_.instructions[static_cast<std::size_t>(loop.first) - 1].opcode)
                     .effect == Effect::kSkipLoop;
    });
  }

  void check_skip(std::size_t index) {
    const int loop = program_.instructions[index].immediate;
    if (!is_index(loop, program_.loops.size()))
      report_at(index, "loop " + std::to_string(loop) + " does not exist");
    else if (program_.loops[static_cast<std::size_t>(loop)].first != static_cast<int>(index) + 1)
      report_at(index, "is not right before loop " + std::to_string(loop));
  }

  void check_loop(std::size_t index) {
    const Loop& loop = program_.loops[index];
    if (!is_index(loop.first, program_.instructions.size()) ||
        !is_index(loop.last, program_.instructions.size()) || loop.first > loop.last) {
      report_loop(index, "covers no instructions of the program");
      return;
    }
    const Instruction& branch = program_.instructions[static_cast<std::size_t>(loop.last)];
    if (branch.opcode != Opcode::kBra || branch.immediate != static_cast<int>(index))
      report_loop(index, "does not end in its BRA");
    int depth = 0;
    for (std::size_t other = 0; other < program_.loops.size(); ++other) {
      if (other == index) continue;
      const Loop& o = program_.loops[other];
      const bool encloses = o.first <= loop.first && loop.last < o.last;
      const bool inside = loop.first <= o.first && o.last < loop.last;
      if (encloses) ++depth;
      if (!encloses && !inside && o.first <= loop.last && loop.first <= o.last)
        report_loop(index, "and loop " + std::to_string(other) + " cross");
    }
    if (loop.depth != depth || depth >= kMaxLoopDepth)
      report_loop(index, "has depth " + std::to_string(loop.depth) + " inside " +
                             std::to_string(depth) + " loops");
    if (loop.numbers) check_numbers(index);
    if (depends_on_loops_or_lane(loop.trips))
      report_loop(index, "has a trip count that depends on a loop or the lane");
    else if (divides_by_zero(loop.trips))
      report_loop(index, "has a trip count that divides by zero");
    else if (loop.until)
      check_wait(index);
    else
      check_trips(index);
  }

  /// Of loop `index`, which uses uniforms; `least` trips are enough.
  [[nodiscard]] KnownTrips known_trips_of(std::size_t index, int least) const {
    if (!has_sound_uniforms_) return {.fewest = least};
    return known_trips(launch_, program_, index, least);
  }

  void check_most(std::size_t index, const std::optional<std::int64_t>& most,
                  std::int64_t allowed) {
    if (most && *most > allowed)
      report_loop(index, "runs " + std::to_string(*most) +
                             " times for some warp, allowed at most " + std::to_string(allowed));
  }

  void check_trips(std::size_t index) {
    const Loop& loop = program_.loops[index];
    const int least = is_skippable(program_.instructions, loop, static_cast<int>(index)) ? 0 : 1;
    const KnownTrips trips = uses_uniforms(loop.trips)
                                 ? known_trips_of(index, least)
                                 : KnownTrips{smallest_trips(loop.trips, launch_), {}};
    if (!trips.fewest)
      report_loop(index, "has a trip count of more CTAs and trips than can be checked");
    else if (*trips.fewest < least)
      report_loop(index, "runs " + std::to_string(*trips.fewest) + " times for some warp");
    else
      check_most(index, trips.most, kMostTrips);
  }

  void check_access(std::size_t index) {
    const MemoryAccess& access = program_.accesses[index];
    const std::string name = "access " + std::to_string(index);
    if (access.buffer != kNoIndex && !is_index(access.buffer, launch_.buffers.size()))
      report(name + ": buffer " + std::to_string(access.buffer) + " does not exist");
    if (divides_by_zero(access.global.offset) || divides_by_zero(access.shared.offset))
      report(name + " divides by zero");
    for (const Bound& bound : access.source.bounds)
      if (divides_by_zero(bound.expression)) report(name + " divides by zero in its source guard");
  }

  const KernelLaunch& launch_;
  const int number_;  ///< of program_
  const WarpProgram& program_;
  int registers_;  ///< that a thread may name, so far in the text
  LaunchProblems& problems_;
  bool lanes_left_ = false;  ///< some of a warp may have, so far in the text
  bool has_sound_uniforms_ = true;
};

void check_geometry(const KernelLaunch& launch, LaunchProblems& problems) {
  if (std::ranges::any_of(launch.grid, [](std::int64_t extent) { return extent < 1; }))
    problems.push_back({"the grid has an empty dimension"});
  if (launch.warps_per_cta < 1 || launch.warps_per_cta > kMostWarps)
    problems.push_back(
        {"a CTA of " + std::to_string(launch.warps_per_cta) + " warps, allowed 1 to 32"});
  if (launch.registers_per_thread < 1 || launch.registers_per_thread > kMostRegistersOfThread)
    problems.push_back(
        {std::to_string(launch.registers_per_thread) + " registers per thread, allowed 1 to 255"});
  if (launch.shared_bytes_per_cta < 0) problems.push_back({"a negative amount of shared memory"});
  if (launch.program_of_warp.size() != static_cast<std::size_t>(launch.warps_per_cta))
    problems.push_back({"program_of_warp has " + std::to_string(launch.program_of_warp.size()) +
                        " entries for " + std::to_string(launch.warps_per_cta) + " warps"});
  for (const int program : launch.program_of_warp)
    if (!is_index(program, launch.programs.size()))
      problems.push_back({"program " + std::to_string(program) + " does not exist"});
}

void check_buffers(const KernelLaunch& launch, LaunchProblems& problems) {
  std::vector<int> sorted(launch.buffers.size());
  std::iota(sorted.begin(), sorted.end(), 0);
  const auto buffer = [&](int index) -> const Buffer& {
    return launch.buffers[static_cast<std::size_t>(index)];
  };
  const auto name = [&](int index) { return name_text(buffer(index).name); };
  const auto end = [&](int index) { return buffer(index).base_address + buffer(index).bytes; };
  for (const int index : sorted)
    if (buffer(index).base_address % kBufferAlignment != 0)
      problems.push_back({"buffer " + name(index) + " does not start at a multiple of 256",
                          LaunchProblem::Part::kBuffer, index});
  std::ranges::stable_sort(sorted, {}, [&](int index) { return buffer(index).base_address; });
  int last = kNoIndex;  // the one with the largest end so far
  for (const int index : sorted) {
    if (last != kNoIndex && end(last) > buffer(index).base_address)
      problems.push_back({"buffers " + name(last) + " and " + name(index) + " overlap",
                          LaunchProblem::Part::kBuffer, last});
    if (last == kNoIndex || end(index) > end(last)) last = index;
  }
}

}  // namespace

std::vector<LaunchProblem> launch_problems(const KernelLaunch& launch) {
  LaunchProblems problems;
  check_geometry(launch, problems);
  check_buffers(launch, problems);
  if (launch.recording != nullptr) return problems;
  std::ranges::copy(async_problems(launch), std::back_inserter(problems));
  for (int program = 0; program < static_cast<int>(launch.programs.size()); ++program)
    ProgramCheck(launch, program, problems).run();
  return problems;
}

std::vector<std::string> validate(const KernelLaunch& launch) {
  std::vector<std::string> texts;
  for (LaunchProblem& problem : launch_problems(launch)) texts.push_back(std::move(problem.text));
  return texts;
}

}  // namespace tcsim::isa
