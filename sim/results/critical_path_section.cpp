#include <fmt/format.h>

#include <utility>
#include <vector>

#include "sim/results/sections.hpp"

namespace tcsim::results {
namespace {

Table shares_of(const View& shares, const std::string& caption, const std::string& column,
                double cycles) {
  Table table{caption, {column, "cycles", "% of the path", "steps"}, {}};
  for (const View& share : shares.elements()) {
    const auto part = share.at("cycles").get<std::int64_t>();
    table.rows.push_back(
        {{share.at("name").get<std::string>()},
         count_cell(part),
         number_cell(cycles > 0 ? std::optional(static_cast<double>(part) / cycles) : std::nullopt,
                     "{:.1f}", 100),
         count_cell(share.at("steps").get<std::int64_t>())});
  }
  return table;
}

std::string place_of(const View& step) {
  const auto instruction = step.at("instruction").get<int>();
  if (instruction < 0) return "-";
  return fmt::format("{}.{}", step.at("program").get<int>(), instruction);
}

/// One iteration of the loop, a row for each step.
Table steps_of(const View& iteration, const std::string& kernel) {
  Table table{
      fmt::format("{}: one iteration of the loop in steady state, number {} of {} in a row, {:.1f} "
                  "cycles each",
                  kernel, iteration.at("trip").get<std::int64_t>(),
                  iteration.at("trips").get<std::int64_t>(),
                  iteration.at("cycles_per_trip").get<double>()),
      {"from", "cycles", "cause", "unit", "warp", "program.line", "instruction waited for"},
      {}};
  for (const View& step : iteration.at("steps").elements())
    table.rows.push_back({count_cell(step.at("from").get<std::int64_t>()),
                          count_cell(step.at("cycles").get<std::int64_t>()),
                          {step.at("cause").get<std::string>()},
                          {step.at("unit").get<std::string>()},
                          {std::to_string(step.at("warp").get<int>())},
                          {place_of(step)},
                          {step.at("text").get<std::string>()}});
  return table;
}

/// A strip for each cause that has a part of at least 2 % in the path.
Figure figure_of(const View& kernel, const std::string& name) {
  constexpr double kLeastPart = 0.02;
  const View parts = kernel.at("over_time");
  plot::Strips strips{"The path over time", "cycles since the launch", {}, {}};
  for (const View& edge : parts.at("edges").elements()) strips.edges.push_back(edge.get<double>());
  for (const auto& [cause, cycles] : parts.at("cycles").items()) {
    plot::Strips::Row row{cause, {}, "all cycles"};
    double before = 0;
    double sum = 0;
    const std::vector<View> values = cycles.elements();
    for (std::size_t i = 0; i < strips.edges.size(); ++i) {
      const double length = strips.edges[i] - std::exchange(before, strips.edges[i]);
      const auto part = values[i].get<double>();
      sum += part;
      row.values.push_back(length > 0 ? part / length : 0);
    }
    if (sum >= kLeastPart * strips.edges.back()) strips.rows.push_back(std::move(row));
  }
  return {fmt::format("{}: the share of each cause in the path", name),
          plot::strips_svg(strips, plot::Theme::kPage), plot::strips_ascii(strips)};
}

void add_kernel(const View& kernel, Section& section) {
  const auto name = kernel.at("kernel").get<std::string>();
  const auto cycles = static_cast<double>(kernel.at("cycles").get<std::int64_t>());
  section.parts.emplace_back(
      shares_of(kernel.at("by_cause"), name + ": by cause", "cause", cycles));
  section.parts.emplace_back(shares_of(kernel.at("by_unit"), name + ": by unit", "unit", cycles));
  section.parts.emplace_back(shares_of(kernel.at("by_instruction"),
                                       name + ": by instruction waited for",
                                       "program.line and instruction", cycles));
  if (cycles > 0) section.parts.emplace_back(figure_of(kernel, name));
  const View iteration = kernel.at("iteration");
  if (!iteration.is_null()) section.parts.emplace_back(steps_of(iteration, name));
}

}  // namespace

Section critical_path_section(const StoredRun& run) {
  Section section{"critical-path", "Critical path", {}};
  const auto paths = run.stats.find("critical_path");
  if (!paths) {
    section.parts.emplace_back(
        Paragraph{run.stats.at("complete").get<bool>()
                      ? "Not recorded in this run; --critical-path records it."
                      : "Not recorded: the run was stopped."});
    return section;
  }
  section.parts.emplace_back(Paragraph{
      "The chain of waits that ends with the last CTA, followed back to the launch. Each step "
      "lasts from the event that was waited for to the event that waited, so the steps add up to "
      "the kernel's time. critical_path.json has all steps."});
  for (const View& kernel : paths->elements()) add_kernel(kernel, section);
  return section;
}

}  // namespace tcsim::results
