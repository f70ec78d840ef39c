#include "sim/report/sensitivity.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/report/network_report.hpp"

namespace tcsim::report {
namespace {

using testing::HasSubstr;

/// A run of 100 us whose clocks have answers that add up to -0.88.
Sensitivity answered() {
  return {25,
          100,
          0,
          {{"sm_clock", "SM clock", "sm_clock", {"clocks.sm_mhz=1763"}, 1.25, 88.2, -0.56},
           {"dram", "DRAM", "dram", {}, 1.25, 94.2, -0.27},
           {"launch", "launch overhead", "launch", {}, 1.25, 98.9, -0.05},
           {"tensor", "tensor rate", "sm_clock", {}, 1.25, 95.6, -0.2},
           {"register_ports", "register ports", "sm_clock", {}, 1, {}, {}, "nothing there"},
           {"sms", "SMs", "", {}, 1.25, 85.0, -0.73}}};
}

TEST(Sensitivity, AddsDomainsUpAndTellsTheRestOfAnSmByDifference) {
  EXPECT_NEAR(answered().sum_of_domains().value(), -0.88, 1e-12);
  EXPECT_NEAR(answered().rest_of_an_sm().value(), -0.36, 1e-12);
}

TEST(Sensitivity, HasNoSumWithoutADomain) {
  Sensitivity sensitivity = answered();
  sensitivity.answers.front().elasticity.reset();
  EXPECT_FALSE(sensitivity.sum_of_domains());
  EXPECT_FALSE(sensitivity.rest_of_an_sm());
}

TEST(Sensitivity, BindsByAPartAndNeverByTheClockOfAllOrTheNumberOfSms) {
  EXPECT_EQ(answered().binding().id, "sm_rest");
  Sensitivity sensitivity = answered();
  sensitivity.answers[3].elasticity = -0.5;
  EXPECT_EQ(sensitivity.binding().id, "tensor");
  EXPECT_EQ(sensitivity_sentence(sensitivity),
            "Time depends most on tensor rate: making it 1 % faster saves 0.50 %.");
}

TEST(Sensitivity, SaysWhatCouldNotBeFaster) {
  EXPECT_THAT(sensitivity_text(answered()), HasSubstr("nothing there"));
  EXPECT_TRUE(sensitivity_json(answered())["answers"][4]["time_us"].is_null());
  EXPECT_EQ(sensitivity_json(answered())["answers_most_to"], "sm_rest");
}

TEST(Sensitivity, OfANetworkIsOnTheScreenAndInMarkdown) {
  NetworkRun run;
  run.sensitivity = answered();
  EXPECT_THAT(network_text(run), HasSubstr(sensitivity_sentence(answered())));
  EXPECT_THAT(network_markdown(run), HasSubstr(sensitivity_sentence(answered())));
}

}  // namespace
}  // namespace tcsim::report
