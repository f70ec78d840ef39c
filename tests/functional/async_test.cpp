#include <gmock/gmock.h>

#include <cstring>
#include <string>

#include "models/functional/execute.hpp"
#include "models/numerics/convert.hpp"
#include "tests/functional/async_gemm.hpp"
#include "tests/functional/races.hpp"
#include "tests/functional/words.hpp"
#include "workloads/trace/tct.hpp"

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

/// One warpgroup that multiplies twice into the same registers, which are cleared each time.
std::vector<Race> races_of_products(const std::string& before, const std::string& between) {
  const std::string product =
      "HGMMA.64x8x16.F32 R24, gdesc[1024, lead=16, stride=1024, swizzle=128], gdesc[9216, lead=16, "
      "stride=1024, swizzle=128], R24 imm=3\nWARPGROUP.DEPBAR.LE 0\n";
  const isa::KernelLaunch launch = trace::read_tct(
      "tct 1\nkernel products\ngrid 1 1 1\nwarps 4\nregisters 64\nshared 16384\n"
      "buffer D output base=0 bytes=4096\nprogram main warps 0-3\n" +
          before + product + between + product + "EXIT\n",
      "k.tct");
  GlobalMemory memory(launch);
  const auto result = execute(launch, numerics::Generation::kHopper, memory);
  if (!result.has_value()) {
    ADD_FAILURE() << result.refusal().reason;
    return {};
  }
  return result.value().races;
}

TEST(AsyncRaces, AFirstProductWithoutAnArrivalOfTheGroupIsOneForEachWarp) {
  const std::vector<Race> races = races_of_products("", "");
  ASSERT_EQ(races.size(), 4U);
  EXPECT_EQ(races.back().kind, RaceKind::kNoGroupFence);
  EXPECT_EQ(to_string(races.back()),
            "CTA 0, register R24: warp 3 at 0x0000 computes without a WARPGROUP.ARRIVE before it "
            "(1 times in all)");
  EXPECT_THAT(races_of_products("WARPGROUP.ARRIVE\n", ""), IsEmpty());
}

TEST(AsyncRaces, SumsReadOrWrittenSinceTheArrivalOfTheGroupAreOneThoughTheyAreCleared) {
  const std::string arrive = "WARPGROUP.ARRIVE\n";
  for (const std::string access : {"STG.E [D + 4*lane], R24\n", "MOV R27, 1\n"}) {
    EXPECT_TRUE(has_race(races_of_products(arrive, access), RaceKind::kMissingGroupFence))
        << access;
    EXPECT_THAT(races_of_products(arrive, access + arrive), IsEmpty()) << access;
  }
}

TEST(AsyncGemm, ThatNeverEndsNamesWhoWaitsForWhichPhase) {
  std::vector<Race> races;
  EXPECT_THAT(
      run({.k_tiles = 5, .fault = Fault::kNoArrival}, races),
      HasSubstr("warp 4 waits at 0x0010 for parity 0 of the mbarrier at shared offset 16, which is "
                "in phase 0, which lacks 4 of 4 arrivals and 0 bytes"));
}

TEST(AsyncGemm, ThatExpectsOtherBytesThanItCopiesNeverEnds) {
  std::vector<Race> races;
  EXPECT_THAT(run({.fault = Fault::kTooFewBytes}, races),
              HasSubstr("0 of 1 arrivals and received 16 bytes more than it expects"));
}

