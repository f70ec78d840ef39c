#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "sim/results/sections.hpp"

namespace tcsim::results {
namespace {

constexpr std::size_t kShownLines = 25;

/// "math_pipe_throttle 61 %, wait 20 %": the three largest.
std::string reasons_of(const View& line, double stalled) {
  std::vector<std::pair<double, std::string>> reasons;
  constexpr double kLeast = 0.005;  // less would be written as 0 %
  for (const auto& [name, cycles] : line.at("stalls").items())
    if (cycles.get<double>() >= kLeast * stalled) reasons.emplace_back(cycles.get<double>(), name);
  std::ranges::stable_sort(reasons, [](const auto& a, const auto& b) { return a.first > b.first; });
  constexpr std::size_t kMost = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, reasons.size()); ++i)
    text += fmt::format("{}{} {:.0f} %", i == 0 ? "" : ", ", reasons[i].second,
                        100 * reasons[i].first / stalled);
  return text;
}

std::vector<Cell> row_of(const View& line, double all_stalled) {
  const auto issued = line.at("issued").get<double>();
  const auto stalled = line.at("stalled_cycles").get<double>();
  const auto per_issue = [&](const char* count) -> Cell {
    const auto all = line.at(count).get<double>();
    if (all <= 0) return {"-"};
    return number_cell(all / issued, "{:.1f}");
  };
  return {{fmt::format("{}.{}", line.at("program").get<int>(), line.at("instruction").get<int>())},
          count_cell(line.at("issued").get<std::int64_t>()),
          number_cell(
              issued > 0 ? std::optional(line.at("lanes").get<double>() / issued) : std::nullopt,
              "{:.1f}"),
          per_issue("sectors"),
          per_issue("bank_conflicts"),
          count_cell(line.at("stalled_cycles").get<std::int64_t>()),
          number_cell(all_stalled > 0 ? std::optional(stalled / all_stalled) : std::nullopt,
                      "{:.1f}", 100),
          {stalled > 0 ? reasons_of(line, stalled) : "-"},
          {line.at("text").get<std::string>()}};
}

void add_source_lines(const View& kernel, Section& section) {
  std::vector<View> lines = kernel.at("lines").elements();
  double stalled = 0;
  for (const View& line : lines) stalled += line.at("stalled_cycles").get<double>();
  const std::vector<std::string> columns{"line",        "issued",         "lanes",
                                         "sectors",     "bank conflicts", "stalled cycles",
                                         "% of stalls", "stalled by",     "instruction"};
  Table all{fmt::format("{}: the program", kernel.at("kernel").get<std::string>()),
            columns,
            {},
            /*folded=*/true};
  for (const View& line : lines) all.rows.push_back(row_of(line, stalled));
  std::ranges::stable_sort(lines, [](const View& a, const View& b) {
    return a.at("stalled_cycles").get<double>() > b.at("stalled_cycles").get<double>();
  });
  Table top{fmt::format("{}: where warps stall longest", kernel.at("kernel").get<std::string>()),
            columns,
            {}};
  for (std::size_t i = 0; i < std::min(kShownLines, lines.size()); ++i)
    top.rows.push_back(row_of(lines[i], stalled));
  section.parts.emplace_back(std::move(top));
  section.parts.emplace_back(std::move(all));
}

}  // namespace

Section source_section(const StoredRun& run) {
  Section section{"source", "Instructions", {}};
  const auto source = run.stats.find("source");
  if (!source) {
    section.parts.emplace_back(Paragraph{"Not counted in this run; --source counts it."});
    return section;
  }
  section.parts.emplace_back(Paragraph{
      "Stall reasons have the names that Nsight Compute gives them. Every cycle of a warp, from "
      "the one in which an instruction becomes its next until that instruction issues, has a "
      "reason."});
  for (const View& kernel : source->elements()) add_source_lines(kernel, section);
  return section;
}

}  // namespace tcsim::results
