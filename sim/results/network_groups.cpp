#include "sim/results/network_groups.hpp"

#include <algorithm>

#include "sim/report/layer_names.hpp"

namespace tcsim::results {
namespace {

std::optional<double> optional_number(const View& value) {
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

NetworkStepView step_of(const View& step, double start_us) {
  const View result = step.at("result");
  const View memory = result.at("memory");
  NetworkStepView view;
  view.layer = step.at("layer").get<std::string>();
  view.part = step.at("part").get<std::string>();
  view.title = step.at("title").get<std::string>();
  const auto workload = result.at("workload").get<std::string>();
  view.operation = workload.substr(0, workload.find(':'));
  view.block = report::block_of(view.layer);
  view.like = report::like_name(view.layer) + (view.part == "forward" ? "" : " " + view.part);
  view.start_us = start_us;
  view.time_us = result.at("time_us").get<double>();
  view.flop = optional_number(result.at("flop")).value_or(0);
  view.dram_bytes =
      memory.at("dram_read_bytes").get<double>() + memory.at("dram_write_bytes").get<double>();
  view.l2_bytes =
      memory.at("l2_read_bytes").get<double>() + memory.at("l2_write_bytes").get<double>();
  const View energy = result.at("energy");
  if (energy.is_object()) view.energy_j = optional_number(energy.at("energy_j"));
  view.tflops = optional_number(result.at("tflops"));
  view.peak_tflops = optional_number(result.at("peak_tflops"));
  view.dtype = result.at("dtype").get<std::string>();
  view.bound_by = result.at("bound_by").get<std::string>();
  for (const auto& [reason, cycles] : result.at("cycles_by_reason").items())
    view.cycles_by_reason[reason] = cycles.get<double>();
  return view;
}

}  // namespace

std::vector<NetworkStepView> network_steps(const StoredNetwork& network) {
  std::vector<NetworkStepView> steps;
  double start_us = 0;
  for (const View& step : network.network.at("steps").elements()) {
    steps.push_back(step_of(step, start_us));
    start_us += steps.back().time_us;
  }
  return steps;
}

std::string StepGroup::bound_by() const {
  const auto most =
      std::ranges::max_element(time_by_bound, {}, [](const auto& entry) { return entry.second; });
  return most == time_by_bound.end() ? "" : most->first;
}

std::vector<StepGroup> groups_of(const std::vector<NetworkStepView>& steps,
                                 std::string NetworkStepView::*key) {
  std::vector<StepGroup> groups;
  std::map<std::string, std::size_t> places;
  for (const NetworkStepView& step : steps) {
    const auto [place, is_new] = places.try_emplace(step.*key, groups.size());
    if (is_new) groups.push_back({step.*key, step.operation, {}, {}, {}, {}, {}, {}, {}, {}});
    StepGroup& group = groups[place->second];
    ++group.steps;
    group.time_us += step.time_us;
    group.flop += step.flop;
    group.dram_bytes += step.dram_bytes;
    group.l2_bytes += step.l2_bytes;
    group.energy_j += step.energy_j.value_or(0);
    group.time_by_bound[step.bound_by] += step.time_us;
    for (const auto& [reason, cycles] : step.cycles_by_reason)
      group.cycles_by_reason[reason] += cycles;
  }
  std::ranges::stable_sort(groups, std::ranges::greater{}, &StepGroup::time_us);
  return groups;
}

}  // namespace tcsim::results
