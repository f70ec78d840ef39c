#include "sim/report/network_totals.hpp"

#include <algorithm>
#include <map>

#include "sim/report/layer_names.hpp"
#include "sim/report/words.hpp"

namespace tcsim::report {
namespace {

double number(const nlohmann::ordered_json& value) {
  return value.is_number() ? value.get<double>() : 0.0;
}

void add_to_layer(const NetworkStep& step, const std::string& name, double time_us, double flop,
                  LayerTime& layer) {
  layer.layer = name;
  ++layer.steps;
  layer.time_us += time_us;
  layer.flop += flop;
  if (time_us <= layer.longest_us) return;
  layer.longest_us = time_us;
  layer.bound_by = step.result.at("bound_by").get<std::string>();
}

/// The time of the kernels that have matrix instructions. A kernel that was stopped has no end: it
/// takes what the others leave of the step.
double time_of_mmas_us(const nlohmann::ordered_json& result) {
  double time_us = 0;
  double left_us = number(result.at("time_us"));
  double left_mmas = number(result.at("instructions").at("mma"));
  bool is_stopped = false;
  for (const nlohmann::ordered_json& kernel : result.at("kernels")) {
    if (number(kernel.at("end_cycle")) <= number(kernel.at("start_cycle"))) {
      is_stopped = true;
      continue;
    }
    const double mmas = number(kernel.at("mma_instructions"));
    const double kernel_us = number(kernel.at("time_us"));
    if (mmas > 0) time_us += kernel_us;
    left_mmas -= mmas;
    left_us -= kernel_us;
  }
  return is_stopped && left_mmas > 0 ? time_us + left_us : time_us;
}

void add_counts(const nlohmann::ordered_json& result, double time_us, NetworkTotals& totals) {
  const auto& memory = result.at("memory");
  totals.dram_bytes += number(memory.at("dram_read_bytes")) + number(memory.at("dram_write_bytes"));
  totals.l2_bytes += number(memory.at("l2_read_bytes")) + number(memory.at("l2_write_bytes"));
  totals.cycles += result.at("cycles").get<std::uint64_t>();
  totals.clock_mhz = number(result.at("clock_mhz"));
  totals.pipe_active_us += time_us * number(result.at("pipe_active"));
  totals.issue_taken_us += time_us * number(result.at("issue_fraction"));
  totals.tensor_peak_us += time_us * number(result.at("tensor_fraction"));
  totals.warp_instructions += result.at("instructions").at("warp").get<std::uint64_t>();
  totals.mma_instructions += result.at("instructions").at("mma").get<std::uint64_t>();
  if (result.at("energy").is_object()) {
    totals.energy_us += time_us;
    totals.energy_j += number(result.at("energy").at("energy_j"));
    totals.dram_energy_j += number(result.at("energy").at("dram_energy_j"));
  }
  for (const auto& [reason, cycles] : result.at("cycles_by_reason").items()) {
    const auto known = std::ranges::find(totals.cycles_by_reason, reason,
                                         &std::pair<std::string, std::uint64_t>::first);
    if (known == totals.cycles_by_reason.end())
      totals.cycles_by_reason.emplace_back(reason, cycles.get<std::uint64_t>());
    else
      known->second += cycles.get<std::uint64_t>();
  }
}

}  // namespace

NetworkTotals totals_of(const NetworkRun& run) {
  NetworkTotals totals;
  std::map<std::string, LayerTime> layers;
  std::map<std::string, LayerTime> likes;
  std::map<double, double> time_at_tensor_peak;
  std::map<double, double> time_at_core_peak;
  std::map<std::string, double> bound;
  RateUnit unit;
  for (const NetworkStep& step : run.steps) {
    const double time_us = number(step.result.at("time_us"));
    const double flop = number(step.result.at("flop"));
    totals.time_us += time_us;
    totals.flop += flop;
    unit.add_run(step.result);
    add_counts(step.result, time_us, totals);
    bound[step.result.at("bound_by").get<std::string>()] += time_us;
    totals.kernels += step.result.at("kernels").size();
    if (step.is_reused) ++totals.reused;
    if (step.is_estimated) ++totals.estimated;
    if (step.result.contains("collective")) {
      ++totals.collectives;
      totals.collective_us += time_us;
      totals.collective_bytes += number(step.result.at("collective").at("bytes"));
    }
    // Like steps err alike, so nothing is taken to even out.
    if (step.result.contains("sampling"))
      totals.half_width_us += time_us * number(step.result.at("sampling").at("half_width"));
    const bool has_mma = number(step.result.at("instructions").at("mma")) > 0;
    if (has_mma) {
      totals.tensor_time_us += time_of_mmas_us(step.result);
      totals.tensor_active_us += time_us * number(step.result.at("pipe_active"));
    }
    if (flop > 0 && step.result.at("peak_tflops").is_number()) {
      auto& time_at_peak = has_mma ? time_at_tensor_peak : time_at_core_peak;
      time_at_peak[number(step.result.at("peak_tflops"))] += time_us;
    }
    add_to_layer(step, step.layer, time_us, flop, layers[step.layer]);
    const std::string like = like_name(step.layer);
    add_to_layer(step, like, time_us, flop, likes[like]);
  }
  totals.rate_unit = unit.text();
  const auto& time_at_peak = time_at_tensor_peak.empty() ? time_at_core_peak : time_at_tensor_peak;
  if (!time_at_peak.empty())
    totals.peak_tflops = std::ranges::max_element(time_at_peak, {}, [](const auto& entry) {
                           return entry.second;
                         })->first;
  if (!bound.empty())
    totals.bound_by =
        std::ranges::max_element(bound, {}, [](const auto& entry) { return entry.second; })->first;
  for (auto& [name, layer] : layers) totals.layers.push_back(std::move(layer));
  for (auto& [name, layer] : likes) totals.likes.push_back(std::move(layer));
  for (std::vector<LayerTime>* list : {&totals.layers, &totals.likes})
    std::ranges::stable_sort(*list, std::ranges::greater{}, &LayerTime::time_us);
  return totals;
}

}  // namespace tcsim::report
