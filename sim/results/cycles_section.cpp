#include <fmt/format.h>

#include "sim/results/sections.hpp"

namespace tcsim::results {
namespace {

/// What the counter behind a reason counts.
std::string sentence_of(const StoredRun& run, const std::string& reason) {
  const auto found = run.scope("sub_core").at("counters").find("cycles_" + reason);
  return found ? found->at("sentence").get<std::string>() : "";
}

}  // namespace

plot::StackedBars stalls_of(const StoredRun& run) {
  plot::StackedBars bars{"Where the cycles of the sub-cores went", {}, {}, setting_of(run.stats)};
  plot::StackedBars::Row row{run.stats.at("title").get<std::string>(), {}};
  for (const View& share : run.stats.at("cycles_by_reason").elements()) {
    bars.names.push_back(share.at("label").get<std::string>());
    row.parts.push_back(share.at("percent").get<double>());
  }
  bars.rows.push_back(std::move(row));
  return bars;
}

Section speed_of_light_section(const StoredRun& run) {
  Section section{"speed-of-light", "Speed of light", {}};
  plot::Bars bars{"How close each unit came to its ceiling", {}, 1.0, 0.6};
  Table table{"", {"unit", "% of its ceiling"}, {}};
  for (const View& row : run.stats.at("speed_of_light").elements()) {
    const auto fraction = row.at("fraction").get<double>();
    std::string text = fmt::format("{:.1f} %", 100 * fraction);
    if (row.at("id").is("dram") && fraction > run.number("dram_fraction").value_or(fraction))
      text += ", reads on their way to the L2";
    else if (row.at("id").is("dram"))
      text += fmt::format(", {:.0f} of {:.0f} GB/s", run.number("dram_gb_per_s").value_or(0),
                          run.number("dram_peak_gb_per_s").value_or(0));
    bars.rows.push_back({row.at("label").get<std::string>(), fraction, text, 0});
    table.rows.push_back(
        {{row.at("label").get<std::string>()}, number_cell(fraction, "{:.1f}", 100)});
  }
  section.parts.emplace_back(Figure{
      "The guide is at 60 %: a unit above it is the bottleneck; below it, waiting dominates.",
      plot::bars_svg(bars, plot::Theme::kPage), plot::bars_ascii(bars)});
  table.folded = true;
  section.parts.emplace_back(std::move(table));
  return section;
}

Section cycles_section(const StoredRun& run) {
  Section section{"cycles", "Where the cycles went", {}};
  const plot::StackedBars all = stalls_of(run);
  double percent = 0;
  for (const double part : all.rows.front().parts) percent += part;
  if (percent == 0) {
    section.parts.emplace_back(Paragraph{"The run took no cycle."});
    return section;
  }
  section.parts.emplace_back(Figure{"Every cycle of every sub-core is charged to one reason.",
                                    plot::stacked_bars_svg(all, plot::Theme::kPage),
                                    plot::stacked_bars_ascii(all)});
  Table table{"", {"reason", "%", "cycles", "meaning"}, {}};
  std::int64_t cycles = 0;
  for (const View& share : run.stats.at("cycles_by_reason").elements()) {
    cycles += share.at("cycles").get<std::int64_t>();
    table.rows.push_back({{share.at("label").get<std::string>()},
                          number_cell(share.at("percent").get<double>(), "{:.1f}"),
                          count_cell(share.at("cycles").get<std::int64_t>()),
                          {sentence_of(run, share.at("reason").get<std::string>())}});
  }
  table.rows.push_back(
      {{"all"},
       number_cell(percent, "{:.1f}"),
       count_cell(cycles),
       {fmt::format("{} sub-cores x {} cycles", run.scope("sub_core").at("instances").get<int>(),
                    run.stats.at("cycles").get<std::int64_t>())}});
  section.parts.emplace_back(std::move(table));
  return section;
}

}  // namespace tcsim::results
