#pragma once

#include <algorithm>
#include <vector>

#include "models/functional/execute.hpp"
#include "models/isa/launch.hpp"
#include "tests/functional/gemm_values.hpp"
#include "tests/functional/races.hpp"

namespace tcsim::functional::testing {

/// Plants faults where CTAs hand sums over to each other: at the program's waits for a flag, at the
/// MEMBAR before it is raised, and at the meetings of warps around both, which end with an
/// instruction `meeting`.
class HandOver {
 public:
  HandOver(const GemmValues& gemm, isa::Opcode meeting)
      : gemm_(gemm),
        meeting_(meeting),
        launch_(kernels::make_gemm(gemm.problem, gemm.tile, gemm.target)) {}

  HandOver& leave_out_wait() {
    for (isa::WarpProgram& program : launch_.programs)
      for (isa::Loop& loop : program.loops)
        if (loop.until) loop.trips = {};
    return *this;
  }
  HandOver& wait_for_one_less() {
    for (isa::WarpProgram& program : launch_.programs)
      for (isa::Loop& loop : program.loops)
        if (loop.until) --loop.until->constant;
    return *this;
  }
  HandOver& leave_out_fence() {
    for (isa::WarpProgram& program : launch_.programs)
      for (isa::Instruction& instruction : program.instructions)
        if (instruction.opcode == isa::Opcode::kMembar) remove(instruction);
    return *this;
  }
  /// The last meeting before each MEMBAR.
  HandOver& leave_out_meeting_before_flag() {
    for (isa::WarpProgram& program : launch_.programs) {
      isa::Instruction* last = nullptr;
      for (isa::Instruction& instruction : program.instructions) {
        if (instruction.opcode == meeting_) last = &instruction;
        if (instruction.opcode == isa::Opcode::kMembar && last != nullptr) remove(*last);
      }
    }
    return *this;
  }
  /// The first meeting after each wait.
  HandOver& leave_out_meeting_behind_wait() {
    for (isa::WarpProgram& program : launch_.programs)
      for (const isa::Loop& loop : program.loops) {
        if (!loop.until) continue;
        const auto behind = program.instructions.begin() + loop.last;
        remove(*std::find_if(behind, program.instructions.end(), [&](const auto& instruction) {
          return instruction.opcode == meeting_;
        }));
      }
    return *this;
  }

  /// True if the planted fault causes a race of `kind`.
  [[nodiscard]] bool has(RaceKind kind) const {
    GlobalMemory memory = random_operands(gemm_, std::span(&launch_, 1));
    const auto result = execute(launch_, gemm_.generation, memory);
    EXPECT_TRUE(result.has_value()) << result.refusal().reason;
    return result.has_value() && has_race(result.value().races, kind);
  }

 private:
  static void remove(isa::Instruction& instruction) {
    instruction = {.opcode = isa::Opcode::kNop, .control = instruction.control};
  }

  const GemmValues& gemm_;
  const isa::Opcode meeting_;
  isa::KernelLaunch launch_;
};

/// Plants each of the faults; `gemm` has more than two CTAs on some tile, and no race without a
/// fault.
inline void expect_hand_over_faults_found(const GemmValues& gemm, isa::Opcode meeting) {
  const auto planted = [&] { return HandOver(gemm, meeting); };
  EXPECT_FALSE(planted().has(RaceKind::kGlobalBeforeFlag));
  EXPECT_FALSE(planted().has(RaceKind::kGlobalWithoutFence));
  EXPECT_TRUE(planted().leave_out_wait().has(RaceKind::kGlobalBeforeFlag));
  EXPECT_TRUE(planted().wait_for_one_less().has(RaceKind::kGlobalBeforeFlag));
  EXPECT_TRUE(planted().leave_out_fence().has(RaceKind::kGlobalWithoutFence));
  EXPECT_TRUE(planted().leave_out_meeting_before_flag().has(RaceKind::kGlobalBeforeFlag));
  EXPECT_TRUE(planted().leave_out_meeting_behind_wait().has(RaceKind::kGlobalBeforeFlag));
}

}  // namespace tcsim::functional::testing
