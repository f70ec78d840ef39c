#pragma once

#include <algorithm>
#include <vector>

#include "scripts/gpu/common/graph.cuh"
#include "scripts/gpu/common/nvml.hpp"
#include "scripts/gpu/common/statistics.hpp"
#include "scripts/gpu/microbench/launch_shape.cuh"

namespace tcsim::measure {

/// Time of one call and the state of the board during the measurement; -1 without a sensor.
struct Timing {
  Spread us;
  int runs = 0;
  int calls = 0;  ///< back to back in one run
  int sm_mhz = -1;
  int temperature_c = -1;
  int power_w = -1;
};

/// `work(stream)` in graphs with enough calls that a run takes 5 ms or more, repeated for 0.16 s
/// after a warm-up of half as many runs. The clock is read during every run, the other sensors
/// once.
template <class Work>
Timing time_calls(Work work, const Nvml& nvml) {
  constexpr double kRunMs = 5;
  constexpr int kRuns = 32;
  work(nullptr);
  finish("first call");
  const double once = std::max(0.001, milliseconds([&] { work(nullptr); }));
  Timing timing;
  timing.calls = std::clamp(static_cast<int>(kRunMs / once) + 1, 1, 500);
  timing.runs = std::clamp(static_cast<int>(kRuns * kRunMs / (once * timing.calls)), 5, kRuns);
  const Graph graph([&](cudaStream_t stream) {
    for (int call = 0; call < timing.calls; ++call) work(stream);
  });
  for (int run = 0; run < (timing.runs + 1) / 2; ++run) graph.launch(nullptr);
  finish("warm-up");
  std::vector<double> times;
  std::vector<double> clocks;
  for (int run = 0; run < timing.runs; ++run) {
    const double ms = milliseconds([&] { graph.launch(nullptr); },
                                   [&] {
                                     clocks.push_back(nvml.sm_mhz());
                                     if (run != timing.runs / 2) return;
                                     timing.temperature_c = nvml.temperature_c();
                                     const int power_mw = nvml.power_mw();
                                     timing.power_w = power_mw < 0 ? -1 : power_mw / 1000;
                                   });
    times.push_back(1000 * ms / timing.calls);
  }
  timing.us = spread_of(times);
  timing.sm_mhz = static_cast<int>(spread_of(clocks).median);
  return timing;
}

}  // namespace tcsim::measure
