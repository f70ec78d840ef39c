#include "sim/gpu/simulation.hpp"

#include <gtest/gtest.h>

#include "tests/gpu/result.hpp"
#include "tests/gpu/timed_kernel.hpp"
#include "tests/support/ampere_machine.hpp"

namespace tcsim::gpu::test {
namespace {

using namespace tcsim::test;  // NOLINT: the tests' own vocabulary

TEST(CtaPlacement, CtasAreDispatchedOneAfterTheOther) {
  EXPECT_EQ(run({timed_kernel(100, 4)}).outcome.cycles, kOverhead + 3 * kDispatch + 100);
}

TEST(CtaPlacement, TheNextCtaStartsAfterReleaseAndStart) {
  // The fifth CTA takes the slot of the first.
  EXPECT_EQ(run({timed_kernel(100, 5)}).outcome.cycles, kOverhead + 100 + kRelease + kStart + 100);
}

TEST(CtaSpread, TellsHowManyCtasSmsRanAndWhenTheyHadNoneLeft) {
  // Four CTAs, one after the other, then two more in the places of the first two.
  for (const auto& before : {std::vector<isa::KernelLaunch>{}, {timed_kernel(50, 3)}}) {
    const KernelSpan span = run_after(before, {timed_kernel(100, 6)}).outcome.kernels.at(0);
    const Cycle first_end = kOverhead + 100;
    const Cycle second = kRelease + kStart + 100;
    EXPECT_EQ(span.end, first_end + kDispatch + second);
    EXPECT_EQ(span.spread.fewest, 1);
    EXPECT_EQ(span.spread.most, 2);
    EXPECT_EQ(span.spread.first_done, first_end + 2 * kDispatch);
    EXPECT_EQ(span.spread.idle_cycles, kDispatch + (second - kDispatch) + (second - 2 * kDispatch));
    EXPECT_DOUBLE_EQ(span.tail_share(),
                     static_cast<double>(second - kDispatch) / static_cast<double>(span.end));
    EXPECT_DOUBLE_EQ(span.idle_share(4), static_cast<double>(span.spread.idle_cycles) /
                                             (4.0 * static_cast<double>(span.end)));
  }
}

TEST(CtaSpread, AnSmThatGetsNoCtaIsWithoutFromTheLaunchOn) {
  const std::vector<KernelSpan> spans =
      run({timed_kernel(100, 4), timed_kernel(100, 1)}).outcome.kernels;
  EXPECT_EQ(spans.at(0).spread.fewest, 1);
  EXPECT_EQ(spans.at(1).spread.fewest, 0);
  EXPECT_EQ(spans.at(1).spread.most, 1);
  EXPECT_EQ(spans.at(1).spread.first_done, spans.at(1).start);
  EXPECT_EQ(spans.at(1).spread.idle_cycles, 3 * (spans.at(1).end - spans.at(1).start));
  EXPECT_DOUBLE_EQ(spans.at(1).tail_share(), 1.0);
}

TEST(CtaPlacement, BreadthFirstTakesOneSmOfEachTpcFirst) {
  isa::KernelLaunch launch = timed_kernel(100, 3);
  launch.shared_bytes_per_cta = 0;
  const Result result = run({launch});
  EXPECT_EQ(result.at("sm[0].sub_core[0].warp_instructions"), 11u);
  EXPECT_EQ(result.at("sm[1].sub_core[0].warp_instructions"), 11u);
  EXPECT_EQ(result.at("sm[2].sub_core[0].warp_instructions"), 11u);
  EXPECT_EQ(result.at("sm[3].sub_core[0].warp_instructions"), 0u);
}

TEST(CtaPlacement, BreadthFirstGoesRoundTheGpcs) {
  config::Machine machine = ampere_machine();
  machine.gpu = {.sms = 8, .sms_per_tpc = 2, .sms_per_gpc = {4, 4}};
  const Result result = run({timed_kernel(100, 3)}, {}, machine);
  for (const int sm : {0, 4, 2})
    EXPECT_EQ(result.at("sm[" + std::to_string(sm) + "].sub_core[0].warp_instructions"), 11u);
  EXPECT_EQ(result.sum("warp_instructions"), 3u * 11);
}

TEST(CtaPlacement, DepthFirstFillsAnSmBeforeTheNext) {
  config::Machine machine = ampere_machine();
  machine.launch.cta_placement = "depth_first";
  isa::KernelLaunch launch = timed_kernel(1000, 3);
  launch.shared_bytes_per_cta = 70 * 1024;  // two per SM
  const Result result = run({launch}, {}, machine);
  EXPECT_EQ(result.at("sm[0].sub_core[0].warp_instructions"), 101u);
  EXPECT_EQ(result.at("sm[0].sub_core[1].warp_instructions"), 101u);
  EXPECT_EQ(result.sum("warp_instructions"), 3u * 101);
}

TEST(CtaPlacement, RoundRobinGoesOnWithTheNextSmWhateverHasBecomeFree) {
  const auto ctas_of = [](const std::string& placement) {
    config::Machine machine = ampere_machine();
    machine.launch.cta_placement = placement;
    machine.launch.cta_dispatch_interval_cycles = 10'000;  // all SMs are empty again
    const Result result = run({timed_kernel(1000, 6)}, {}, machine);
    std::vector<std::uint64_t> instructions;
    for (int sm = 0; sm < 4; ++sm) {
      std::uint64_t sum = 0;
      for (int sub_core = 0; sub_core < 4; ++sub_core)
        sum += result.at("sm[" + std::to_string(sm) + "].sub_core[" + std::to_string(sub_core) +
                         "].warp_instructions");
      instructions.push_back(sum / 101);
    }
    return instructions;
  };
  // The order of the SMs is 0, 2, 1, 3.
  EXPECT_EQ(ctas_of("breadth_first"), (std::vector<std::uint64_t>{6, 0, 0, 0}));
  EXPECT_EQ(ctas_of("round_robin"), (std::vector<std::uint64_t>{2, 1, 2, 1}));
}

}  // namespace
}  // namespace tcsim::gpu::test
