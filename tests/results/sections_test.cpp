#include "sim/results/sections.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "models/sm/cycle_reason.hpp"
#include "sim/plot/drawing.hpp"
#include "sim/results/page.hpp"
#include "sim/results/page_files.hpp"
#include "sim/results/text_views.hpp"
#include "tests/results/stored_runs.hpp"

namespace tcsim::results {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Report, HasItsSectionsInTheirFixedOrder) {
  const Document document = report_of(fake_run());
  std::vector<std::string_view> ids;
  for (const Section& section : document.sections) ids.push_back(section.id);
  EXPECT_EQ(ids, section_ids());
}

/// The tables of a report with the ids of their sections.
std::vector<std::pair<std::string, Table>> tables_of(const Document& document) {
  std::vector<std::pair<std::string, Table>> tables;
  for (const Section& section : document.sections) {
    for (const auto& part : section.parts) {
      if (const auto* table = std::get_if<Table>(&part)) tables.emplace_back(section.id, *table);
    }
  }
  return tables;
}

TEST(Report, HoldsInEachTaggedCellTheNumberOfThatMetric) {
  const StoredRun run = fake_run();
  int tagged = 0;
  for (const auto& [id, table] : tables_of(report_of(run))) {
    for (const auto& row : table.rows) {
      for (const Cell& cell : row) {
        if (cell.metric.empty()) continue;
        EXPECT_EQ(cell.number, run.number(cell.metric)) << id << " " << cell.metric;
        ++tagged;
      }
    }
  }
  EXPECT_GE(tagged, 30);
}

TEST(Report, HasRowsAsLongAsTheirColumns) {
  for (const auto& [id, table] : tables_of(report_of(fake_run()))) {
    for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size()) << id;
  }
}

TEST(VerdictSection, StartsWithTheSentence) {
  EXPECT_THAT(section_text(verdict_section(fake_run())),
              HasSubstr("The run is bound by tensor cores, at 80.0 % of the ceiling"));
}

TEST(VerdictSection, SaysFirstThatARunIsIncomplete) {
  const StoredRun run =
      with_stat(with_stat(fake_run(), "/complete", false), "/simulation/stopped_by", "cycle limit");
  const Section section = verdict_section(run);
  EXPECT_THAT(std::get<Paragraph>(section.parts.front()).text,
              HasSubstr("Incomplete: stopped by cycle limit"));
}

TEST(VerdictSection, GivesASmallRateTwoDigitsThatCount) {
  EXPECT_THAT(section_text(verdict_section(fake_run())), HasSubstr("2.50 TFLOPS"));
  const StoredRun run = with_stat(fake_run(), "/metrics/tflops/value", 0.0123);
  EXPECT_THAT(section_text(verdict_section(run)), HasSubstr("0.012 TFLOPS"));
}

TEST(MachineSection, SpellsOutTheArithmeticOfTheRatesOfTheRun) {
  const std::string text = section_text(machine_section(fake_run()));
  EXPECT_THAT(text, HasSubstr("2 SMs x ... = 4 TFLOPS"));
  EXPECT_THAT(text, HasSubstr("dram"));
  EXPECT_THAT(text, HasSubstr("500.0"));  // 4 TFLOPS over 8 GB/s
}

TEST(MachineSection, CountsSms) {
  EXPECT_THAT(section_text(machine_section(fake_run())), HasSubstr(", 2 SMs at"));
  EXPECT_THAT(section_text(machine_section(with_stat(fake_run(), "/facts/sms/value", 1))),
              HasSubstr(", 1 SM at"));
}

TEST(MachineSection, SaysAtWhichClockPeaksArePublishedWhereItIsAnother) {
  EXPECT_THAT(section_text(machine_section(fake_run())), Not(HasSubstr("published")));
  const StoredRun run = with_stat(fake_run(), "/machine_card/published_tensor_mhz", 900);
  EXPECT_THAT(section_text(machine_section(run)), HasSubstr("published peaks of"));
}

