#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "tests/functional/gemm_values.hpp"
#include "tests/functional/small_launch.hpp"
#include "workloads/trace/tct.hpp"

namespace tcsim::functional::testing {
namespace {

using isa::Opcode;
using isa::Variable;
using ::testing::IsEmpty;

constexpr std::size_t kResult = 512;  // byte offset of what the warps read back

/// Both warps own the same row; `copy` brings it in, then it is read back to kResult.
GlobalMemory copied(const isa::MemoryAccess& copy, const isa::Guard& guard) {
  const isa::KernelLaunch launch =
      small_launch(2, {.instructions = {memory(Opcode::kLdgsts32, 0, 0), plain(Opcode::kLdgdepbar),
                                        plain(Opcode::kDepbar), plain(Opcode::kBarSync),
                                        memory(Opcode::kLds32, 1), memory(Opcode::kStg32, 2)},
                       .accesses = {copy, common_row(), common_row(kResult)},
                       .guards = {guard}});
  GlobalMemory global(launch);
  for (std::size_t i = 0; i < kResult; ++i)
    global.buffer(0)[i] = static_cast<std::uint8_t>(i % 4 == 0 ? i / 4 + 1 : 0);
  const auto result = execute(launch, numerics::Generation::kAmpere, global);
  EXPECT_TRUE(result.has_value());
  EXPECT_EQ(result.value().racing_bytes, 0);
  return global;
}

TEST(Copies, LanesThatFailTheSourceGuardWriteZeros) {
  isa::MemoryAccess copy = common_row();
  copy.source = {{{{0, {{Variable::kLane, 1}}}, 16}}};
  const GlobalMemory global = copied(copy, warps_below(1));
  for (std::size_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(global.buffer(0)[kResult + 4 * lane], lane < 16 ? lane + 1 : 0) << lane;
}

TEST(Copies, LanesThatFailTheSourceGuardReadNothing) {
  isa::MemoryAccess copy = common_row();
  copy.global.offset.terms = {{Variable::kLane, 64}};  // lanes from 16 on lie outside the buffer
  copy.source = {{{{0, {{Variable::kLane, 1}}}, 8}}};
  const GlobalMemory global = copied(copy, warps_below(1));
  EXPECT_EQ(global.buffer(0)[kResult + 4 * 7], 7 * 16 + 1);
  EXPECT_EQ(global.buffer(0)[kResult + 4 * 8], 0);
}

TEST(Copies, LanesThatFailTheInstructionsGuardWriteNothing) {
  isa::MemoryAccess copy = common_row();
  copy.source = {{{{0, {{Variable::kWarp, 1}}}, 1}}};  // the second warp would write zeros
  const GlobalMemory global = copied(copy, warps_below(1));
  EXPECT_EQ(global.buffer(0)[kResult + 4 * 31], 32);
}

const std::string wait_for_groups = "LDGDEPBAR\nDEPBAR.LE 0\n";
const std::string wait_for_phase = "SYNCS.PHASECHK.TRANS64.TRYWAIT mbar[512], 0\n";
const std::string read_back = "LDS.128 R8, smem[16*lane]\nSTG.E.128 [R4: D + 16*lane], R8\n";

/// Warp 0 copies A, tells an mbarrier of it and goes on with `copier`; warp 1 runs `reader`.
/// Returns the races; one of them must bring A to D unless there are any.
std::vector<Race> races_of_told_copies(const std::string& copier, const std::string& reader) {
  const isa::KernelLaunch launch = trace::read_tct(
      "tct 1\nkernel told\ngrid 1 1 1\nwarps 2\nregisters 32\nshared 1024\n"
      "buffer A input base=0 bytes=512\nbuffer D output base=512 bytes=512\n"
      "program copier warps 0\n"
      "SYNCS.EXCH.64 mbar[512], 1\nBAR.SYNC 0\n"
      "LDGSTS.E.128 [R4: A + 16*lane] -> smem[16*lane]\nARRIVES.LDGSTSBAR.64 mbar[512]\n" +
          copier + "EXIT\nprogram reader warps 1\nBAR.SYNC 0\n" + reader + "EXIT\n",
      "k.tct");
  GlobalMemory global(launch);
  std::iota(global.buffer("A").begin(), global.buffer("A").end(), std::uint8_t{1});
  const auto result = execute(launch, numerics::Generation::kHopper, global);
  if (!result.has_value()) {
    ADD_FAILURE() << result.refusal().reason;
    return {};
  }
  if (result.value().races.empty()) {
    EXPECT_TRUE(std::ranges::equal(global.buffer("A"), global.buffer("D")));
  }
  return result.value().races;
}

TEST(Copies, ThatAnMbarrierKnowsAreStillWaitedForByGroup) {
  EXPECT_THAT(races_of_told_copies(wait_for_groups + read_back, ""), IsEmpty());
  EXPECT_THAT(races_of_told_copies(wait_for_groups + read_back + wait_for_phase, ""), IsEmpty());
  EXPECT_THAT(races_of_told_copies(wait_for_phase + read_back + wait_for_groups, ""), IsEmpty());
}

TEST(Copies, ThatTheirWarpHasWaitedForAreKnownFromTheirPhaseToo) {
  EXPECT_THAT(races_of_told_copies(wait_for_groups, wait_for_phase + read_back), IsEmpty());
  EXPECT_FALSE(races_of_told_copies(wait_for_groups, read_back).empty());
}

}  // namespace
}  // namespace tcsim::functional::testing
