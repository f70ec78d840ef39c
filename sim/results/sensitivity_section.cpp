#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sim/results/sections.hpp"

namespace tcsim::results {
namespace {

/// Percent of time saved by 1 % more speed, as a bar may show it.
double answer_of(const View& answer) {
  const View elasticity = answer.at("elasticity");
  return elasticity.is_number() ? std::max(0.0, -elasticity.get<double>()) : 0.0;
}

Cell number_or_reason(const View& answer, const char* key, const char* format) {
  const View value = answer.at(key);
  if (value.is_number()) return number_cell(value.get<double>(), format);
  return {answer.at("reason").get<std::string>()};
}

std::vector<Cell> row_of(const View& answer) {
  std::vector<std::string> settings;
  for (const View& setting : answer.at("settings").elements())
    settings.push_back(setting.get<std::string>());
  return {{answer.at("label").get<std::string>()},
          number_cell(answer.at("ratio").get<double>(), "{:.3f}"),
          number_or_reason(answer, "time_us", "{:.2f}"),
          number_or_reason(answer, "elasticity", "{:.2f}"),
          {fmt::format("{}", fmt::join(settings, " "))}};
}

}  // namespace

Section sensitivity_section(const StoredRun& run) { return sensitivity_of(run.stats); }

Section sensitivity_of(const View& results) {
  Section section{"sensitivity", "What the time depends on", {}};
  const auto sensitivity = results.find("sensitivity");
  if (!sensitivity) {
    section.parts.emplace_back(
        Paragraph{"Not simulated for this run; --sensitivity simulates it."});
    return section;
  }
  section.parts.emplace_back(Paragraph{sensitivity->at("sentence").get<std::string>()});
  if (const auto half_width = sensitivity->at("half_width").get<double>(); half_width > 0)
    section.parts.emplace_back(
        Paragraph{fmt::format("Times are sampled, within {:.2f} %.", 100 * half_width)});
  plot::Bars bars{"Time saved by 1 % more speed, in percent", {}, 1.0, 0, {}};
  Table table{"Each resource made faster by itself",
              {"resource", "x as fast", "time us", "elasticity", "machine"},
              {}};
  for (const View& answer : sensitivity->at("answers").elements()) {
    const double takes_off = answer_of(answer);
    const bool is_domain = answer.at("domain").is(answer.at("resource").get<std::string>());
    bars.rows.push_back({answer.at("label").get<std::string>(), takes_off,
                         fmt::format("{:.2f}", takes_off), is_domain ? 0U : 1U});
    table.rows.push_back(row_of(answer));
  }
  for (const auto& [label, key] : {std::pair{"all clocks, DRAM and launch", "sum_of_domains"},
                                   {"issue, latencies and the rest of an SM", "rest_of_an_sm"}}) {
    const View value = sensitivity->at(key);
    if (!value.is_number()) continue;
    table.rows.push_back(
        {{label},
         {"-"},
         {"-"},
         number_cell(value.get<double>(), "{:.2f}"),
         {key == std::string_view("sum_of_domains") ? "their sum: -1 if time is linear"
                                                    : "SM clock minus its parts"}});
  }
  bars.legend = {"clocks, DRAM, launch: all of the time", "parts of them"};
  section.parts.emplace_back(
      Figure{"Elasticities without their sign: how much of 1 % more speed reaches the run.",
             plot::bars_svg(bars, plot::Theme::kPage), plot::bars_ascii(bars)});
  section.parts.emplace_back(std::move(table));
  return section;
}

}  // namespace tcsim::results