TEST(RooflineSection, HasADotPerLevelOfMemory) {
  const plot::Roofline roofline = roofline_of(fake_run());
  ASSERT_EQ(roofline.dots.size(), 3U);
  EXPECT_DOUBLE_EQ(roofline.dots[0].intensity, 2.5e6 / 4000);
  EXPECT_DOUBLE_EQ(roofline.dots[1].intensity, 2.5e6 / 16000);
  EXPECT_DOUBLE_EQ(roofline.dots[2].intensity, 2.5e6 / (1000 * 128));
  EXPECT_DOUBLE_EQ(roofline.best_intensity, 1000);
  ASSERT_EQ(roofline.ceilings.size(), 2U);
  EXPECT_EQ(roofline.ceilings[0].name, "tensor fp16");
  EXPECT_EQ(roofline.ceilings[1].name, "CUDA cores fp32");
}

TEST(RooflineSection, NamesACeilingByTheArithmeticOfTheCudaCores) {
  const StoredRun run = with_stat(fake_run(), "/unit", "cuda-core");
  const auto ceilings_at = [&](double peak) {
    return roofline_of(with_stat(run, "/facts/peak_tflops/value", peak)).ceilings;
  };
  ASSERT_EQ(ceilings_at(0.5).size(), 1U);  // the rate of FP32
  EXPECT_EQ(ceilings_at(0.5)[0].name, "CUDA cores fp32");
  ASSERT_EQ(ceilings_at(2).size(), 2U);
  EXPECT_EQ(ceilings_at(2)[0].name, "CUDA cores fp16");
}

TEST(RooflineSection, SaysWhatTheDotsOfKernelsCount) {
  const std::string words = "Dots of single kernels";
  EXPECT_THAT(section_text(roofline_section(fake_run())), Not(HasSubstr(words)));
  // As of a trace, whose useful operations nobody knows.
  const StoredRun run = with_stat(fake_run(), "/metrics/tflops/value", nullptr);
  Json kernel = run.stats.at("kernels").elements().front().json();
  kernel["tensor_macs"] = 1000;
  kernel["dram_read_bytes"] = 100;
  const Section section =
      roofline_section(with_stat(run, "/kernels", Json::array({kernel, kernel})));
  EXPECT_THAT(section_text(section), HasSubstr(words));
}

TEST(RooflineSection, SaysWhyThereIsNone) {
  const StoredRun run = with_stat(fake_run(), "/metrics/tflops/value", nullptr);
  EXPECT_THAT(section_text(roofline_section(run)), HasSubstr("Not applicable"));
}

TEST(CyclesSection, AddsUpToAHundredPercent) {
  const std::string text = section_text(cycles_section(fake_run()));
  EXPECT_THAT(text, HasSubstr("all               100.0"));
  EXPECT_THAT(text, HasSubstr("4 sub-cores x 1000 cycles"));
}

TEST(CyclesSection, DrawsThePercentagesOfItsTable) {
  // Each rounded for itself they would be 33.3 three times.
  Json shares = Json::array();
  for (const double percent : {33.4, 33.3, 33.3})
    shares.push_back(
        {{"reason", "issued"}, {"label", "issued"}, {"cycles", 1000}, {"percent", percent}});
  const StoredRun run = with_stat(fake_run(), "/cycles_by_reason", shares);
  EXPECT_THAT(plot::stacked_bars_ascii(stalls_of(run)), HasSubstr("| 33.4 %"));
}

TEST(CyclesSection, HasAColourForEveryReasonAloneAndOnPages) {
  constexpr auto kReasons = static_cast<std::size_t>(sm::kCycleReasonCount);
  ASSERT_GE(plot::Drawing::kSeries, kReasons);
  const std::string sheet(report_style());
  const std::string alone = plot::Drawing(1, 1, "A", "B").svg(plot::Theme::kFile);
  for (std::size_t i = 0; i < plot::Drawing::kSeries; ++i) {
    const std::string number = std::to_string(i);
    EXPECT_THAT(alone, HasSubstr(".s" + number + "{fill:#"));
    EXPECT_THAT(sheet, HasSubstr("svg .s" + number + " { fill: var(--c" + number + "); }"));
    const std::string colour = "--c" + number + ": #";
    EXPECT_NE(sheet.find(colour), sheet.rfind(colour)) << "light and dark, " << colour;
  }
}

TEST(MemorySection, PutsTheLeastPossibleBesideWhatMoved) {
  const std::string text = section_text(memory_section(fake_run()));
  EXPECT_THAT(text, HasSubstr("L2                16 kB"));
  EXPECT_THAT(text, HasSubstr("least possible    2 kB"));
  EXPECT_THAT(text, HasSubstr("8.00"));  // 16 kB read of 2 kB
}

