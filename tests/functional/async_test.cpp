#include <gmock/gmock.h>

#include "tests/functional/async_gemm.hpp"
#include "tests/functional/races.hpp"

namespace tcsim::functional::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<Race> races_of(const AsyncGemm& gemm) {
  std::vector<Race> races;
  run(gemm, races);
  return races;
}

class AsyncGemmFormats : public ::testing::TestWithParam<isa::GroupFormats> {};

TEST_P(AsyncGemmFormats, EqualTheArithmeticOfWgmma) {
  for (const bool a_in_registers : {false, true}) {
    const AsyncGemm gemm{.formats = GetParam(), .n = 24, .a_in_registers = a_in_registers};
    if (gemm.formats.sum == numerics::ElementType::kFp16 && a_in_registers) continue;
    std::vector<Race> races;
    EXPECT_EQ(run(gemm, races), "") << a_in_registers;
    EXPECT_THAT(races, IsEmpty());
  }
}

INSTANTIATE_TEST_SUITE_P(All, AsyncGemmFormats, ::testing::ValuesIn(isa::kGroupFormats));

TEST(AsyncGemm, IsTheSameInEverySwizzleAndWidth) {
  for (const isa::TileSwizzle swizzle : {isa::TileSwizzle::kNone, isa::TileSwizzle::k32,
                                         isa::TileSwizzle::k64, isa::TileSwizzle::k128})
    for (const int n : {8, 64, 256}) {
      std::vector<Race> races;
      EXPECT_EQ(run({.n = n, .swizzle = swizzle}, races), "")
          << isa::row_bytes(swizzle) << " " << n;
      EXPECT_THAT(races, IsEmpty());
    }
}

TEST(AsyncGemm, ReadsZerosOutsideItsTensors) {
  std::vector<Race> races;
  EXPECT_EQ(run({.k = 150, .rows = 50}, races), "");
  EXPECT_THAT(races, IsEmpty());
}

TEST(AsyncGemm, TakesOrdinaryStoresBehindAFence) {
  std::vector<Race> races;
  EXPECT_EQ(run({.stores_b = true}, races), "");
  EXPECT_THAT(races, IsEmpty());
}

TEST(AsyncRaces, AMissingProxyFenceIsOne) {
  EXPECT_TRUE(has_race(races_of({.stores_b = true, .fault = Fault::kNoProxyFence}),
                       RaceKind::kMissingFence));
}

TEST(AsyncRaces, DataThatNobodyWaitedForAreOne) {
  EXPECT_TRUE(has_race(races_of({.fault = Fault::kWrongPhase}), RaceKind::kReadOfOpenCopy) ||
              has_race(races_of({.fault = Fault::kWrongPhase}), RaceKind::kReadBeforePhase));
}

TEST(AsyncRaces, AStageThatIsFilledBeforeItIsFreeMakesConsumersMissAPhase) {
  std::vector<Race> races;
  EXPECT_THAT(run({.k_tiles = 5, .fault = Fault::kNoEmptyWait}, races), HasSubstr("never ends"));
}

TEST(AsyncRaces, AStageGivenBackOneGroupTooEarlyIsOne) {
  // The producer does not know of the wait that comes behind the arrival.
  const std::vector<Race> races = races_of({.k_tiles = 5, .fault = Fault::kWaitShort});
  EXPECT_TRUE(has_race(races, RaceKind::kWriteAfterRead));
}

TEST(AsyncRaces, SumsReadBeforeTheirWaitAreOne) {
  EXPECT_TRUE(has_race(races_of({.fault = Fault::kEarlySums}), RaceKind::kReadOfOpenSums));
}

TEST(AsyncRaces, RegistersWrittenSinceTheArrivalOfTheGroupAreOne) {
  EXPECT_TRUE(has_race(races_of({.fault = Fault::kNoGroupArrive}), RaceKind::kMissingGroupFence));
}

TEST(AsyncGemm, ThatNeverEndsNamesWhoWaitsForWhichPhase) {
  std::vector<Race> races;
  EXPECT_THAT(
      run({.k_tiles = 5, .fault = Fault::kNoArrival}, races),
      HasSubstr("warp 4 waits at instruction 1 for parity 0 of the mbarrier at shared offset "
                "16, which is in phase 0, which lacks 4 of 4 arrivals and 0 bytes"));
}

TEST(AsyncGemm, ThatExpectsOtherBytesThanItCopiesNeverEnds) {
  std::vector<Race> races;
  EXPECT_THAT(run({.fault = Fault::kTooFewBytes}, races),
              HasSubstr("0 of 1 arrivals and -16 bytes"));
}

TEST(AsyncGemm, IsRefusedOnAGenerationWithoutIt) {
  const isa::KernelLaunch launch = AsyncGemm{}.launch();
  GlobalMemory memory(launch);
  const auto result = execute(launch, numerics::Generation::kAmpere, memory);
  ASSERT_FALSE(result.has_value());
  EXPECT_THAT(result.refusal().reason, HasSubstr("wgmma"));
}

}  // namespace
}  // namespace tcsim::functional::testing
