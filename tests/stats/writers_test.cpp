#include "sim/stats/writers.hpp"

#include <gtest/gtest.h>

#include "tests/stats/sample_tree.hpp"

namespace tcsim::stats {
namespace {

constexpr MetricDefinition kRatio{"ratio", "1", "A ratio", "a / b"};

TEST(StatsJson, HoldsEveryCounterWithUnitSentenceAndExtremes) {
  const SampleTree tree;
  const auto json = to_json(summarize(tree.root));
  const auto& issued = json["children"]["sm"]["children"]["sub_core"]["counters"]["issued"];
  EXPECT_EQ(issued.dump(), R"({"value":22,"min":0,"max":11,"unit":"instructions",)"
                           R"("sentence":"Instructions issued; replays do not count"})");
  EXPECT_EQ(json["children"]["sm"]["instances"], 2);
}

TEST(StatsJson, WritesANotApplicableMetricAsNull) {
  const auto json = to_json(std::vector<Metric>{{kRatio, std::nullopt}});
  EXPECT_EQ(json.dump(),
            R"({"ratio":{"value":null,"unit":"1","formula":"a / b","sentence":"A ratio"}})");
}

TEST(StatsCsv, HasOneTidyRowPerMetricAndCounter) {
  const SampleTree tree;
  const std::string text = to_csv("run-0001", summarize(tree.root), {{kRatio, 0.25}}, "cycle");
  EXPECT_EQ(text,
            "run-0001,run,ratio,1,0.25,cycle\n"
            "run-0001,gpu.sm,conflicts,wavefronts,5,cycle\n"
            "run-0001,gpu.sm.sub_core,issued,instructions,22,cycle\n");
}

TEST(StatsCsv, LeavesANotApplicableValueEmpty) {
  Group root("gpu");
  EXPECT_EQ(to_csv("r", summarize(root), {{kRatio, std::nullopt}}, "cycle"),
            "r,run,ratio,1,,cycle\n");
}

TEST(StatsCsv, NamesTheRunSoThatNoSpreadsheetComputesIt) {
  Group root("gpu");
  EXPECT_EQ(to_csv("=1+1", summarize(root), {{kRatio, std::nullopt}}, "cycle"),
            "'=1+1,run,ratio,1,,cycle\n");
}

}  // namespace
}  // namespace tcsim::stats