TEST(MemorySection, TellsTheShareOfBankConflicts) {
  const std::string text = section_text(memory_section(fake_run()));
  EXPECT_THAT(text, HasSubstr("of these, bank conflicts"));
  EXPECT_THAT(text, HasSubstr("10.0 %"));
  const StoredRun unused =
      with_stat(fake_run(), "/metrics/shared_conflict_fraction/value", nullptr);
  EXPECT_THAT(section_text(memory_section(unused)), Not(HasSubstr("bank conflicts")));
}

TEST(OccupancySection, NamesEveryLimit) {
  const std::string text = section_text(occupancy_section(fake_run()));
  EXPECT_THAT(text, HasSubstr("registers"));
  EXPECT_THAT(text, HasSubstr("1.25"));
}

TEST(TimelineSection, TurnsSumsIntoSharesOfEachInterval) {
  const plot::Strips strips = activity_of(fake_run());
  EXPECT_EQ(strips.edges, (std::vector<double>{0.5, 1.0}));
  // 800 and 2400 issue slots of 500 cycles of 4 sub-cores.
  EXPECT_EQ(strips.rows[0].values, (std::vector<double>{0.4, 1.2}));
  EXPECT_EQ(strips.rows[4].label, "L2, written");
  EXPECT_EQ(strips.rows[4].values, (std::vector<double>{0, 0.125}));
  // 2000 bytes of DRAM in half a microsecond are 4 GB/s of 8.
  EXPECT_EQ(strips.rows[5].values, (std::vector<double>{0.5, 0.5}));
  EXPECT_EQ(strips.rows[6].values, (std::vector<double>{1.0, 0.0}));
}

TEST(GlossarySection, HoldsExactlyTheMetricsThatAreShown) {
  const StoredRun run = fake_run();
  const std::string text =
      section_text(glossary_section(run, {verdict_section(run), energy_section(run)}));
  EXPECT_THAT(text, HasSubstr("pipe_active"));
  EXPECT_THAT(text, HasSubstr("sub_core.tensor_busy_cycles / (cycles * sub_core.instances)"));
  EXPECT_THAT(text, Not(HasSubstr("l2_hit_rate")));
}

TEST(ValidatedSection, ShowsWhatTheRunSays) {
  StoredRun run = fake_run();
  EXPECT_THAT(section_text(validated_section(run)), HasSubstr("No measured reference"));
  run = with_stat(run, "/validated", "median error 6 %");
  EXPECT_THAT(section_text(validated_section(run)), HasSubstr("median error 6 %"));
}

TEST(Page, NeedsNothingElseAndEscapesWords) {
  const StoredRun run = with_stat(fake_run(), "/title", "gemm <script>");
  const std::string html = page(report_of(run));
  EXPECT_THAT(html, HasSubstr("<h1>gemm &lt;script&gt; on toy</h1>"));
  for (const char* part : {"src=\"http", "href=\"http", "@import", "url(http"})
    EXPECT_THAT(html, Not(HasSubstr(part))) << part;
  EXPECT_THAT(html, HasSubstr("data-value=\"2.5\" data-metric=\"tflops\">2.50 TFLOPS"));
}

TEST(Page, HoldsTheWordsOfTheGlossary) {
  const std::string html = page(report_of(fake_run()));
  EXPECT_THAT(html, HasSubstr("<dt>Warp</dt><dd>32 threads"));
  EXPECT_THAT(html, HasSubstr("<dt>mbarrier</dt>"));
  EXPECT_THAT(html, Not(HasSubstr("`cp.async`")));
}

TEST(TextViews, WriteNumbersInFull) {
  const StoredRun run = fake_run();
  const Document document{"t", "run", {verdict_section(run)}};
  EXPECT_THAT(document_csv(document), HasSubstr("run,verdict,1,peak fraction,value,0.625\n"));
  const Json json = document_json(document);
  EXPECT_EQ(json["sections"][0]["tables"][0]["rows"][2][1], 2.5);
}

TEST(TextViews, WriteMarkdownTables) {
  EXPECT_THAT(document_markdown(report_of(fake_run())),
              HasSubstr("| peak fraction | 62.5 % | Useful operations over (time times peak)"));
}