/// Warp 0 initialises an mbarrier, warp 1 copies a box on it.
std::vector<Race> races_of_two_warps(const std::string& meeting) {
  const isa::KernelLaunch launch = trace::read_tct(
      "tct 1\nkernel copies\ngrid 1 1 1\nwarps 2\nregisters 32\nshared 4096\n"
      "buffer A input base=0 bytes=2048\n"
      "tensormap A buffer=A element=4 extents=512 strides=- box=256 swizzle=0\n"
      "program first warps 0\nSYNCS.EXCH.64 mbar[2048], 1\n" +
          meeting +
          "SYNCS.ARRIVE.TRANS64 mbar[2048], 1024\nSYNCS.PHASECHK.TRANS64.TRYWAIT mbar[2048], 0\n"
          "EXIT\nprogram second warps 1\n" +
          meeting + "UTMALDG.1D A[0] -> smem[0], mbar[2048]\nEXIT\n",
      "k.tct");
  GlobalMemory memory(launch);
  const auto result = execute(launch, numerics::Generation::kHopper, memory);
  EXPECT_TRUE(result.has_value()) << result.refusal().reason;
  return result.has_value() ? result.value().races : std::vector<Race>{};
}

TEST(AsyncRaces, ACopyUnorderedWithTheInitialisationOfItsMbarrierIsOne) {
  EXPECT_THAT(races_of_two_warps("BAR.SYNC 0\n"), IsEmpty());
  const std::vector<Race> races = races_of_two_warps("");
  ASSERT_EQ(races.size(), 1U);
  EXPECT_EQ(to_string(races.front()),
            "CTA 0, shared byte 2048: warp 1 at 0x0000 reads what warp 0 at 0x0000 writes with no "
            "barrier in between (8 bytes in all)");
}

// Tensors of rows of 32 words; each CTA has two boxes of four rows.
constexpr int kPitch = 32;
constexpr int kBoxRows = 4;

/// Two CTAs that load two boxes each and do `then` with them. The tensor of the sums has 28 columns
/// and three rows, of a buffer of four rows of 32.
isa::KernelLaunch boxes_and(const std::string& then) {
  return trace::read_tct(
      "tct 1\nkernel sums\ngrid 2 1 1\nwarps 1\nregisters 32\nshared 4096\n"
      "buffer A input base=0 bytes=2048\nbuffer D output base=4096 bytes=512\n"
      "tensormap parts buffer=A element=4 extents=32,16 strides=128 box=32,4 swizzle=128\n"
      "tensormap sums buffer=D element=4 extents=28,3 strides=128 box=32,4 swizzle=128\n"
      "program main warps 0\n"
      "SYNCS.EXCH.64 mbar[2048], 1\n"
      "SYNCS.ARRIVE.TRANS64 mbar[2048], 1024\n"
      "UTMALDG.2D parts[0, 8*ctaid.x] -> smem[0], mbar[2048]\n"
      "UTMALDG.2D parts[0, 8*ctaid.x + 4] -> smem[1024], mbar[2048]\n"
      "SYNCS.PHASECHK.TRANS64.TRYWAIT mbar[2048], 0\n" +
          then + "EXIT\n",
      "k.tct");
}

struct BoxRun {
  Words sums;
  std::vector<Race> races;
  std::string refusal;
};

BoxRun run_boxes(const std::string& then, const Words& parts, const Words& before) {
  const isa::KernelLaunch launch = boxes_and(then);
  GlobalMemory memory(launch);
  std::memcpy(memory.buffer("A").data(), parts.data(), parts.size() * 4);
  std::memcpy(memory.buffer("D").data(), before.data(), before.size() * 4);
  const auto result = execute(launch, numerics::Generation::kHopper, memory);
  if (!result.has_value()) return {.sums = {}, .races = {}, .refusal = result.refusal().reason};
  BoxRun done{.sums = before, .races = result.value().races, .refusal = {}};
  std::memcpy(done.sums.data(), memory.buffer("D").data(), before.size() * 4);
  return done;
}

/// Adds the box of `parts` from row `row` on to `sums` at column `x` and row `y`, as far as it lies
/// in its tensor.
void add_box(const Words& parts, int row, int x, int y, Words& sums) {
  for (int r = 0; r < kBoxRows; ++r)
    for (int c = 0; c < kPitch; ++c) {
      if (x + c < 0 || x + c >= 28 || y + r < 0 || y + r >= 3) continue;
      const int to = kPitch * (y + r) + x + c;
      const int from = kPitch * (row + r) + c;
      std::uint32_t& sum = sums[static_cast<std::size_t>(to)];
      sum = numerics::fp32_add(sum, parts[static_cast<std::size_t>(from)]);
    }
}

