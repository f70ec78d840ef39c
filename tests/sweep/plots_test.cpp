#include "sim/sweep/plots.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <regex>
#include <set>
#include <stdexcept>

#include "sim/plot/chart.hpp"
#include "sim/sweep/plot_data.hpp"
#include "tests/support/refusal.hpp"

namespace tcsim::sweep {

using plot::Scale;

namespace {

using testing::HasSubstr;

Total total(std::string machine, std::string n, double time_us, double joule) {
  return {1,    "", {{"machine", std::move(machine)}, {"n", std::move(n)}},
          true, "", {{"time_us", "", time_us}, {"energy", "", joule}}};
}

PlotRequest request(std::string kind, std::string x, std::string y) {
  PlotRequest plot;
  plot.kind = std::move(kind);
  plot.x = std::move(x);
  plot.y = std::move(y);
  return plot;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(Metrics, OfRatesUseReuseAndPrecisionAreBetterWhereLarger) {
  for (const char* metric :
       {"samples_per_s", "tflops", "peak_fraction", "memory.l2_hit_rate", "memory.dram_gb_per_s",
        "memory.arithmetic_intensity", "network_intensity", "values.error.norm_bits"})
    EXPECT_TRUE(larger_is_better(metric)) << metric;
  for (const char* metric :
       {"time_us", "energy_per_sample_j", "dram_bytes_per_sample", "energy.energy_pj_per_flop",
        "energy.energy_delay_js", "memory.shared_conflict_fraction",
        "cycles_by_reason.tensor_pipe_busy", "area_mm2"})
    EXPECT_FALSE(larger_is_better(metric)) << metric;
}

TEST(Metrics, HaveTitlesWithUnits) {
  EXPECT_EQ(metric_title("time_us"), "time us");
  EXPECT_EQ(metric_title("tflops"), "TFLOPS");
  EXPECT_EQ(metric_title("network_tflops"), "network TFLOPS");
  EXPECT_EQ(metric_title("energy.energy_j"), "energy J");
  EXPECT_EQ(metric_title("energy.power_w"), "energy power W");
  EXPECT_EQ(metric_title("energy.energy_delay_js"), "energy delay J s");
  EXPECT_EQ(metric_title("memory.dram_gb_per_s"), "memory dram GB/s");
  EXPECT_EQ(metric_title("values.error.norm_bits"), "values error norm bits");
}

TEST(Scale, HasFewTicksWhateverTheNumbers) {
  for (const auto& [least, most] : {std::pair{0.0, 0.0},
                                    {5e-324, 1e-323},
                                    {1e299, 1.0000000000000002e299},
                                    {-1e299, 1e299},
                                    {1.0, 1.0 + 1e-15},
                                    {-3.0, -3.0}})
    for (const bool from_zero : {false, true}) {
      const std::vector<double> ticks = Scale::over(least, most, from_zero).ticks();
      EXPECT_GE(ticks.size(), 2U) << least << ' ' << most;
      EXPECT_LE(ticks.size(), 20U) << least << ' ' << most;
    }
}

TEST(Scale, RefusesNumbersWithoutAPlace) {
  const double nan = std::nan("");
  for (const auto& [least, most] :
       {std::pair{nan, 1.0}, {1.0, nan}, {1.0, HUGE_VAL}, {-HUGE_VAL, 1.0}, {1e305, 1e306}})
    EXPECT_THROW((void)Scale::over(least, most, false), std::invalid_argument);
}

TEST(Scale, TicksAreRoundAndHoldTheValues) {
  const Scale scale = Scale::over(3, 97, true);
  EXPECT_DOUBLE_EQ(scale.first, 0);
  EXPECT_DOUBLE_EQ(scale.last, 100);
  EXPECT_DOUBLE_EQ(scale.position(50), 0.5);
  EXPECT_EQ(scale.ticks().size(), 6U);
}

TEST(Scale, TextsOfTicksDifferHoweverNearTheyAre) {
  for (const auto& [least, most] : {std::pair{1000.00001, 1000.00002},
                                    {1e-13, 5e-13},
                                    {-1e-13, 1e-13},
                                    {123456789.0, 123456790.0},
                                    {0.0, 1e9}}) {
    const Scale scale = Scale::over(least, most, false);
    std::set<std::string> texts;
    for (const double tick : scale.ticks()) texts.insert(scale.text_of(tick));
    EXPECT_EQ(texts.size(), scale.ticks().size()) << least << ' ' << most;
  }
  const Scale scale = Scale::over(-0.3, 0.3, false);
  EXPECT_EQ(scale.text_of(scale.ticks()[3]), "0");
  EXPECT_EQ(scale.text_of(scale.ticks()[2]), "-0.1");
}

TEST(Plots, CurvesHaveOneLinePerSeriesAndOneDotPerConfiguration) {
  PlotRequest plot = request("curves", "n", "time_us");
  plot.series = "machine";
  const std::string svg =
      curves_svg(plot, {total("a", "64", 1, 1), total("a", "128", 2, 1), total("b<c", "64", 3, 1)});
  EXPECT_EQ(count(svg, "<title>machine="), 3U);
  EXPECT_EQ(count(svg, "fill=\"none\""), 2U);
  EXPECT_THAT(svg, HasSubstr("machine b&lt;c"));
}

TEST(Plots, SeriesThatShareAColourDifferAndStandInThePicture) {
  std::vector<Total> totals;
  for (int i = 0; i < 30; ++i) totals.push_back(total("m" + std::to_string(i), "64", i + 1, 1));
  PlotRequest curves = request("curves", "n", "time_us");
  PlotRequest pareto = request("pareto", "time_us", "energy");
  curves.series = pareto.series = "machine";
  PlotRequest parallel = request("parallel", "", "");
  parallel.axes = {"n", "time_us"};
  parallel.series = "machine";
  const std::regex line(R"(fill="none" (stroke="#\w+" stroke-dasharray="[^"]+"))");
  const std::regex mark(R"re(<path d="[^a-z]*([^"]*)" fill="(#\w+)"><title>machine=)re");
  const auto looks = [](const std::string& svg, const std::regex& look) {
    std::set<std::string> found;
    for (std::sregex_iterator at(svg.begin(), svg.end(), look), end; at != end; ++at)
      found.insert((*at)[1].str() + (*at)[2].str());
    return found.size();
  };
  const std::string drawn = curves_svg(curves, totals);
  EXPECT_EQ(looks(drawn, line), 30U);
  EXPECT_EQ(looks(drawn, mark), 30U);
  EXPECT_EQ(looks(parallel_svg(parallel, totals), line), 30U);
  for (Total& one : totals) one.metrics[1].number = -*one.metrics[0].number;  // all on the front
  EXPECT_EQ(looks(pareto_svg(pareto, totals), mark), 30U);
  // The last name stands at 56 + 12 + 29 * 20.
  EXPECT_THAT(drawn, HasSubstr("y=\"648.0\">machine m29</text>"));
  EXPECT_THAT(drawn, HasSubstr("height=\"668\""));
}

TEST(Plots, CurvesRefuseConfigurationsThatTheyWouldJoin) {
  PlotRequest plot = request("curves", "n", "time_us");
  const std::vector<Total> totals{total("a", "64", 1, 1), total("b", "64", 2, 1),
                                  total("a", "128", 3, 1)};
  const auto refusal = [&](const std::vector<Total>& drawn) {
    return test::refusal<std::invalid_argument>([&] { return curves_svg(plot, drawn); });
  };
  EXPECT_THAT(refusal(totals), HasSubstr("several configurations have n 64; tell them apart with "
                                         "series, or choose among them with where"));
  plot.series = "machine";
  EXPECT_EQ(refusal(totals), "accepted");
  EXPECT_THAT(refusal({total("a", "64", 1, 1), total("a", "64", 2, 1)}),
              HasSubstr("several configurations have n 64 and machine a; "));
  EXPECT_EQ(refusal({total("a", "64", 1, 1), total("a", "64", 1, 2)}), "accepted")
      << "one value at n 64";
}

TEST(Plots, AHeatMapRefusesTwoConfigurationsInOneCell) {
  PlotRequest plot = request("heatmap", "n", "machine");
  plot.value = "time_us";
  EXPECT_EQ(count(heat_map_svg(plot, {total("a", "64", 1, 1), total("b", "64", 2, 1)}),
                  "stroke=\"#fff\""),
            2U);
  EXPECT_THROW(heat_map_svg(plot, {total("a", "64", 1, 1), total("a", "64", 2, 1)}),
               std::invalid_argument);
}

TEST(Plots, AHeatMapIsBrightWhereItIsGood) {
  const std::string bright = "fill=\"rgb(250,231,60)\" stroke=\"#fff\"/>\n";
  const auto map_of = [](const std::string& metric) {
    PlotRequest plot = request("heatmap", "n", "machine");
    plot.value = metric;
    std::vector<Total> totals{total("a", "64", 3, 1), total("a", "128", 7, 1)};
    for (Total& one : totals) one.metrics.front().name = metric;
    return heat_map_svg(plot, totals);
  };
  const auto bright_in = [&](const std::string& svg) {
    const std::size_t cell = svg.find(bright);
    const std::size_t end = svg.find("</text>", cell);
    return svg.substr(end - 1, 1);
  };
  const std::string times = map_of("time_us");
  EXPECT_EQ(bright_in(times), "3");
  EXPECT_THAT(times, HasSubstr(">less is better</text>"));
  EXPECT_THAT(times, HasSubstr(">time us</text>"));
  const std::string rates = map_of("tflops");
  EXPECT_EQ(bright_in(rates), "7");
  EXPECT_THAT(rates, HasSubstr(">more is better</text>"));
}

TEST(Plots, AWaterfallNamesTheGainOfEachStep) {
  const std::string svg = waterfall_svg(
      request("waterfall", "machine", "time_us"),
      {total("V100", "1", 100, 1), total("+ SMs", "1", 80, 1), total("+ DRAM", "1", 40, 1)});
  EXPECT_THAT(svg, HasSubstr("-20.0%"));
  EXPECT_THAT(svg, HasSubstr("-50.0%"));
  EXPECT_THAT(svg, HasSubstr("x2.50"));
}

TEST(Plots, TheParetoFrontLeavesOutWhatIsBeatenInBoth) {
  const std::string svg =
      pareto_svg(request("pareto", "time_us", "energy"),
                 {total("a", "1", 1, 5), total("b", "1", 5, 1), total("c", "1", 6, 6)});
  EXPECT_EQ(count(svg, "a5 5 0 1 0 10 0a"), 2U);
  EXPECT_EQ(count(svg, "a3 3 0 1 0 6 0a"), 1U);
}

TEST(Plots, TheParetoFrontHasFewBankConflicts) {
  const auto tile = [](std::string name, double time_us, double conflicts) {
    Total one = total(std::move(name), "1", time_us, 1);
    one.metrics.push_back({"memory.shared_conflict_fraction", "", conflicts});
    return one;
  };
  const std::string svg =
      pareto_svg(request("pareto", "time_us", "memory.shared_conflict_fraction"),
                 {tile("a", 4.4, 0), tile("b", 4.9, 0.65)});
  EXPECT_EQ(count(svg, "a5 5 0 1 0 10 0a"), 1U);
  EXPECT_EQ(count(svg, "a3 3 0 1 0 6 0a"), 1U);
}

TEST(Plots, ParallelCoordinatesHaveOneLinePerConfigurationThroughEveryAxis) {
  PlotRequest plot = request("parallel", "", "");
  plot.axes = {"machine", "n", "time_us"};
  plot.series = "machine";
  const std::string svg = plot_svg(plot, {total("a", "64", 1, 1), total("b", "128", 3, 1)});
  EXPECT_EQ(count(svg, "class=\"axis\""), 3U);
  EXPECT_EQ(count(svg, "class=\"line\""), 2U);
  EXPECT_THAT(svg, HasSubstr("data-at=\"0.2500 0.0500 0.0000\""));
  EXPECT_THAT(svg, HasSubstr("data-at=\"0.7500 0.8500 1.0000\""));
  EXPECT_THAT(svg, HasSubstr("<text x=\"705.0\" y=\"59.0\" text-anchor=\"end\""))
      << "ticks of the last axis stand away from the legend";
}

TEST(Plots, WordsOfParallelCoordinatesKeepOffTheAxisBefore) {
  PlotRequest plot = request("parallel", "", "");
  plot.axes = {"n", "machine", "time_us", "machine", "energy", "n", "time_us", "n"};
  const std::string svg =
      plot_svg(plot, {total("outer_product_core", "64", 1, 1), total("b", "128", 3, 1)});
  EXPECT_EQ(count(svg, "><title>outer_product_core</title>outer_pro...</text>"), 2U);
  EXPECT_THAT(svg, HasSubstr("font-weight=\"bold\">time us</text>"));
  EXPECT_THAT(svg, HasSubstr("font-weight=\"bold\">machine</text>"));
  plot.axes = {"machine", "time_us"};
  EXPECT_THAT(plot_svg(plot, {total("outer_product_core", "64", 1, 1), total("b", "64", 3, 1)}),
              HasSubstr(">outer_product_core</text>"));
}

TEST(Plots, WhatHasNoPlaceIsRefused) {
  PlotRequest one_axis = request("parallel", "", "");
  one_axis.axes = {"n"};
  EXPECT_THROW((void)plot_svg(one_axis, {total("a", "1", 2, 3)}), std::invalid_argument);
  PlotRequest too_far = request("heatmap", "n", "machine");
  too_far.value = "energy";
  EXPECT_THROW((void)plot_svg(too_far, {total("a", "1", 2, -1e308), total("a", "2", 2, 1e308)}),
               std::invalid_argument);
}

TEST(Plots, AMetricThatThereIsNotIsRefusedWithTheNearest) {
  EXPECT_THAT(test::refusal<std::invalid_argument>(
                  [&] { curves_svg(request("curves", "n", "time_u"), {total("a", "64", 1, 1)}); }),
              HasSubstr("did you mean \"time_us\"?"));
}

TEST(Plots, NameAParameterThatNoConfigurationHas) {
  for (const char* kind : {"curves", "heatmap", "waterfall"}) {
    PlotRequest plot = request(kind, "size", "time_us");
    plot.value = "time_us";
    EXPECT_THROW((void)plot_svg(plot, {total("a", "1", 2, 3), total("a", "2", 2, 3)}),
                 std::invalid_argument)
        << kind;
  }
}

TEST(Waterfall, RefusesGainsOverNothing) {
  EXPECT_THROW((void)plot_svg(request("waterfall", "n", "time_us"),
                              {total("a", "1", 0, 3), total("a", "2", 2, 3)}),
               std::invalid_argument);
}

}  // namespace
}  // namespace tcsim::sweep
