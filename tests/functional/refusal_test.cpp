#include <gmock/gmock.h>

#include "models/functional/execute.hpp"
#include "tests/functional/small_launch.hpp"

namespace tcsim::functional::testing {
namespace {

using isa::Opcode;
using isa::Variable;
using numerics::Generation;
using numerics::Refusal;
using ::testing::HasSubstr;

Refusal refusal_of(const isa::WarpProgram& program, int warps = 1) {
  const isa::KernelLaunch launch = small_launch(warps, program);
  GlobalMemory memory(launch);
  const auto result = execute(launch, Generation::kAmpere, memory);
  return result.has_value() ? Refusal{Refusal::Kind::kMistake, "none"} : result.refusal();
}

TEST(Refusals, NameTheLaneAndTheAddressOutOfRange) {
  for (const Opcode opcode : {Opcode::kLdg32, Opcode::kStg32}) {
    const Refusal refusal = refusal_of({.instructions = {plain(Opcode::kNop), memory(opcode, 0)},
                                        .accesses = {decided_late(own_row(1024 - 124))}});
    EXPECT_EQ(refusal.kind, Refusal::Kind::kMistake);
    EXPECT_THAT(refusal.reason, HasSubstr("kernel small: CTA 0 warp 0 at 0x0010 ("));
    EXPECT_THAT(refusal.reason,
                HasSubstr("lane 31 accesses 4 bytes at global offset 1024, outside its 1024"));
  }
  for (const Opcode opcode : {Opcode::kLds32, Opcode::kSts32, Opcode::kLdgsts32})
    EXPECT_THAT(refusal_of({.instructions = {memory(opcode, 0)}, .accesses = {own_row(-4)}}).reason,
                HasSubstr("lane 0 accesses 4 bytes at shared offset -4, outside its 1024 bytes"));
}

TEST(Refusals, NameAMisalignedAddress) {
  EXPECT_THAT(refusal_of({.instructions = {memory(Opcode::kLds64, 0)},
                          .accesses = {decided_late(own_row())}})
                  .reason,
              HasSubstr("lane 1 accesses 8 bytes at shared offset 4, which is not a multiple"));
}

TEST(Refusals, NameAnOpcodeWithoutValues) {
  const Refusal refusal = refusal_of({.instructions = {plain(Opcode::kPopc)}});
  EXPECT_EQ(refusal.kind, Refusal::Kind::kUnsupported);
  EXPECT_THAT(refusal.reason, HasSubstr("(POPC): the values of this instruction"));
}

TEST(Refusals, NameAnMmaThatTheGenerationLacks) {
  isa::KernelLaunch launch = small_launch(1, {.instructions = {plain(Opcode::kHmma16816F32)}});
  GlobalMemory memory(launch);
  const auto result = execute(launch, Generation::kVolta, memory);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.refusal().kind, Refusal::Kind::kUnsupported);
  EXPECT_THAT(result.refusal().reason, HasSubstr("(HMMA.16816.F32): "));
}

TEST(Refusals, NameAGuardThatSplitsAWarpWideInstruction) {
  isa::Instruction barrier = plain(Opcode::kBarSync);
  barrier.guard = 0;
  EXPECT_THAT(
      refusal_of({.instructions = {barrier}, .guards = {{{{{0, {{Variable::kLane, 1}}}, 31}}}}})
          .reason,
      HasSubstr("(BAR.SYNC): its guard turns off lanes"));
}

TEST(Refusals, NameWarpsThatWaitAtDifferentBarriers) {
  isa::Instruction other = plain(Opcode::kBarSync, 1);
  other.guard = 0;
  EXPECT_EQ(
      refusal_of({.instructions = {other, plain(Opcode::kBarSync)}, .guards = {warps_below(1)}}, 2)
          .reason,
      "kernel small: CTA 0 never ends: warp 0 waits at barrier 1, warp 1 at barrier 0");
}

TEST(Refusals, NameABrokenLaunchAndForeignMemory) {
  isa::KernelLaunch launch = small_launch(1, {});
  GlobalMemory memory(launch);
  launch.buffers[0].bytes = 512;
  EXPECT_THAT(execute(launch, Generation::kAmpere, memory).refusal().reason,
              HasSubstr("not made for the buffers"));
  launch.warps_per_cta = 0;
  EXPECT_THAT(execute(launch, Generation::kAmpere, memory).refusal().reason,
              HasSubstr("a CTA of 0 warps"));
}

}  // namespace
}  // namespace tcsim::functional::testing