TEST(BoxSums, EqualThoseOfFp32InTheOrderOfTheirBoxes) {
  const Words parts = uneven_words(512, 1);
  const Words before = uneven_words(128, 2);
  const BoxRun done = run_boxes(
      "UTMAREDG.2D.ADD smem[0] -> sums[0, 0]\n"
      "UTMAREDG.2D.ADD smem[1024] -> sums[-4, -1]\n"
      "UTMACMDFLUSH\nDEPBAR.LE 0\n",
      parts, before);
  ASSERT_EQ(done.refusal, "");
  EXPECT_THAT(done.races, IsEmpty());
  const auto sums = [&](std::initializer_list<int> ctas) {
    Words words = before;
    for (const int cta : ctas) {
      add_box(parts, 8 * cta, 0, 0, words);
      add_box(parts, 8 * cta + 4, -4, -1, words);
    }
    return words;
  };
  EXPECT_EQ(done.sums, sums({0, 1}));
  EXPECT_NE(done.sums, sums({1, 0})) << "the order shows";
  for (std::size_t i = 96; i < 128; ++i) EXPECT_EQ(done.sums[i], before[i]) << "outside, " << i;
}

TEST(BoxSums, CountDenormalsAsZerosAsAtomicsDo) {
  const BoxRun done =
      run_boxes("UTMAREDG.2D.ADD smem[0] -> sums[0, 0]\nUTMACMDFLUSH\nDEPBAR.LE 0\n", Words(512, 1),
                Words(128, 0x8000'0002));
  ASSERT_EQ(done.refusal, "");
  EXPECT_EQ(done.sums[0], 0U);
  EXPECT_EQ(done.sums[127], 0x8000'0002);
}

/// What stores words of zeros over the box that is being added, `between` behind it.
std::string overwrite(const std::string& between) {
  return "UTMAREDG.2D.ADD smem[0] -> sums[0, 0]\nUTMACMDFLUSH\n" + between +
         "STS smem[4*lane], RZ\nDEPBAR.LE 0\n";
}

TEST(BoxSums, WantTheirBoxLeftAloneUntilItHasBeenRead) {
  const Words parts = uneven_words(512, 1);
  const Words before = uneven_words(128, 2);
  EXPECT_TRUE(has_race(run_boxes(overwrite(""), parts, before).races, RaceKind::kWriteToOpenRead));
  EXPECT_THAT(run_boxes(overwrite("DEPBAR.LE 0\n"), parts, before).races, IsEmpty());
}

TEST(BoxSums, WantAFenceBehindOrdinaryStores) {
  const auto stored_and = [](const std::string& fence) {
    return "STS smem[4*lane], RZ\n" + fence +
           "UTMAREDG.2D.ADD smem[0] -> sums[0, 0]\nUTMACMDFLUSH\nDEPBAR.LE 0\n";
  };
  const Words parts = uneven_words(512, 1);
  const Words before = uneven_words(128, 2);
  EXPECT_TRUE(has_race(run_boxes(stored_and(""), parts, before).races, RaceKind::kMissingFence));
  EXPECT_THAT(run_boxes(stored_and("FENCE.VIEW.ASYNC\n"), parts, before).races, IsEmpty());
}

TEST(BoxSums, MustHaveBeenReadBeforeTheirWarpEnds) {
  const BoxRun done =
      run_boxes("UTMAREDG.2D.ADD smem[0] -> sums[0, 0]\nUTMACMDFLUSH\n", Words(512), Words(128));
  EXPECT_THAT(done.refusal, HasSubstr("ends while TMA may still read"));
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
