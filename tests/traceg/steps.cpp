#include "tests/traceg/steps.hpp"

#include <ostream>

#include "models/isa/operands.hpp"
#include "workloads/traceg/spooled_recording.hpp"
#include "workloads/traceg/warp_walk.hpp"

namespace tcsim::traceg::testing {
namespace {

bool shows_lanes(isa::Opcode opcode) {
  return isa::is_memory(opcode) || opcode == isa::Opcode::kBarSync;
}

bool has_addresses(const isa::Instruction& instruction) {
  return CodeLine{0, instruction, {}}.has_addresses();
}

bool copies_box(const isa::Instruction& instruction) {
  return isa::copies_tile(isa::opcode_info(instruction.opcode).effect);
}

/// Arrivals of copies have no value, remote ones that of their address.
bool has_value(const isa::Instruction& instruction) {
  const isa::Effect effect = isa::opcode_info(instruction.opcode).effect;
  return effect == isa::Effect::kInitBarrier || effect == isa::Effect::kArriveWithBytes ||
         effect == isa::Effect::kWaitPhase;
}

}  // namespace

void PrintTo(const Step& step, std::ostream* out) {
  *out << step.mnemonic << " R" << int{step.dst};
  for (const isa::Register source : step.src) *out << " R" << int{source};
  *out << std::hex << " lanes " << step.lanes << " addresses";
  for (const std::int64_t address : step.addresses) *out << ' ' << address;
  *out << " mbarrier " << step.barrier << " value " << step.value << " pieces";
  for (const auto& [offset, bytes] : step.box.pieces) *out << ' ' << offset << '+' << bytes;
  *out << " of " << step.box.bytes << std::dec;
}

std::vector<Step> recorded_steps(const isa::KernelLaunch& launch,
                                 const std::array<std::int64_t, 3>& cta, int warp) {
  const auto recorded = launch.recording->open(cta, warp);
  const std::vector<isa::Instruction>& code = launch.programs.front().instructions;
  std::vector<Step> steps;
  isa::RecordedStep read;
  do {
    recorded->read(read);
    const isa::Instruction& instruction = code[static_cast<std::size_t>(read.instruction)];
    Step& step = steps.emplace_back();
    step.mnemonic = isa::opcode_info(instruction.opcode).mnemonic;
    step.dst = instruction.dst;
    step.src = instruction.src;
    if (shows_lanes(instruction.opcode)) step.lanes = read.lanes;
    if (read.lanes == 0) continue;
    if (copies_box(instruction)) {
      step.addresses = {read.address};
      step.barrier = read.barrier;
      step.value = read.value;
      step.box = read.pattern == isa::RecordedStep::kOwnPattern
                     ? read.own_box
                     : launch.recording->boxes()[static_cast<std::size_t>(read.pattern)];
    }
    if (has_value(instruction)) step.value = read.value;
    if (!has_addresses(instruction)) continue;
    const isa::LanePattern& pattern =
        read.pattern == isa::RecordedStep::kOwnPattern
            ? read.own_pattern
            : launch.recording->patterns()[static_cast<std::size_t>(read.pattern)];
    for (std::size_t lane = 0; lane < 32; ++lane)
      if ((read.lanes >> lane & 1) != 0)
        step.addresses.push_back(read.address + pattern.offsets[lane]);
  } while (steps.back().mnemonic != "EXIT" || read.lanes == 0);
  return steps;
}

std::vector<Step> walked_steps(const isa::KernelLaunch& launch,
                               const std::array<std::int64_t, 3>& cta, int warp) {
  std::vector<Step> steps;
  for (WarpWalk walk(launch, cta, warp); walk.next();) {
    const isa::Instruction& instruction = walk.instruction();
    Step& step = steps.emplace_back();
    step.mnemonic = isa::opcode_info(instruction.opcode).mnemonic;
    if (instruction.opcode == isa::Opcode::kBraSkip) step.mnemonic = "BRA";
    const auto first_of = [](isa::RegisterRange range) {
      return range.count > 0 ? static_cast<isa::Register>(range.first) : isa::kZeroRegister;
    };
    step.dst = first_of(isa::destination_registers(instruction));
    for (int operand = 0; operand < isa::kSourceOperands; ++operand)
      step.src[static_cast<std::size_t>(operand)] =
          first_of(isa::source_registers(instruction, operand));
    if (isa::is_group_mma(instruction.opcode)) {  // which takes and leaves them later
      step.dst = instruction.dst;
      step.src = instruction.src;
    }
    if (shows_lanes(instruction.opcode)) step.lanes = walk.lanes();
    if (walk.lanes() == 0) continue;
    if (copies_box(instruction)) {
      step.addresses = {walk.box().address};
      step.barrier = walk.box().barrier;
      step.value = walk.box().ranks;
      step.box = walk.box().box;
    }
    if (has_value(instruction)) step.value = walk.value();
    if (!has_addresses(instruction)) continue;
    for (std::size_t lane = 0; lane < 32; ++lane)
      if ((walk.lanes() >> lane & 1) != 0) step.addresses.push_back(walk.addresses()[lane]);
  }
  return steps;
}

}  // namespace tcsim::traceg::testing
