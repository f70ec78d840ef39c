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

TEST(Scatter, PutsEqualTimesOnTheDiagonal) {
  const std::string svg = scatter_svg({comparison(10, 10), comparison(1000, 1000)});
  // Decades 10 us to 1 ms: the first dot lies in the lower left corner, the second in the other.
  EXPECT_THAT(svg, HasSubstr("<circle cx=\"80.0\" cy=\"610.0\" r=\"3\""));
  EXPECT_THAT(svg, HasSubstr("<circle cx=\"640.0\" cy=\"50.0\" r=\"3\""));
  EXPECT_THAT(svg, HasSubstr(">10 us<"));
  EXPECT_THAT(svg, HasSubstr(">1 ms<"));
}

TEST(Scatter, NamesEveryDotAndSeries) {
  const std::string svg = scatter_svg({comparison(100, 150)});
  EXPECT_THAT(svg, HasSubstr("gemm:64 on A&lt;B: measured 100 us, simulated 150 us (+50.0 %)"));
  EXPECT_THAT(svg, HasSubstr("A&lt;B fp16 (1)"));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
}

}  // namespace
}  // namespace tcsim::validate
