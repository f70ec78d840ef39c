#include "tests/traceg/steps.hpp"

#include "models/isa/operands.hpp"
#include "workloads/traceg/warp_walk.hpp"

namespace tcsim::traceg::testing {
namespace {

bool shows_lanes(isa::Opcode opcode) {
  return isa::is_memory(opcode) || opcode == isa::Opcode::kBarSync;
}

}  // namespace

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
    if (!isa::is_memory(instruction.opcode) || read.lanes == 0) continue;
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
    const auto first_of = [](isa::RegisterRange range) {
      return range.count > 0 ? static_cast<isa::Register>(range.first) : isa::kZeroRegister;
    };
    step.dst = first_of(isa::destination_registers(instruction));
    for (int operand = 0; operand < isa::kSourceOperands; ++operand)
      step.src[static_cast<std::size_t>(operand)] =
          first_of(isa::source_registers(instruction, operand));
    if (shows_lanes(instruction.opcode)) step.lanes = walk.lanes();
    if (!isa::is_memory(instruction.opcode)) continue;
    for (std::size_t lane = 0; lane < 32; ++lane)
      if ((walk.lanes() >> lane & 1) != 0) step.addresses.push_back(walk.addresses()[lane]);
  }
  return steps;
}

}  // namespace tcsim::traceg::testing
