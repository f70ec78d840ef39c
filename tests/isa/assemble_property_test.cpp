#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <chrono>
#include <iterator>
#include <random>

#include "models/isa/assemble.hpp"
#include "tests/isa/assemble_fixture.hpp"
#include "tests/isa/schedule_checker.hpp"

namespace tcsim::isa {
namespace {

/// Writes random programs over a few registers, so that hazards of every kind are frequent.
class RandomProgram {
 public:
  explicit RandomProgram(std::uint32_t seed) : random_(seed) {}

  WarpProgram make(int length) {
    block(length, 0);
    program_.instructions.push_back(op(Opcode::kExit));
    return std::move(program_);
  }

 private:
  int below(int bound) { return std::uniform_int_distribution<int>(0, bound - 1)(random_); }

  Register any_register() {
    return below(12) == 0 ? kZeroRegister : static_cast<Register>(below(24));
  }

  void block(int length, int depth) {
    while (length > 0) {
      if (depth < kMaxLoopDepth && length > 2 && below(8) == 0) {
        const int body = 1 + below(length - 1);
        const int first = static_cast<int>(program_.instructions.size());
        block(body, depth + 1);
        close_loop(program_, first, depth);
        length -= body + 1;
      } else {
        instruction();
        --length;
      }
    }
  }

  void instruction() {
    static constexpr Opcode kPalette[] = {
        Opcode::kFfma,         Opcode::kFadd,        Opcode::kImad,    Opcode::kImadWide,
        Opcode::kMov,          Opcode::kCs2r,        Opcode::kHfma2,   Opcode::kIadd3,
        Opcode::kHmma16816F32, Opcode::kHmma1688F32, Opcode::kDmma884, Opcode::kHmma884F32Step0,
        Opcode::kMufuEx2,      Opcode::kShfl,        Opcode::kS2r,     Opcode::kDfma,
        Opcode::kLdg32,        Opcode::kLdg128,      Opcode::kStg64,   Opcode::kLds32,
        Opcode::kLds128,       Opcode::kSts32,       Opcode::kSts128,  Opcode::kLdsmX4,
        Opcode::kLdgsts128,    Opcode::kLdgdepbar,   Opcode::kDepbar,  Opcode::kBarSync,
        Opcode::kNop,          Opcode::kIsetp,       Opcode::kUiadd3};
    Instruction next = op(kPalette[below(std::size(kPalette))]);
    const OpcodeInfo& info = opcode_info(next.opcode);
    if (info.dst_registers > 0) next.dst = any_register();
    for (std::size_t s = 0; s < next.src.size(); ++s) {
      if (info.src_registers[s] > 0) next.src[s] = any_register();
    }
    next.has_immediate = info.effect == Effect::kNone && below(10) == 0;
    program_.instructions.push_back(next);
  }

  std::mt19937 random_;
  WarpProgram program_;
};

RC_GTEST_PROP(AssembleProperty, NoRandomProgramReadsEarly, (std::uint32_t seed)) {
  const int length = *rc::gen::inRange(1, 120);
  WarpProgram program = RandomProgram(seed).make(length);
  const TimingTable timing = example_timing();
  assemble(program, timing);
  for (int trips = 1; trips <= 3; ++trips) {
    const auto problems = check_schedule(program, timing, trips);
    if (!problems.empty()) RC_FAIL(problems.front());
  }
}

RC_GTEST_PROP(AssembleProperty, AssemblingAgainChangesNothing, (std::uint32_t seed)) {
  const int length = *rc::gen::inRange(1, 120);
  const WarpProgram source = RandomProgram(seed).make(length);
  WarpProgram once = source;
  assemble(once, example_timing());
  WarpProgram again = source;
  assemble(again, example_timing());
  RC_ASSERT(once == again);
  assemble(again, example_timing());
  RC_ASSERT(once == again);
}

RC_GTEST_PROP(AssembleProperty, EveryWaitBitIsNeededInStraightCode, (std::uint32_t seed)) {
  // Clearing a wait bit of a program whose waits are all needed must be seen by the checker. A bit
  // that is not needed for its own instruction would pass, so this also bounds what the assembler
  // adds.
  WarpProgram program = RandomProgram(seed).make(12);
  RC_PRE(program.loops.empty());
  assemble(program, example_timing());
  for (std::size_t i = 0; i < program.instructions.size(); ++i) {
    for (int c = 0; c < kDependenceCounters; ++c) {
      if ((program.instructions[i].control.wait_mask >> c & 1) == 0) continue;
      WarpProgram broken = program;
      broken.instructions[i].control.wait_mask ^= static_cast<std::uint8_t>(1 << c);
      RC_ASSERT(!check_schedule(broken, example_timing(), 1).empty());
    }
  }
}

TEST(AssembleProperty, StaysLinearOnALongRecording) {
  // A million instructions in seconds, also with addresses that are read a hundred thousand times
  // before they change.
  WarpProgram program;
  program.instructions.reserve(1'000'001);
  for (int i = 0; i < 1'000'000; ++i) {
    const auto data = static_cast<Register>(8 + i % 200);
    if (i % 100'000 == 99'999) {
      program.instructions.push_back(op(Opcode::kMov, 0, {1}));
    } else if (i % 2 == 0) {
      program.instructions.push_back(op(Opcode::kLds32, data, {0}));
    } else {
      program.instructions.push_back(op(Opcode::kFfma, 2, {data, 3, 2}));
    }
  }
  program.instructions.push_back(op(Opcode::kExit));
  const auto start = std::chrono::steady_clock::now();
  assemble(program, example_timing());
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  EXPECT_LT(taken.count(), 20.0);
}

}  // namespace
}  // namespace tcsim::isa
