#include "sim/sweep/plot_checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/config/error.hpp"
#include "tests/sweep/sweep_samples.hpp"

namespace tcsim::sweep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> plot_mistakes(const std::string& plots) {
  try {
    plan_of(
        "name: p\nmachines: [v100, lab-tiny]\n"
        "workloads: [\"gemm:{n}\", {name: two, parts: [\"gemm:{n}\", \"gemm:32\"]}]\n"
        "axes: {n: [32, 64]}\nplots:\n" +
        plots);
  } catch (const config::ConfigError& error) {
    return error.messages();
  }
  return {};
}

TEST(PlotChecks, ConditionsAreMetByAPoint) {
  EXPECT_THAT(plot_mistakes(
                  "  - {kind: curves, x: n, y: tflops, where: {machine: v10, n: 32}}\n"
                  "  - {kind: curves, name: b, x: n, y: tflops, where: {machine: v100, n: 64}}\n"),
              ElementsAre("s.yaml:6:54: plots.where: no point has machine: 'v10'"));
}

TEST(PlotChecks, AreasAreThoseOfAKnownChip) {
  EXPECT_THAT(
      plot_mistakes("  - {kind: pareto, x: time_us, y: area_mm2}\n"
                    "  - {kind: pareto, name: v, x: time_us, y: area_mm2, where: {machine: v100}}\n"
                    "  - {kind: parallel, axes: [machine, area_mm2, core_gates]}\n"),
      ElementsAre("s.yaml:6:5: plots.y: area_mm2: no areas are known for the chip of machine "
                  "'lab-tiny'",
                  HasSubstr("s.yaml:8:5: plots.axes: area_mm2: no areas are known")));
}

TEST(PlotChecks, SumsOverPartsHaveTimesAndRatesAlone) {
  EXPECT_THAT(
      plot_mistakes("  - {kind: curves, x: n, y: memory.l2_hit_rate, where: {workload: two}}\n"
                    "  - {kind: curves, x: n, y: tflops, where: {workload: two}}\n"),
      ElementsAre(
          "s.yaml:6:5: plots.y: memory.l2_hit_rate: the parts of workload 'two' have no sum "
          "of it"));
}

}  // namespace
}  // namespace tcsim::sweep
