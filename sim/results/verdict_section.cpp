#include <fmt/format.h>

#include "sim/report/json_report.hpp"
#include "sim/report/layout.hpp"
#include "sim/report/words.hpp"
#include "sim/results/sections.hpp"

namespace tcsim::results {
namespace {

std::string fact_line(const StoredRun& run) {
  const View& stats = run.stats;
  std::string line =
      fmt::format("Machine {}, unit {}, L2 {} at the start, fidelity {}.",
                  stats.at("machine").get<std::string>(), stats.at("unit").get<std::string>(),
                  stats.at("l2_state").get<std::string>(), stats.at("fidelity").get<std::string>());
  if (const std::string tile = report::tile_of(stats.json()); !tile.empty())
    line += fmt::format(" Tile {}.", tile);
  return line;
}

std::string sentence_of(const StoredRun& run, const char* metric) {
  return run.stats.at("metrics").at(metric).at("sentence").get<std::string>();
}

/// The metric or fact `name`, a rate, with its unit.
Cell readable_rate(const StoredRun& run, const char* name, int decimals) {
  Cell cell = metric_cell(run, name, "{}");
  if (cell.number)
    cell.text = fmt::format("{} {}", report::readable_number(*cell.number, decimals),
                            report::rate_unit(run.stats.at("dtype").get<std::string>()));
  return cell;
}

/// " (simulated: 1.21 times as fast)", or that the advice was not tried.
std::string tried_words(const StoredRun& run) {
  const auto tried = run.stats.find("tried");
  if (!tried) return " (untried)";
  const View gain = tried->at("times_as_fast");
  if (gain.is_number())
    return fmt::format(" (simulated: {:.2f} times as fast)", gain.get<double>());
  return fmt::format(" (tried: {})", tried->at("reason").get<std::string>());
}

}  // namespace

Section verdict_section(const StoredRun& run) {
  const View verdict = run.stats.at("verdict");
  Section section{"verdict", "Verdict", {}};
  if (!run.stats.at("complete").get<bool>())
    section.parts.emplace_back(Paragraph{fmt::format(
        "Incomplete: {}; all numbers are partial.",
        report::stop_words(run.stats.at("simulation").at("stopped_by").get<std::string>()))});
  section.parts.emplace_back(Paragraph{verdict.at("sentence").get<std::string>()});
  if (const auto advice = verdict.at("try").get<std::string>(); !advice.empty())
    section.parts.emplace_back(Paragraph{"Try " + advice + tried_words(run) + "."});
  if (const auto notes = run.stats.find("notes"))
    for (const View& note : notes->elements())
      section.parts.emplace_back(Paragraph{"Note: " + note.get<std::string>() + "."});
  if (const auto tiles = run.stats.find("tiles"))
    section.parts.emplace_back(Paragraph{tiles->at("sentence").get<std::string>()});
  Table table{"", {"", "value", "meaning"}, {}};
  Cell time = metric_cell(run, "time_us", "{}");
  time.text = report::readable_time(run.number("time_us").value_or(0));
  table.rows.push_back({{"time"}, time, {sentence_of(run, "time_us")}});
  Cell cycles = count_cell(run.stats.at("cycles").get<std::int64_t>());
  cycles.metric = "cycles";
  table.rows.push_back(
      {{"cycles"},
       cycles,
       {fmt::format("of the SM clock, {} MHz", run.number("clock_mhz").value_or(0))}});
  table.rows.push_back({{"rate"}, readable_rate(run, "tflops", 2), {sentence_of(run, "tflops")}});
  if (const auto held_by = run.stats.find("held_by"))
    table.rows.push_back({{"attainable"},
                          readable_rate(run, "attainable_tflops", 1),
                          {held_by->get<std::string>()}});
  for (const auto& [label, metric] : {std::pair{"peak fraction", "peak_fraction"},
                                      {"pipe active", "pipe_active"},
                                      {"issue fraction", "issue_fraction"}})
    table.rows.push_back({{label}, percent_cell(run, metric), {sentence_of(run, metric)}});
  section.parts.emplace_back(std::move(table));
  section.parts.emplace_back(Paragraph{fact_line(run)});
  return section;
}

}  // namespace tcsim::results
