#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "sim/results/network_groups.hpp"
#include "sim/results/network_report.hpp"
#include "sim/results/sections.hpp"
#include "sim/text/spaced.hpp"

namespace tcsim::results {
namespace {

constexpr std::size_t kMostOperators = 8;
constexpr std::size_t kMostStallBars = 12;

/// Names in the order of their groups' times; behind the first ones "others".
struct Names {
  std::vector<std::string> shown;

  Names(const std::vector<StepGroup>& groups, std::size_t most) {
    for (const StepGroup& group : groups) {
      if (shown.size() == most && groups.size() > most) {
        shown.emplace_back("others");
        break;
      }
      shown.push_back(group.label);
    }
  }
  [[nodiscard]] std::size_t index(const std::string& name) const {
    const auto found = std::ranges::find(shown, name);
    return found == shown.end() ? shown.size() - 1
                                : static_cast<std::size_t>(found - shown.begin());
  }
};

/// Adds a span, or lengthens the last one if it goes on with the same.
void add_span(plot::Lanes::Row& row, const NetworkStepView& step, std::size_t series,
              const std::string& words) {
  if (step.time_us <= 0) return;
  const double end = step.start_us + step.time_us;
  if (!row.spans.empty()) {
    plot::Lanes::Span& last = row.spans.back();
    if (last.series == series && last.words == words && last.end == step.start_us) {
      last.end = end;
      return;
    }
  }
  row.spans.push_back({step.start_us, end, series, words});
}

std::vector<std::string> legend_of(const Names& operators, const Names& bounds) {
  std::vector<std::string> legend = operators.shown;
  for (const std::string& word : bounds.shown) legend.push_back("bound by " + text::spaced(word));
  legend.emplace_back("block");
  legend.emplace_back("next block");
  return legend;
}

bool has_place(const NetworkStepView& step) {
  return step.tflops && *step.tflops > 0 && step.dram_bytes > 0 && step.flop > 0;
}

}  // namespace

plot::Lanes lanes_of(const StoredNetwork& network) {
  const std::vector<NetworkStepView> steps = network_steps(network);
  const Names operators(groups_of(steps, &NetworkStepView::operation), kMostOperators);
  const Names bounds(groups_of(steps, &NetworkStepView::bound_by), plot::Drawing::kSeries);
  plot::Lanes lanes{"Steps over time",          "microseconds", 0, {}, legend_of(operators, bounds),
                    setting_of(network.network)};
  plot::Lanes::Row blocks{"blocks", {}};
  plot::Lanes::Row bound{"bound by", {}};
  std::vector<plot::Lanes::Row> by_operator;
  for (const std::string& name : operators.shown) by_operator.push_back({name, {}});
  std::size_t shade = 0;  // neighbours differ
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const NetworkStepView& step = steps[i];
    if (i > 0 && step.block != steps[i - 1].block) shade = 1 - shade;
    add_span(blocks, step, lanes.legend.size() - 2 + shade,
             step.block.empty() ? "outside of blocks" : step.block);
    const std::size_t index = operators.index(step.operation);
    add_span(by_operator[index], step, index,
             fmt::format("{}: {}, {:.2f} us", step.layer, step.title, step.time_us));
    add_span(bound, step, operators.shown.size() + bounds.index(step.bound_by),
             text::spaced(step.bound_by));
    lanes.end = step.start_us + step.time_us;
  }
  lanes.rows.push_back(std::move(blocks));
  for (plot::Lanes::Row& row : by_operator) lanes.rows.push_back(std::move(row));
  lanes.rows.push_back(std::move(bound));
  return lanes;
}

plot::Roofline roofline_of(const StoredNetwork& network) {
  const std::vector<NetworkStepView> steps = network_steps(network);
  std::vector<NetworkStepView> placed;
  std::ranges::copy_if(steps, std::back_inserter(placed), has_place);
  plot::Roofline roofline;
  roofline.title = "Roofline of " + network.network.at("title").get<std::string>();
  roofline.setting = setting_of(network.network);
  if (placed.empty()) return roofline;
  const Names operators(groups_of(placed, &NetworkStepView::operation), kMostOperators);
  roofline.legend = operators.shown;
  for (const NetworkStepView& step : placed) {
    roofline.dots.push_back({step.layer + ": " + step.title, step.flop / step.dram_bytes,
                             *step.tflops, operators.index(step.operation)});
    if (step.peak_tflops) plot::add_ceiling(roofline, {step.dtype, *step.peak_tflops});
  }
  const View card = network.network.at("machine_card");
  roofline.slopes = {{"DRAM", bandwidth_of(card, "dram")}, {"L2", bandwidth_of(card, "l2")}};
  return roofline;
}

plot::Roofline grouped_roofline_of(const StoredNetwork& network) {
  plot::Roofline roofline = roofline_of(network);
  std::vector<NetworkStepView> steps = network_steps(network);
  std::erase_if(steps, [](const NetworkStepView& step) { return !has_place(step); });
  roofline.dots.clear();
  for (const StepGroup& group : groups_of(steps, &NetworkStepView::like))
    roofline.dots.push_back(
        {group.label, group.flop / group.dram_bytes, group.flop / group.time_us / 1e6, 0});
  return roofline;
}

plot::StackedBars stalls_of(const StoredNetwork& network) {
  const std::vector<StepGroup> groups = groups_of(network_steps(network), &NetworkStepView::like);
  plot::StackedBars bars{
      "Where the cycles of the sub-cores went", {}, {}, setting_of(network.network)};
  std::vector<std::string> reasons;
  for (const auto& [reason, cycles] : network.network.at("cycles_by_reason").items()) {
    reasons.push_back(reason);
    bars.names.push_back(text::spaced(reason));
  }
  for (const StepGroup& group : groups) {
    if (bars.rows.size() == kMostStallBars) break;
    plot::StackedBars::Row row{group.label, {}};
    double sum = 0;
    for (const std::string& reason : reasons) {
      const auto found = group.cycles_by_reason.find(reason);
      row.parts.push_back(found == group.cycles_by_reason.end() ? 0 : found->second);
      sum += row.parts.back();
    }
    if (sum > 0) bars.rows.push_back(std::move(row));
  }
  if (bars.rows.empty()) throw std::invalid_argument("no step has a result to draw");
  return bars;
}

}  // namespace tcsim::results
