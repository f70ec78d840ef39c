#include "sim/run/repetition.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sim/run/session.hpp"
#include "tests/run/request_of.hpp"

namespace tcsim::run {
namespace {

/// Of the first kernel of `workload` on `machine`.
Repetition repetition(const char* workload, const char* machine) {
  const RunRequest request =
      request_of(fmt::format("{{workload: \"{}\", machine: {}}}", workload, machine));
  const Session session(request, workload::parse_workload(request.workload).front(), {});
  return repetition_of(session.prepared().launches.front(), session.machine());
}

TEST(Repetition, OfAProductIsItsTripsAlongKAndItsWaves) {
  const Repetition once = repetition("gemm:m=512,n=512,k=1024", "lab-tiny");
  const Repetition deeper = repetition("gemm:m=512,n=512,k=2048", "lab-tiny");
  const Repetition wider = repetition("gemm:m=512,n=1024,k=1024", "lab-tiny");
  EXPECT_GT(once.trips, 1);
  EXPECT_EQ(deeper.trips, 2 * once.trips);
  EXPECT_GT(once.waves, 0);
  EXPECT_DOUBLE_EQ(wider.waves, 2 * once.waves);
}

TEST(Repetition, OfWarpSpecialisedCtasIsThatOfATileOfTheirs) {
  constexpr std::int64_t kTileK = 64;
  const std::int64_t trips = repetition("gemm:m=4096,n=4096,k=4096", "h100").trips;
  EXPECT_LE(trips, 4096 / kTileK);
  EXPECT_GE(trips, 4096 / kTileK - 1) << "a first one may stand before the loop";
  EXPECT_EQ(repetition("gemm:m=4096,n=4096,k=8192", "h100").trips, trips + 4096 / kTileK);
}

/// The eight blocks of queries of a head differ, and recur with every head.
TEST(Repetition, OfCtasThatDifferIsThatOfWaves) {
  EXPECT_GT(repetition("attn:heads=128,n=1024,d=64", "a100").trips, 0);
  const Repetition causal = repetition("attn:heads=128,n=1024,d=64,causal=1", "a100");
  EXPECT_EQ(causal.trips, 0);
  EXPECT_GT(causal.waves, 1);
}

TEST(Repetition, PersistentCtasHaveNoWavesToLeaveOut) {
  EXPECT_EQ(repetition("gemm:m=4096,n=4096,k=4096", "h100").waves, 0);
}

TEST(Repetition, ARestOfElementsBehindTheVectorsLeavesCtasEqual) {
  EXPECT_DOUBLE_EQ(repetition("add:rows=1,cols=2000001", "a100").waves,
                   repetition("add:rows=1,cols=2000000", "a100").waves);
}

}  // namespace
}  // namespace tcsim::run
