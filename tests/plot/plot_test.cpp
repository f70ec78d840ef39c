#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <regex>
#include <set>
#include <stdexcept>

#include "sim/plot/bars.hpp"
#include "sim/plot/chart.hpp"
#include "sim/plot/log_scale.hpp"
#include "sim/plot/roofline.hpp"
#include "sim/plot/scatter.hpp"
#include "sim/plot/strips.hpp"

namespace tcsim::plot {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

Roofline toy_roofline() {
  Roofline roofline;
  roofline.title = "Toy <roofline>";
  roofline.ceilings = {{"tensor fp16", 100}};
  roofline.slopes = {{"DRAM", 1000}, {"L2", 4000}};
  roofline.dots = {{"kernel", 50, 40, 0}};
  roofline.legend = {"a kernel"};
  return roofline;
}

TEST(Roofline, DrawsOneLineForCeilingsOfOneRate) {
  Roofline roofline = toy_roofline();
  for (const char* name : {"tensor fp16", "tensor bf16", "fp16"})
    add_ceiling(roofline, {name, 100});
  add_ceiling(roofline, {"tensor tf32", 50});
  ASSERT_EQ(roofline.ceilings.size(), 2U);
  EXPECT_EQ(roofline.ceilings[0].name, "tensor fp16, tensor bf16");
  EXPECT_EQ(roofline.ceilings[1].name, "tensor tf32");
}

TEST(LogScale, HoldsEveryValueInWholeDecades) {
  const LogScale scale = LogScale::over(3, 250);
  EXPECT_EQ(scale.first, 0);
  EXPECT_EQ(scale.last, 3);
  EXPECT_DOUBLE_EQ(scale.position(1), 0.0);
  EXPECT_DOUBLE_EQ(scale.position(1000), 1.0);
  EXPECT_DOUBLE_EQ(scale.value(scale.position(42)), 42);
}

TEST(LogScale, RefusesWhatHasNoLogarithm) {
  const double nan = std::nan("");
  for (const auto& [least, most] :
       {std::pair{0.0, 1.0}, {-1.0, 1.0}, {nan, 1.0}, {1.0, nan}, {2.0, 1.0}, {1.0, HUGE_VAL}})
    EXPECT_THROW((void)LogScale::over(least, most), std::invalid_argument) << least << ' ' << most;
}

TEST(LogScale, HasADecadeForASingleValue) { EXPECT_EQ(LogScale::over(10, 10).last, 2); }

TEST(Drawing, SpeaksToScreenReadersAndEscapesWords) {
  Drawing drawing(100, 50, "A < B", "Two & more");
  drawing.text(1, 2, "x < y", "label");
  const std::string svg = drawing.svg(Theme::kPage);
  EXPECT_THAT(svg, HasSubstr("<title>A &lt; B</title>\n<desc>Two &amp; more</desc>"));
  EXPECT_THAT(svg, HasSubstr(">x &lt; y</text>"));
  EXPECT_THAT(svg, Not(HasSubstr("<style>")));
}

TEST(Drawing, CarriesItsColoursWhenItStandsAlone) {
  const std::string svg = Drawing(100, 50, "A", "B").svg(Theme::kFile);
  EXPECT_THAT(svg, HasSubstr("<style>"));
  EXPECT_THAT(svg, HasSubstr("viewBox=\"-16 -40 132 106\""));
  EXPECT_THAT(svg, HasSubstr("class=\"heading\">A</text>"));
}

TEST(Drawing, SaysUnderItsTitleWhatItShowsAsFarAsThereIsRoom) {
  Drawing drawing(100, 50, "A", "B");
  drawing.set_setting("a100, clocks.sm_mhz=1000");
  EXPECT_THAT(drawing.svg(Theme::kFile), HasSubstr("class=\"label\">a100, clocks....</text>"));
  EXPECT_THAT(drawing.svg(Theme::kFile), HasSubstr("viewBox=\"-16 -58 132 124\""));
  EXPECT_THAT(drawing.svg(Theme::kPage), Not(HasSubstr("a100"))) << "the page says it";
}

Scatter dots(std::size_t series) {
  Scatter scatter{
      .title = "S", .x_name = "x", .y_name = "y", .band = 0.1, .dots = {}, .legend = {}};
  for (std::size_t i = 0; i < series; ++i) {
    scatter.dots.push_back({10, 10, i, "dot"});
    scatter.legend.emplace_back("series");
  }
  return scatter;
}

TEST(Scatter, PutsEqualQuantitiesOnTheDiagonal) {
  Scatter scatter = dots(1);
  scatter.dots.push_back({1000, 1000, 0, "far"});
  const std::string svg = scatter_svg(scatter, Theme::kPage);
  // Decades 10 to 1000: corners of a field of 560 pixels; circles start at their left edge.
  EXPECT_THAT(svg, HasSubstr("<path d=\"M58.4 570.0a"));
  EXPECT_THAT(svg, HasSubstr("<path d=\"M618.4 10.0a"));
  EXPECT_THAT(svg, HasSubstr("<title>far</title>"));
}

TEST(Scatter, TellsSixtySeriesApart) {
  std::set<std::string> looks;
  const std::string svg = scatter_svg(dots(60), Theme::kPage);
  const std::regex look("<path d=\"[^a-z]*([^\"]*)\" class=\"dot (s[0-9]+)\"");
  for (std::sregex_iterator found(svg.begin(), svg.end(), look), end; found != end; ++found)
    looks.insert((*found)[1].str() + (*found)[2].str());
  EXPECT_EQ(looks.size(), 60u);
  EXPECT_THAT(svg, HasSubstr("y=\"1204.0\" class=\"label\""));
  EXPECT_THAT(svg, HasSubstr("viewBox=\"0 0 872 1220\""));
}

TEST(Scatter, TheBandIsAsFarBelowTheDiagonalAsAboveInShares) {
  // One decade over 560 pixels: log10(1.5) is 98.6 of them, log10(0.5) -168.6.
  Scatter scatter = dots(1);
  scatter.band = 0.5;
  EXPECT_THAT(scatter_svg(scatter, Theme::kPage),
              HasSubstr("<path d=\"M62.0 570.0V471.4L523.4 10.0H622.0V178.6L230.6 570.0Z\""));
}

TEST(Roofline, AttainsTheLowerOfSlopeAndCeiling) {
  EXPECT_DOUBLE_EQ(attainable(100, 1000, 50), 50);
  EXPECT_DOUBLE_EQ(attainable(100, 1000, 100), 100);
  EXPECT_DOUBLE_EQ(attainable(100, 1000, 200), 100);
}

TEST(Roofline, DrawsEveryCeilingSlopeAndDotAndSaysThem) {
  const std::string svg = roofline_svg(toy_roofline(), Theme::kPage);
  EXPECT_EQ(count(svg, "class=\"ceiling\""), 1U);
  EXPECT_EQ(count(svg, "class=\"slope\""), 2U);
  EXPECT_EQ(count(svg, "class=\"s0\"><title>kernel"), 1U);
  EXPECT_THAT(svg, HasSubstr("kernel: 40 x 10^12 operations per second at 50 operations per byte"));
  EXPECT_THAT(svg, Not(HasSubstr("guide")));
}

TEST(Roofline, PutsADotWhereItsNumbersSay) {
  // x from 1 to 1000 over 638 pixels, y from 10 to 1000 over 304.
  EXPECT_THAT(roofline_svg(toy_roofline(), Theme::kPage),
              HasSubstr("<circle cx=\"423.3\" cy=\"228.5\""));
}

TEST(Roofline, WritesNamesOverAllLinesWithAHalo) {
  Roofline roofline = toy_roofline();
  roofline.best_intensity = 300;
  const std::string svg = roofline_svg(roofline, Theme::kFile);
  EXPECT_EQ(count(svg, "class=\"label small halo\""), 4U);
  EXPECT_GT(svg.find(" GB/s</text>"), svg.rfind("class=\"ceiling\""));
  EXPECT_THAT(svg, HasSubstr(".halo{paint-order:stroke;stroke:#fff"));
}

TEST(Roofline, MarksTheLeastTraffic) {
  Roofline roofline = toy_roofline();
  roofline.best_intensity = 300;
  EXPECT_THAT(roofline_svg(roofline, Theme::kPage), HasSubstr("minimum traffic"));
}

TEST(Roofline, HasAFormForTerminals) {
  const std::string text = roofline_ascii(toy_roofline());
  EXPECT_THAT(text, HasSubstr("  A kernel: 40 at 50 per byte\n"));
  EXPECT_EQ(count(text, "|"), 20U);
  EXPECT_EQ(count(text.substr(0, text.find("+--")), "A"), 1U);
}

TEST(Bars, AreAsLongAsTheirValues) {
  const Bars bars{"B", {{"one", 0.5, "50 %", 0}, {"two", 2, "200 %", 1}}, 1, 0, {}};
  EXPECT_EQ(bars_ascii(bars),
            "  one |####################                    | 50 %\n"
            "  two |########################################| 200 %\n");
  const std::string svg = bars_svg(bars, Theme::kPage);
  // The room is 720 - 60 - 175 pixels; the second bar is cut.
  EXPECT_THAT(svg, HasSubstr("width=\"242.5\" height=\"16.0\" class=\"s0\""));
  EXPECT_THAT(svg, HasSubstr("width=\"485.0\" height=\"16.0\" class=\"s1\""));
}

TEST(Bars, CutLabelsThatHaveNoRoom) {
  const std::string label(60, 'm');
  const std::string svg = bars_svg({"B", {{label, 1, "1", 0}}, 1, 0, {}}, Theme::kPage);
  EXPECT_THAT(svg, HasSubstr("mmm...</text>"));
  EXPECT_THAT(svg, HasSubstr("<title>" + label + ": 1</title>"));
}

TEST(StackedBars, FillTheWidthAndNameOnlyWhatIsThere) {
  const StackedBars bars{"S", {"busy", "never", "idle"}, {{"run", {30, 0, 10}}}};
  const std::string svg = stacked_bars_svg(bars, Theme::kPage);
  EXPECT_THAT(svg, HasSubstr("width=\"540.0\" height=\"26.0\" class=\"s0\""));
  EXPECT_THAT(svg, HasSubstr("width=\"180.0\" height=\"26.0\" class=\"s2\""));
  EXPECT_THAT(svg, HasSubstr(">busy 75.0 %</text>"));
  EXPECT_THAT(svg, Not(HasSubstr(">never")));
  EXPECT_THAT(stacked_bars_ascii(bars), HasSubstr("  idle |##########"));
}

TEST(Strips, DrawAnAreaPerRowAndSayTheirMeans) {
  const Strips strips{"T", "microseconds", {1, 2, 4}, {{"DRAM", {1, 0, 0.5}, "900 GB/s"}}};
  const std::string svg = strips_svg(strips, Theme::kPage);
  EXPECT_THAT(svg, HasSubstr("DRAM: 50.0 % of 900 GB/s on average."));
  EXPECT_THAT(svg, HasSubstr("d=\"M132.0 40.0V4.0H277.0V40.0H422.0V22.0H712.0V40.0Z\""));
}

TEST(Strips, HaveAFormForTerminals) {
  const Strips strips{"T", "us", {1, 2}, {{"x", {1, 0}, "all"}}};
  EXPECT_THAT(strips_ascii(strips),
              HasSubstr("  x |" + std::string(32, '@') + std::string(32, ' ') + "| @ = all\n"));
}

TEST(Chart, MakesRoomForLongNamesOfRows) {
  Chart chart("title", "x", "y");
  chart.y_label(0.5, "1e+06");
  EXPECT_THAT(chart.svg(), HasSubstr("viewBox=\"0 0 "));
  EXPECT_THAT(chart.svg(), HasSubstr("translate(20 "));
  chart.y_label(0.5, "0.000222");
  EXPECT_THAT(chart.svg(), HasSubstr("viewBox=\"-8 0 "));
  EXPECT_THAT(chart.svg(), HasSubstr("translate(12 "));
  chart.y_label(0.5, "sixteen letters.");
  EXPECT_THAT(chart.svg(), HasSubstr("viewBox=\"-69 0 "));
  EXPECT_THAT(chart.svg(), HasSubstr("translate(-49 "));
}

}  // namespace
}  // namespace tcsim::plot
