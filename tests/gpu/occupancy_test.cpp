#include <gtest/gtest.h>

#include "sim/gpu/occupancy.hpp"
#include "tests/support/ampere_machine.hpp"
#include "tests/support/program.hpp"

namespace tcsim::gpu::test {
namespace {

using namespace tcsim::test;  // NOLINT: the tests' own vocabulary

isa::KernelLaunch kernel(int warps, int registers, int shared_bytes) {
  isa::KernelLaunch launch =
      make_launch({exit_only()}, std::vector<int>(static_cast<std::size_t>(warps), 0));
  launch.registers_per_thread = registers;
  launch.shared_bytes_per_cta = shared_bytes;
  return launch;
}

void expect_occupancy(const isa::KernelLaunch& launch, int ctas, const std::string& limit) {
  const Occupancy found = occupancy(ampere_machine(), launch);
  EXPECT_EQ(found.ctas_per_sm, ctas);
  EXPECT_EQ(found.limit, limit);
}

TEST(Occupancy, IsBoundByRegistersOfASubCore) {
  // 16384 registers per sub-core; 128 per thread are 4096 per warp: four warps.
  expect_occupancy(kernel(4, 128, 0), 4, "registers");
  expect_occupancy(kernel(8, 128, 0), 2, "registers");
  // Five warps: sixteen fit the SM, and the next CTA begins on the sub-core after the last one's.
  expect_occupancy(kernel(5, 128, 0), 3, "registers");
}

TEST(Occupancy, RoundsAWarpsRegistersUp) {
  expect_occupancy(kernel(4, 64, 0), 8, "registers");  // 2048 per warp
  expect_occupancy(kernel(4, 65, 0), 7, "registers");  // 2080, rounded up to 2304
  expect_occupancy(kernel(4, 72, 0), 7, "registers");  // 2304
  expect_occupancy(kernel(4, 73, 0), 6, "registers");  // 2336, up to 2560
}

TEST(Occupancy, IsBoundBySharedMemoryAndItsReserve) {
  expect_occupancy(kernel(4, 32, 40 * 1024), 4, "shared memory");  // 41 KB each of 164
  expect_occupancy(kernel(4, 32, 40 * 1024 + 1), 3,
                   "shared memory");  // rounded up to 128 bytes more
  expect_occupancy(kernel(4, 32, 81 * 1024), 2, "shared memory");
  expect_occupancy(kernel(4, 32, 163 * 1024), 1, "shared memory");
}

TEST(Occupancy, IsBoundByWarps) {
  expect_occupancy(kernel(16, 16, 0), 4, "warps");
  expect_occupancy(kernel(32, 16, 0), 2, "warps");
  expect_occupancy(kernel(9, 16, 0), 7, "warps");
}

TEST(Occupancy, IsBoundByCtas) {
  expect_occupancy(kernel(1, 16, 0), 32, "CTAs");
  config::Machine machine = ampere_machine();
  machine.sm.residency.max_ctas = 8;
  const Occupancy found = occupancy(machine, kernel(4, 16, 0));
  EXPECT_EQ(found.ctas_per_sm, 8);
  EXPECT_EQ(found.limit, "CTAs");
}

TEST(Occupancy, IsZeroWhereACtaDoesNotFit) {
  expect_occupancy(kernel(4, 32, 163 * 1024 + 1), 0, "shared memory of a CTA");
  expect_occupancy(kernel(1, 256, 0), 0, "registers of a thread");
  EXPECT_EQ(occupancy(ampere_machine(), kernel(32, 80, 0)).ctas_per_sm, 0);
  config::Machine machine = ampere_machine();
  machine.sm.residency.max_threads_per_cta = 512;
  EXPECT_EQ(occupancy(machine, kernel(17, 16, 0)).ctas_per_sm, 0);
  EXPECT_EQ(occupancy(machine, kernel(17, 16, 0)).limit, "threads of a CTA");
}

}  // namespace
}  // namespace tcsim::gpu::test