TEST(Sections, ANumberThatIsNotFiniteDoesNotApply) {
  EXPECT_EQ(number_cell(2.5, "{:.1f} %", 100).text, "250.0 %");
  for (const double none : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
    const Cell cell = number_cell(none, "{:.1f}");
    EXPECT_EQ(cell.text, "not applicable");
    EXPECT_FALSE(cell.number.has_value());
  }
  EXPECT_EQ(number_cell(1e308, "{:.1f} %", 100).text, "not applicable");
}

TEST(Page, PutsAMissingCellWhereItsColumnStands) {
  const Table table{"",
                    {"row", "tile", "us"},
                    {{{"a"}, {"64x64x32"}, number_cell(0.5, "{:.1f}")}, {{"b"}, {"-"}, {"-"}}}};
  const Document document{"t", "run", {{"s", "S", {table}}}};
  const std::string html = page(document);
  EXPECT_THAT(html, HasSubstr("<td>64x64x32</td>"));
  EXPECT_THAT(html, HasSubstr("<td>-</td><td class=\"number\">-</td>"));
}

TEST(TextViews, WriteNumbersInTheUnitOfTheirColumn) {
  const Cell energy = number_cell(0.25, "{:.1f}", 1e3);
  EXPECT_EQ(energy.text, "250.0");
  const Table table{"", {"part", "mJ"}, {{{"all"}, energy}}};
  const Document document{"", "run", {{"energy", "Energy", {table}}}};
  EXPECT_EQ(document_json(document)["sections"][0]["tables"][0]["rows"][0][1], 250.0);
  EXPECT_THAT(document_csv(document), HasSubstr("run,energy,1,all,mJ,250\n"));
}

TEST(TextViews, WriteNoDigitsOfRounding) {
  Cell stored = number_cell(0.1 + 0.2, "{:.1f}");
  stored.metric = "tflops";
  const Table table{"",
                    {"part", "%", "s", "bytes", "stored"},
                    {{{"all"},
                      number_cell(0.07, "{:.1f}", 100),
                      number_cell(0.1 + 0.2, "{:.1f}"),
                      number_cell(9007199254740991.0, "{:.0f}"),
                      stored}}};
  const Document document{"", "run", {{"s", "S", {table}}}};
  const std::string csv = document_csv(document);
  EXPECT_THAT(csv, HasSubstr(",%,7\n"));
  EXPECT_THAT(csv, HasSubstr(",s,0.3\n"));
  EXPECT_THAT(csv, HasSubstr(",bytes,9007199254740991\n"));
  EXPECT_THAT(csv, HasSubstr(",stored,0.30000000000000004\n"));
}

TEST(TextViews, WriteKeysThatAreNumbersInFullAndUnderTheirColumn) {
  const Table table{"", {"from cycle", "to cycle"}, {{count_cell(1280), count_cell(2048)}}};
  const Document document{"", "run", {{"energy", "Energy", {table}}}};
  EXPECT_THAT(document_csv(document), HasSubstr("run,energy,1,1280,from cycle,1280\n"
                                                "run,energy,1,1280,to cycle,2048\n"));
}

TEST(TextViews, WriteNoWordsAmongTheNumbersOfJson) {
  const Table table{"",
                    {"row", "tile", "us"},
                    {{{"a"}, {"64x64x32"}, number_cell(0.5, "{:.1f}")},
                     {{"b"}, {"-"}, {"-"}},
                     {{"c"}, {"-"}, number_cell(std::nullopt, "{:.1f}")}}};
  const Document document{"", "run", {{"s", "S", {table}}}};
  const Json rows = document_json(document)["sections"][0]["tables"][0]["rows"];
  EXPECT_EQ(rows[0][2], 0.5);
  EXPECT_TRUE(rows[1][2].is_null());
  EXPECT_TRUE(rows[2][2].is_null());
  EXPECT_EQ(rows[1][1], "-") << "a column of words";
}

TEST(Sections, AZeroHasNoSign) {
  const Cell cell = number_cell(-0.0, "{:.1f}", 100);
  EXPECT_EQ(cell.text, "0.0");
  EXPECT_FALSE(std::signbit(cell.number.value()));
}

}  // namespace
}  // namespace tcsim::results
