#include "sim/validate/scatter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tcsim::validate {
namespace {

using ::testing::HasSubstr;

Comparison comparison(double measured_us, double simulated_us) {
  Comparison row;
  row.measurement.gpu = "A<B";
  row.measurement.dtype = "fp16";
  row.measurement.workload = "gemm:64";
  row.measurement.time_us = measured_us;
  row.simulated_us = simulated_us;
  return row;
}

TEST(Scatter, NamesEveryDotAndSeries) {
  const std::string svg = scatter_svg({comparison(100, 150)});
  EXPECT_THAT(svg, HasSubstr("gemm:64 on A&lt;B: measured 100 us, simulated 150 us (+50.0 %)"));
  EXPECT_THAT(svg, HasSubstr("A&lt;B fp16 (1)"));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
}

TEST(Scatter, HasASeriesForEveryGpuAndType) {
  std::vector<Comparison> rows{comparison(10, 10), comparison(20, 20), comparison(30, 30)};
  rows[1].measurement.dtype = "bf16";
  const std::string svg = scatter_svg(rows);
  EXPECT_THAT(svg, HasSubstr("A&lt;B bf16 (1)"));
  EXPECT_THAT(svg, HasSubstr("A&lt;B fp16 (2)"));
}

}  // namespace
}  // namespace tcsim::validate
