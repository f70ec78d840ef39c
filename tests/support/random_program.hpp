#pragma once

#include <array>
#include <random>
#include <utility>
#include <vector>

#include "tests/support/program.hpp"

namespace tcsim::test {

/// Draws warp programs with every kind of instruction that the SM treats differently. Every program
/// ends: counters are counted down by hardware, all warps of a CTA reach the same barriers, loops
/// have bounded iterations.
class ProgramDraw {
 public:
  explicit ProgramDraw(unsigned seed) : random_(seed) {}

  /// `sections` straight pieces or loops with a barrier after each.
  isa::WarpProgram program(int sections) {
    ProgramBuilder builder("random");
    for (int section = 0; section < sections; ++section) {
      const bool loops = pick(2) == 0;
      const int outer =
          loops ? builder.begin_loop(0, {1 + pick(3), {{isa::Variable::kWarp, 1, 2, 2}}}) : 0;
      straight(builder, 4 + pick(12));
      const bool nested = loops && pick(2) == 0;
      if (nested) {
        const int inner = builder.begin_loop(1, {1 + pick(4), {{isa::Variable::kCtaX, 1, 1, 3}}});
        straight(builder, 1 + pick(6));
        builder.end_loop(inner);
      }
      if (loops) builder.end_loop(outer);
      builder.op(isa::Opcode::kBarSync);
    }
    builder.op(isa::Opcode::kExit);
    return builder.program();
  }

  int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }

 private:
  void straight(ProgramBuilder& builder, int count) {
    for (int i = 0; i < count; ++i) {
      auto edit = draw(builder);
      edit.stall(1 + pick(6));
      if (pick(3) == 0) edit.writes(pick(isa::kDependenceCounters));
      if (pick(3) == 0) edit.reads(pick(isa::kDependenceCounters));
      if (pick(3) == 0) edit.waits(pick(isa::kDependenceCounters));
      if (pick(5) == 0) edit.guard(builder.guard({pick(8), {{isa::Variable::kLane, 1}}}, pick(40)));
    }
  }

  InstructionEdit draw(ProgramBuilder& builder) {
    using isa::Opcode;
    const isa::Expression global{128 * pick(64) + 4 * pick(8),
                                 {{isa::Variable::kLane, 4 << pick(4)},
                                  {isa::Variable::kWarp, 512},
                                  {isa::Variable::kCtaX, 1024},
                                  {isa::Variable::kLoop0, 256}}};
    const isa::Expression shared{
        16 * pick(32), {{isa::Variable::kLane, 4 << pick(5)}, {isa::Variable::kLoop1, 64}}};
    switch (pick(12)) {
      case 0:
        return builder.global(any({Opcode::kLdg32, Opcode::kLdg64, Opcode::kLdg128}), global)
            .dst(8)
            .src(2);
      case 1:
        return builder.global(any({Opcode::kStg32, Opcode::kStg64, Opcode::kStg128}), global)
            .src(2, 8);
      case 2:
        return builder.global(any({Opcode::kLdgsts32, Opcode::kLdgsts128}), global, shared)
            .src(2, 4);
      case 3:
        return builder.op(Opcode::kLdgdepbar);
      case 4:
        return builder.op(Opcode::kDepbar).immediate(pick(3));
      case 5:
        return builder.shared(any({Opcode::kLds32, Opcode::kLds128, Opcode::kLdsmX4}), shared)
            .dst(12)
            .src(3);
      case 6:
        return builder.shared(any({Opcode::kSts32, Opcode::kSts128}), shared).src(3, 12);
      case 7:
        return builder.op(any({Opcode::kHmma16816F32, Opcode::kHmma1688F32}))
            .dst(16)
            .src(20, 24, 16);
      case 8:
        return builder.op(Opcode::kMufuEx2).dst(28).src(pick(32));
      case 9:
        return builder.op(Opcode::kShfl).dst(28).src(pick(32), pick(32), pick(32));
      case 10:
        return builder.op(Opcode::kFfma).dst(29).src(pick(32), pick(32), pick(32));
      default:
        return builder.op(any({Opcode::kIadd3, Opcode::kDfma, Opcode::kNop})).dst(30).src(2, 4, 6);
    }
  }

  isa::Opcode any(std::initializer_list<isa::Opcode> opcodes) {
    return *(opcodes.begin() + pick(static_cast<int>(opcodes.size())));
  }

  std::mt19937 random_;
};

/// Six CTAs of up to eight warps that run two random programs with as many barriers each.
inline isa::KernelLaunch random_launch(unsigned seed) {
  ProgramDraw draw(seed);
  const int sections = 1 + draw.pick(3);
  std::vector<isa::WarpProgram> programs{draw.program(sections), draw.program(sections)};
  std::vector<int> program_of_warp(1 + static_cast<std::size_t>(draw.pick(8)));
  for (int& program : program_of_warp) program = draw.pick(2);
  return make_launch(std::move(programs), std::move(program_of_warp), 6);
}

}  // namespace tcsim::test
