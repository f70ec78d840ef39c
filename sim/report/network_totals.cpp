#include "sim/report/network_totals.hpp"

#include <algorithm>
#include <map>

namespace tcsim::report {
namespace {

double number(const nlohmann::ordered_json& value) {
  return value.is_number() ? value.get<double>() : 0.0;
}

void add_to_layer(const NetworkStep& step, double time_us, double flop, LayerTime& layer) {
  layer.layer = step.layer;
  layer.time_us += time_us;
  layer.flop += flop;
  if (time_us <= layer.longest_us) return;
  layer.longest_us = time_us;
  layer.bound_by = step.result.at("bound_by").get<std::string>();
}

}  // namespace

NetworkTotals totals_of(const NetworkRun& run) {
  NetworkTotals totals;
  std::map<std::string, LayerTime> layers;
  std::map<double, double> time_at_peak;
  for (const NetworkStep& step : run.steps) {
    const double time_us = number(step.result.at("time_us"));
    const double flop = number(step.result.at("flop"));
    totals.time_us += time_us;
    totals.flop += flop;
    const auto& memory = step.result.at("memory");
    totals.dram_bytes +=
        number(memory.at("dram_read_bytes")) + number(memory.at("dram_write_bytes"));
    totals.kernels += step.result.at("kernels").size();
    if (step.is_reused) ++totals.reused;
    if (step.is_told) ++totals.told;
    // Like steps err alike, so nothing is taken to even out.
    if (step.result.contains("sampling"))
      totals.half_width_us += time_us * number(step.result.at("sampling").at("half_width"));
    if (number(step.result.at("instructions").at("mma")) > 0) {
      totals.tensor_time_us += time_us;
      totals.tensor_active_us += time_us * number(step.result.at("pipe_active"));
      if (step.result.at("peak_tflops").is_number())
        time_at_peak[number(step.result.at("peak_tflops"))] += time_us;
    }
    add_to_layer(step, time_us, flop, layers[step.layer]);
  }
  if (!time_at_peak.empty())
    totals.peak_tflops = std::ranges::max_element(time_at_peak, {}, [](const auto& entry) {
                           return entry.second;
                         })->first;
  for (auto& [name, layer] : layers) totals.layers.push_back(std::move(layer));
  std::ranges::stable_sort(totals.layers, std::ranges::greater{}, &LayerTime::time_us);
  return totals;
}

}  // namespace tcsim::report
