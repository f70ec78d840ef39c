#include "sim/report/network_totals.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/report/json_report.hpp"
#include "tests/report/fake_gpu.hpp"

namespace tcsim::report {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

Json kernel(int start_cycle, int end_cycle, int mmas) {
  Json one = run_json(fake_record()).at("kernels").front();
  one["start_cycle"] = start_cycle;
  one["end_cycle"] = end_cycle;
  one["time_us"] = (end_cycle - start_cycle) / 1000.0;
  one["mma_instructions"] = mmas;
  return one;
}

/// A step of 1 us with 400 MMAs, in whose time the tensor pipes are active for 0.4 us.
NetworkRun run_of(std::vector<Json> kernels) {
  NetworkStep step{"attention", "forward", "attn", false, false, run_json(fake_record())};
  step.result["pipe_active"] = 0.4;
  step.result["kernels"] = std::move(kernels);
  NetworkRun run;
  run.steps.push_back(std::move(step));
  return run;
}

TEST(NetworkTotals, TimeOnTensorCoresIsThatOfKernelsWithMmas) {
  const NetworkRun run = run_of({kernel(0, 150, 0), kernel(150, 950, 400), kernel(950, 1000, 0)});
  const NetworkTotals totals = totals_of(run);
  EXPECT_DOUBLE_EQ(totals.tensor_time_us, 0.8);
  EXPECT_THAT(network_text(run),
              HasSubstr("kernels on tensor cores take 80.0 % of the time; in that time the tensor "
                        "pipes are 50.0 % busy\n"));
  EXPECT_DOUBLE_EQ(network_json(run).at("tensor_core_time_share").get<double>(), 0.8);
}

TEST(NetworkTotals, AStoppedKernelHasTheRestOfItsStep) {
  EXPECT_DOUBLE_EQ(totals_of(run_of({kernel(0, 0, 0)})).tensor_time_us, 1);
  EXPECT_DOUBLE_EQ(totals_of(run_of({kernel(0, 200, 0), kernel(200, 0, 0)})).tensor_time_us, 0.8);
  EXPECT_DOUBLE_EQ(totals_of(run_of({kernel(0, 200, 400), kernel(200, 0, 0)})).tensor_time_us, 0.2);
}

TEST(NetworkTotals, ASmallRateHasDigitsThatCount) {
  NetworkRun run = run_of({kernel(0, 1000, 400)});
  run.steps.front().result["flop"] = 2.8e4;
  const std::string text = network_text(run);
  EXPECT_THAT(text, HasSubstr(" 0.028 TFLOPS (0.70 % of 4.0)\n"));
  EXPECT_THAT(text, HasSubstr("  100.0   0.028  tensor_cores\n"));  // of the layer
}

}  // namespace
}  // namespace tcsim::report
