#include "sim/plot/lanes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tcsim::plot {
namespace {

using ::testing::HasSubstr;

Lanes example() {
  return {"Steps",
          "microseconds",
          4,
          {{"gemm", {{0, 3, 0, "first: 3 us"}}}, {"add", {{3, 4, 1, "second <1 us>"}}}},
          {"gemm", "add"}};
}

TEST(Lanes, SpansLieWhereTheirTimesAre) {
  const std::string svg = lanes_svg(example(), Theme::kPage);
  // The field is 580 pixels wide from 132 on.
  EXPECT_THAT(svg, HasSubstr("x=\"132.0\""));
  EXPECT_THAT(svg, HasSubstr("width=\"435.0\""));
  EXPECT_THAT(svg, HasSubstr("x=\"567.0\""));
  EXPECT_THAT(svg, HasSubstr("gemm: gemm 75.0 %"));
  EXPECT_THAT(svg, HasSubstr("second &lt;1 us&gt;"));
}

TEST(Lanes, InATerminalAreLettersWithALegend) {
  const std::string text = lanes_ascii(example());
  EXPECT_THAT(text, HasSubstr("gemm |" + std::string(48, 'a') + std::string(16, ' ') + "|"));
  EXPECT_THAT(text, HasSubstr("add  |" + std::string(48, ' ') + std::string(16, 'b') + "|"));
  EXPECT_THAT(text, HasSubstr("b = add"));
}

}  // namespace
}  // namespace tcsim::plot
