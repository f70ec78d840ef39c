#pragma once

#include <gmock/gmock.h>

#include <initializer_list>

#include "models/isa/program.hpp"
#include "models/isa/timing.hpp"
#include "tests/isa/schedule_checker.hpp"

namespace tcsim::isa {

/// Latencies and intervals close to those of an A100 (microarchitecture.md 3.5, 4.3, 5.2); the
/// tests compare with these, not with the silicon.
inline TimingTable example_timing() {
  TimingTable timing;
  for (int i = 0; i < opcode_count(); ++i) {
    const OpcodeInfo& info = opcode_info(static_cast<Opcode>(i));
    switch (info.pipe) {
      case Pipe::kTensor:
        timing[i] = {8, 24};
        break;
      case Pipe::kMemory:
        timing[i] = {4, 29};
        break;
      case Pipe::kSfu:
        timing[i] = {8, 17};
        break;
      case Pipe::kFp64:
        timing[i] = {4, 8};
        break;
      case Pipe::kControl:
        timing[i] = {1, 1};
        break;
      default:
        timing[i] = {2, 4};
        break;
    }
  }
  timing[static_cast<int>(Opcode::kHmma1688F32)] = {4, 33};
  timing[static_cast<int>(Opcode::kImad)] = {2, 5};
  timing[static_cast<int>(Opcode::kBra)] = {1, 2};
  return timing;
}

inline Instruction op(Opcode opcode, Register dst = kZeroRegister,
                      std::initializer_list<Register> sources = {}) {
  Instruction instruction{.opcode = opcode, .dst = dst};
  int operand = 0;
  for (const Register source : sources) instruction.src[operand++] = source;
  return instruction;
}

/// Closes loop `loop` over [first, end of the program] with a BRA.
inline void close_loop(WarpProgram& program, int first, int depth) {
  Instruction branch = op(Opcode::kBra);
  branch.immediate = static_cast<int>(program.loops.size());
  program.instructions.push_back(branch);
  program.loops.push_back({.first = first,
                           .last = static_cast<int>(program.instructions.size()) - 1,
                           .depth = depth,
                           .trips = {2, {}}});
}

/// Expects the schedule to be correct however often the loops run.
inline void expect_sound(const WarpProgram& program) {
  for (int trips = 1; trips <= 4; ++trips) {
    EXPECT_THAT(check_schedule(program, example_timing(), trips), ::testing::IsEmpty())
        << trips << " trips";
  }
}

}  // namespace tcsim::isa
