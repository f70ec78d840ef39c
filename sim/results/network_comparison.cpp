#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sim/results/comparison.hpp"
#include "sim/results/comparison_parts.hpp"
#include "sim/results/network_groups.hpp"
#include "sim/text/spaced.hpp"

namespace tcsim::results {
namespace {

std::string path_of(const StoredNetwork& network) {
  return std::filesystem::path(network.name).lexically_normal().string();
}

std::string plain(const View& value) {
  if (value.is_null()) return "-";
  return value.is_string() ? value.get<std::string>() : value.json().dump();
}

/// What the steps that run kernels say of their inputs, each text once.
void add_steps(const StoredNetwork& network, Settings& settings) {
  std::vector<std::string> data;
  std::vector<std::string> states;
  const auto add = [](const View& text, std::vector<std::string>& texts) {
    if (std::ranges::none_of(texts, [&](const std::string& known) { return text.is(known); }))
      texts.push_back(text.get<std::string>());
  };
  for (const View& step : network.network.at("steps").elements()) {
    const View result = step.at("result");
    if (result.at("kernels").elements().empty()) continue;
    add(result.at("l2_state"), states);
    if (const View energy = result.at("energy"); !energy.is_null()) add(energy.at("data"), data);
  }
  settings.emplace_back("l2_state", fmt::format("{}", fmt::join(states, "; ")));
  settings.emplace_back("data", fmt::format("{}", fmt::join(data, "; ")));
}

Settings settings_of(const StoredNetwork& network) {
  Settings settings;
  for (const char* key : {"network", "machine", "gpus", "batch", "tokens", "context_tokens",
                          "precision", "pass", "fidelity"})
    settings.emplace_back(key, plain(network.network.at(key)));
  if (const auto cache = network.network.find("kv_cache"))  // files of before lack it
    settings.emplace_back("kv_cache", plain(*cache));
  if (const View energy = network.network.at("energy"); !energy.is_null())
    settings.emplace_back("clock_policy", energy.at("clock_policy").get<std::string>());
  add_steps(network, settings);
  add_sampling(network.network, settings);
  settings.emplace_back("revision", network.manifest.at("revision").get<std::string>());
  add_machine(network.network.at("effective_machine").get<std::string>(), settings);
  return settings;
}

double time_us_of(const StoredNetwork& network) {
  return network.network.at("time_us").get<double>();
}

/// The time of `network` by groups of its steps.
TimeOf time_by(const StoredNetwork& network, std::string NetworkStepView::*key) {
  TimeOf time{path_of(network), time_us_of(network), {}};
  for (const StepGroup& group : groups_of(network_steps(network), key))
    time.parts.emplace_back(group.label, group.time_us);
  return time;
}

/// By the reasons to which cycles are charged; those of each step add up to its time.
TimeOf time_by_reason(const StoredNetwork& network) {
  TimeOf time{path_of(network), time_us_of(network), {}};
  std::map<std::string, double> parts;
  for (const NetworkStepView& step : network_steps(network)) {
    double all = 0;
    for (const auto& [reason, cycles] : step.cycles_by_reason) all += cycles;
    for (const auto& [reason, cycles] : step.cycles_by_reason)
      if (all > 0) parts[reason] += cycles / all * step.time_us;
  }
  for (const auto& [reason, part] : parts) time.parts.emplace_back(text::spaced(reason), part);
  return time;
}

/// What bound a group before and what binds it now, where that changed.
Table bounds_table(const StoredNetwork& first, const StoredNetwork& other) {
  Table table{"Layers with a different bottleneck", {"layers", path_of(first), path_of(other)}, {}};
  const std::vector<StepGroup> after = groups_of(network_steps(other), &NetworkStepView::like);
  for (const StepGroup& group : groups_of(network_steps(first), &NetworkStepView::like)) {
    const auto found = std::ranges::find(after, group.label, &StepGroup::label);
    if (found == after.end() || found->bound_by() == group.bound_by()) continue;
    table.rows.push_back({{group.label}, {group.bound_by()}, {found->bound_by()}});
  }
  return table;
}

Section layers_difference(const std::vector<StoredNetwork>& networks) {
  Section section{"attribution", "Which layers make the difference", {}};
  const StoredNetwork& first = networks.front();
  for (std::size_t i = 1; i < networks.size(); ++i) {
    const StoredNetwork& other = networks[i];
    const TimeOf before = time_by(first, &NetworkStepView::like);
    const TimeOf after = time_by(other, &NetworkStepView::like);
    section.parts.emplace_back(Paragraph{speed_sentence(before, after)});
    const double ratio = time_us_of(first) / time_us_of(other) *
                         other.network.at("batch").get<double>() /
                         first.network.at("batch").get<double>();
    if (first.network.at("batch").json() != other.network.at("batch").json())
      section.parts.emplace_back(Paragraph{
          fmt::format("Sample by sample {} is {:.3f} times as fast.", after.name, ratio)});
    section.parts.emplace_back(attribution_table("layers", before, after));
    Table bounds = bounds_table(first, other);
    if (!bounds.rows.empty()) section.parts.emplace_back(std::move(bounds));
  }
  section.parts.emplace_back(Paragraph{
      "Layers that repeat with their block are grouped. A group that is missing from one run, for "
      "example a change of type, counts as zero there."});
  return section;
}

Section reasons_difference(const std::vector<StoredNetwork>& networks) {
  Section section{"cycles", "Where the difference in cycles comes from", {}};
  for (std::size_t i = 1; i < networks.size(); ++i)
    section.parts.emplace_back(attribution_table(
        "cycles spent on", time_by_reason(networks.front()), time_by_reason(networks[i])));
  return section;
}

}  // namespace

Document comparison_of(const std::vector<StoredNetwork>& networks) {
  std::string title = "Comparison of " + path_of(networks.front());
  std::vector<std::string> names;
  std::vector<Settings> settings;
  std::vector<View> metrics;
  for (const StoredNetwork& network : networks) {
    if (!names.empty()) title += " and " + path_of(network);
    names.push_back(path_of(network));
    settings.push_back(settings_of(network));
    metrics.push_back(network.network.at("metrics"));
    if (time_us_of(network) <= 0) network.network.at("time_us").refuse("no step has ended");
  }
  Section configuration = settings_section(names, settings);
  for (const StoredNetwork& network : networks)
    tell_stop(path_of(network), network.network, configuration);
  Section figures = metrics_section(names, metrics);
  const auto is_divided = [](const StoredNetwork& network) {
    return network.network.at("gpus").get<int>() > 1;
  };
  if (std::ranges::any_of(networks, is_divided))
    figures.parts.emplace_back(
        Paragraph{"Figures of samples and tokens are of all GPUs together, the others of one."});
  return {title,
          names.front(),
          {configuration, layers_difference(networks), reasons_difference(networks), figures}};
}

}  // namespace tcsim::results
