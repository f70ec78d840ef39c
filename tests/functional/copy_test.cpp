#include <gtest/gtest.h>

#include "tests/functional/gemm_values.hpp"
#include "tests/functional/small_launch.hpp"

namespace tcsim::functional::testing {
namespace {

using isa::Opcode;
using isa::Variable;

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

}  // namespace
}  // namespace tcsim::functional::testing
