#include <gmock/gmock.h>

#include "models/functional/execute.hpp"
#include "tests/functional/small_launch.hpp"

namespace tcsim::functional::testing {
namespace {

using isa::Opcode;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// The races of two warps that run `instructions`. Accesses: 0 the warp's own row, 1 row 0, 2 row
/// 1. Guards: 0 warp 0 only.
std::vector<Race> races_of(std::vector<isa::Instruction> instructions) {
  isa::WarpProgram program{.instructions = std::move(instructions),
                           .accesses = {own_row(), common_row(), common_row(128)},
                           .guards = {warps_below(1)}};
  const isa::KernelLaunch launch = small_launch(2, program);
  GlobalMemory memory(launch);
  const auto result = execute(launch, numerics::Generation::kAmpere, memory);
  if (!result.has_value()) {
    ADD_FAILURE() << result.refusal().reason;
    return {};
  }
  return result.value().races;
}

constexpr Accessor kWarp0Instruction0{0, 0};

TEST(Races, AreNotFoundInOwnBytesOrAcrossBarriers) {
  EXPECT_THAT(
      races_of({memory(Opcode::kSts32, 0), memory(Opcode::kLds32, 0), plain(Opcode::kBarSync),
                memory(Opcode::kLds32, 1), memory(Opcode::kLds32, 2), plain(Opcode::kBarSync),
                memory(Opcode::kSts32, 0)}),
      IsEmpty());
}

TEST(Races, AReadOfWhatAnotherWarpWroteSinceTheBarrierIsOne) {
  EXPECT_THAT(races_of({memory(Opcode::kSts32, 1, 0), memory(Opcode::kLds32, 1)}),
              ElementsAre(Race{RaceKind::kReadAfterWrite, 0, kWarp0Instruction0, {1, 1}, 0, 128}));
}

TEST(Races, AWriteOfWhatAnotherWarpReadSinceTheBarrierIsOne) {
  EXPECT_THAT(
      races_of({memory(Opcode::kLds32, 2, 0), memory(Opcode::kSts32, 0)}),
      ElementsAre(Race{RaceKind::kWriteAfterRead, 0, kWarp0Instruction0, {1, 1}, 128, 128}));
}

TEST(Races, ANotOwnReaderIsSeenBehindTheOwnOne) {
  // Both warps read row 1; warp 1, whose row it is, then writes it.
  EXPECT_THAT(
      races_of({memory(Opcode::kLds32, 2), memory(Opcode::kSts32, 0)}),
      ElementsAre(Race{RaceKind::kWriteAfterRead, 0, kWarp0Instruction0, {1, 1}, 128, 128}));
}

TEST(Races, TwoWritersBetweenBarriersAreOne) {
  EXPECT_THAT(races_of({memory(Opcode::kSts32, 1)}),
              ElementsAre(Race{RaceKind::kWriteAfterWrite, 0, kWarp0Instruction0, {1, 0}, 0, 128}));
}

TEST(Races, ACopyIsSafeBehindItsWaitForTheOwnWarpAndBehindABarrierForOthers) {
  EXPECT_THAT(
      races_of({memory(Opcode::kLdgsts32, 0), plain(Opcode::kLdgdepbar), plain(Opcode::kDepbar, 0),
                memory(Opcode::kLds32, 0), plain(Opcode::kBarSync), memory(Opcode::kLds32, 1),
                memory(Opcode::kLds32, 2)}),
      IsEmpty());
}

TEST(Races, ACopyThatItsOwnWarpReadsBeforeTheWaitIsOne) {
  EXPECT_THAT(races_of({memory(Opcode::kLdgsts32, 1, 0), plain(Opcode::kLdgdepbar),
                        memory(Opcode::kLds32, 1, 0), plain(Opcode::kDepbar, 0)}),
              ElementsAre(Race{RaceKind::kReadOfOpenCopy, 0, kWarp0Instruction0, {0, 2}, 0, 128}));
}

TEST(Races, ABarrierDoesNotStandForTheWait) {
  EXPECT_THAT(
      races_of({memory(Opcode::kLdgsts32, 1, 0), plain(Opcode::kLdgdepbar), plain(Opcode::kBarSync),
                memory(Opcode::kLds32, 1), plain(Opcode::kDepbar, 0)}),
      ElementsAre(Race{RaceKind::kReadOfOpenCopy, 0, kWarp0Instruction0, {0, 3}, 0, 128},
                  Race{RaceKind::kReadAfterWrite, 0, kWarp0Instruction0, {1, 3}, 0, 128}));
}

TEST(Races, AWaitWithoutABarrierDoesNotHelpOtherWarps) {
  EXPECT_THAT(
      races_of({memory(Opcode::kLdgsts32, 1, 0), plain(Opcode::kLdgdepbar), plain(Opcode::kBarSync),
                plain(Opcode::kDepbar, 0), memory(Opcode::kLds32, 1)}),
      ElementsAre(Race{RaceKind::kReadAfterWrite, 0, kWarp0Instruction0, {1, 4}, 0, 128}));
}

TEST(Races, AWaitLeavesAsManyGroupsOpenAsItSays) {
  const auto with_wait = [](int open) {
    return races_of({memory(Opcode::kLdgsts32, 1, 0), plain(Opcode::kLdgdepbar),
                     memory(Opcode::kLdgsts32, 2, 0), plain(Opcode::kLdgdepbar),
                     plain(Opcode::kDepbar, open), plain(Opcode::kBarSync),
                     memory(Opcode::kLds32, 1)});
  };
  EXPECT_THAT(with_wait(1), IsEmpty());
  EXPECT_THAT(with_wait(2),
              ElementsAre(Race{RaceKind::kReadOfOpenCopy, 0, kWarp0Instruction0, {0, 6}, 0, 128},
                          Race{RaceKind::kReadOfOpenCopy, 0, kWarp0Instruction0, {1, 6}, 0, 128}));
}

TEST(Races, ACopyThatIsInNoGroupIsNeverWaitedFor) {
  EXPECT_THAT(races_of({memory(Opcode::kLdgsts32, 1, 0), plain(Opcode::kDepbar, 0),
                        memory(Opcode::kLds32, 1, 0)}),
              ElementsAre(Race{RaceKind::kReadOfOpenCopy, 0, kWarp0Instruction0, {0, 2}, 0, 128}));
}

TEST(Races, AWriteToAnOpenCopyIsOneEvenByItsOwnWarp) {
  EXPECT_THAT(races_of({memory(Opcode::kLdgsts32, 1, 0), plain(Opcode::kLdgdepbar),
                        memory(Opcode::kSts32, 1, 0)}),
              ElementsAre(Race{RaceKind::kWriteToOpenCopy, 0, kWarp0Instruction0, {0, 2}, 0, 128}));
}

TEST(Races, AreToldAsASentence) {
  EXPECT_EQ(
      to_string({RaceKind::kReadOfOpenCopy, 3, {0, 7}, {2, 11}, 64, 16}),
      "CTA 3, shared byte 64: warp 2 at 0x00b0 reads what warp 0 at 0x0070 copies before that "
      "warp has waited for the copy (16 bytes in all)");
  EXPECT_EQ(to_string({RaceKind::kWriteAfterRead, 0, {1, 2}, {0, 3}, 4, 4}),
            "CTA 0, shared byte 4: warp 0 at 0x0030 overwrites what warp 1 at 0x0020 reads with no "
            "barrier in between (4 bytes in all)");
}

TEST(Races, NameTheCtaOfAWarpOfAnotherRankAndTheInstructions) {
  isa::KernelLaunch launch = small_launch(2, {.instructions = {memory(Opcode::kSts32, 0)}});
  launch.grid = {4, 2, 1};
  launch.cluster = {2, 2, 1};
  // The cluster has CTAs 2, 3, 6 and 7, in the order of their ranks.
  EXPECT_EQ(to_string({RaceKind::kReadAfterWrite, 3, {2 * 2 + 1, 0}, {1 * 2 + 0, 1}, 0, 4}, launch),
            "CTA 3, shared byte 0: warp 0 at 0x0010 (EXIT) reads what warp 1 of CTA 6 at 0x0000 "
            "(STS) writes with no barrier in between (4 bytes in all)");
}

}  // namespace
}  // namespace tcsim::functional::testing
