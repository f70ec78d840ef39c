#include "sim/results/comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "sim/results/text_views.hpp"
#include "tests/results/stored_runs.hpp"

namespace tcsim::results {
namespace {

using testing::HasSubstr;
using testing::Not;

const Section& section_named(const Document& document, const std::string& id) {
  for (const Section& section : document.sections)
    if (section.id == id) return section;
  throw std::out_of_range(id);
}

TEST(Comparison, ShowsOnlySettingsThatDiffer) {
  const Document document = comparison_of(std::vector{fake_run("a"), fake_run("b", 500)});
  const std::string text = section_text(section_named(document, "configuration"));
  EXPECT_THAT(text, HasSubstr("clocks.sm_mhz  1000  500  MHz"));
  EXPECT_THAT(text, Not(HasSubstr("gpu.sms")));
}

/// `run` with `value` as the setting "libraries" of its machine.
StoredRun with_libraries(StoredRun run, const std::string& value) {
  Json manifest = run.manifest.json();
  Json& effective = manifest["machine"]["effective"];
  effective = effective.get<std::string>() + "libraries " + value + "\n";
  run.manifest = View(std::move(manifest), run.manifest.file());
  return run;
}

TEST(Comparison, ShowsInTextWhereLongValuesDiffer) {
  const std::string shared(100, 'x');
  const Document document =
      comparison_of(std::vector{with_libraries(fake_run("a"), shared + "first" + shared),
                                with_libraries(fake_run("b"), shared + "other" + shared)});
  const std::string text = document_text(document);
  EXPECT_THAT(text,
              testing::ContainsRegex("libraries +\\.\\.\\.x+firstx+\\.\\.\\. +\\.\\.\\.x+otherx"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 160U) << line;
  EXPECT_THAT(document_json(document).dump(), HasSubstr("\"" + shared + "first" + shared + "\""));
  const Document beginnings = comparison_of(std::vector{
      with_libraries(fake_run("a"), "first" + shared), with_libraries(fake_run("b"), "other")});
  EXPECT_THAT(document_text(beginnings),
              testing::ContainsRegex("libraries +firstx+\\.\\.\\. +other"));
}

TEST(Comparison, ShowsTheTimeBeforeTheConfigurationInTextAlone) {
  const Document document = comparison_of(std::vector{fake_run("a"), fake_run("b", 500)});
  const std::string text = document_text(document);
  EXPECT_LT(text.find("Where the difference in time comes from"),
            text.find("What differs in the configuration"));
  EXPECT_EQ(document_json(document).at("sections").at(0).at("id"), "configuration");
}

TEST(Comparison, SaysThatEqualRunsHaveTheSameInputs) {
  const Document document = comparison_of(std::vector{fake_run("a"), fake_run("b")});
  EXPECT_THAT(section_text(section_named(document, "configuration")),
              HasSubstr("the runs have the same inputs"));
  EXPECT_THAT(section_text(section_named(document, "attribution")),
              HasSubstr("b takes the same time as a."));
}

TEST(Comparison, SaysWhichRunIsPartialAndWhatWasSampled) {
  StoredRun other = with_stat(fake_run("b"), "/fidelity", "sampled");
  other = with_stat(std::move(other), "/complete", false);
  other = with_stat(std::move(other), "/simulation/stopped_by", "time limit");
  const std::string text = section_text(
      section_named(comparison_of(std::vector{fake_run("a"), other}), "configuration"));
  EXPECT_THAT(text, testing::ContainsRegex("fidelity +cycle +sampled"));
  EXPECT_THAT(text, HasSubstr("b did not end (time limit); its figures are partial."));
}

TEST(Comparison, ShowsHowExactlySampledTimesWereAskedFor) {
  const auto sampled = [](const std::string& name, double error) {
    return with_stat(fake_run(name), "/sampling/requested_error", error);
  };
  const auto text = [](const std::vector<StoredRun>& runs) {
    return section_text(section_named(comparison_of(runs), "configuration"));
  };
  EXPECT_THAT(text({sampled("a", 0.02), sampled("b", 0.05)}),
              testing::ContainsRegex("requested_error +0.02 +0.05"));
  EXPECT_THAT(text({sampled("a", 0.02), sampled("b", 0.02)}), HasSubstr("the same inputs"));
}

TEST(Comparison, AttributesTheWholeDifferenceInTime) {
  const Document document = comparison_of(std::vector{fake_run("a"), fake_run("b", 500)});
  const Section& section = section_named(document, "attribution");
  EXPECT_THAT(std::get<Paragraph>(section.parts[0]).text,
              HasSubstr("b takes 1.00 us more than a: 2.000 times as slow."));
  const auto& table = std::get<Table>(section.parts[1]);
  double sum = 0;
  for (std::size_t i = 0; i + 1 < table.rows.size(); ++i) sum += *table.rows[i][3].number;
  EXPECT_DOUBLE_EQ(sum, 1.0);
  EXPECT_EQ(table.rows.back()[0].text, "time");
  EXPECT_DOUBLE_EQ(*table.rows.back()[3].number, 1.0);
  EXPECT_EQ(table.rows.front()[0].text, "issued");  // the largest difference stands first
}

TEST(Comparison, ListsTheMetricsWithTheirChange) {
  const Document document = comparison_of(std::vector{fake_run("a"), fake_run("b", 500)});
  EXPECT_THAT(section_text(section_named(document, "metrics")),
              testing::ContainsRegex("tflops +2.5 +1.25 +TFLOPS +-50.0 %"));
}

Json row(int number, const std::string& machine, double time_us) {
  return {{"row", number},        {"machine", machine},
          {"workload", "gemm:1"}, {"title", ""},
          {"directory", ""},      {"status", "done"},
          {"reason", ""},         {"result", {{"time_us", time_us}}}};
}

TEST(Comparison, MatchesTheRowsOfTwoLists) {
  const StoredList before{"a", View(Json::array({row(1, "v", 4), row(2, "v", 9)}), "a"), View()};
  const StoredList after{"b", View(Json::array({row(1, "w", 1), row(2, "w", 4)}), "b"), View()};
  // The mean of 4/1 and 9/4 is their geometric one, 3.
  EXPECT_THAT(document_text(comparison_of(std::vector{before, after})),
              HasSubstr("b is 3.000 times as fast as a (geometric mean over 2 rows)."));
}

TEST(Comparison, LeavesOutRowsOfAnotherWorkload) {
  Json other = row(2, "v", 4);
  other["workload"] = "gemm:2";
  const StoredList before{"a", View(Json::array({row(1, "v", 4), row(2, "v", 9)}), "a"), View()};
  const StoredList after{"b", View(Json::array({row(1, "v", 1), other}), "b"), View()};
  EXPECT_THAT(document_text(comparison_of(std::vector{before, after})),
              HasSubstr("b is 4.000 times as fast as a (geometric mean over 1 row)."));
}

}  // namespace
}  // namespace tcsim::results
