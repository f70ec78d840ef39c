// A sampled run hears of a stop while it takes the L2 through what it leaves out.

#include <gtest/gtest.h>

#include "sim/library/load.hpp"
#include "tests/gpu/result.hpp"
#include "tests/gpu/sampled_kernel.hpp"

namespace tcsim::gpu::test {
namespace {

constexpr Cycle kNever = -1;

/// A sampled run of `launches` that is stopped the second time it asks at one cycle, which it does
/// in the making of a gap alone; `at` becomes that cycle.
Result stopped_in_a_gap(const std::vector<isa::KernelLaunch>& launches,
                        const config::Machine& machine, Cycle& at) {
  Cycle last = kNever;
  at = kNever;
  return run(launches, {.sampling = SamplingOptions{0.02}}, machine, [&](const Progress& progress) {
    if (progress.now == last) at = last;
    last = progress.now;
    return at == kNever;
  });
}

void expect_a_stop_in_a_gap(const std::vector<isa::KernelLaunch>& launches,
                            const config::Machine& machine) {
  Cycle at = kNever;
  const Result result = stopped_in_a_gap(launches, machine, at);
  ASSERT_NE(at, kNever) << "nobody was asked";
  EXPECT_EQ(result.outcome.stop, StopReason::kInterrupted);
  EXPECT_EQ(result.outcome.cycles, at);
  EXPECT_EQ(result.outcome.sampling.gaps, 0) << "the gap was not made";
}

TEST(SampledStop, IsHeardWhileWavesAreLeftOut) {
  const config::Machine machine = library::load_machine("lab-tiny");
  std::string body;
  for (int load = 0; load < 20; ++load)
    body += "    LDG.E.128 R8, [R4: A + 16*lane + 512*warp + 2048*i0]\n";
  expect_a_stop_in_a_gap(sampled_kernel(machine, 1000, "20", body), machine);
}

TEST(SampledStop, IsHeardWhileTripsAreLeftOut) {
  const config::Machine machine = library::load_machine("lab-tiny");
  const std::string body =
      "    loop i1 < 160\n"
      "      LDG.E.128 R8, [R4: A + 16*lane + 512*warp + 2048*i1]\n"
      "    end\n";
  expect_a_stop_in_a_gap(sampled_kernel(machine, 8, "400", body), machine);
}

}  // namespace
}  // namespace tcsim::gpu::test
