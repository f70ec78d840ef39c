#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/config/load.hpp"
#include "sim/run/request.hpp"
#include "sim/run/simulation_cost.hpp"
#include "workloads/import/workload.hpp"

namespace tcsim::run {

/// One run, or one step of a network, that has not been simulated.
struct Forecast {
  std::string title;    ///< as reports call it
  std::string machine;  ///< as requested
  std::string refused;  ///< why this row of a list cannot run; then everything below is 0
  std::int64_t kernels = 0;
  std::int64_t ctas = 0;
  SimulationWork work;
  Repetition repetition;  ///< of the kernel that takes longest
  HeldState held;
  double seconds = 0;     ///< of one thread, every cycle simulated
  double sampled_s = 0;   ///< the same, sampled
  double memory_mib = 0;  ///< of the host, at the most
};

/// True if `request` samples a run that is predicted to take `seconds` cycle by cycle.
bool is_sampled(const RunRequest& request, double seconds);
/// The seconds of `forecast` that apply to `request`, sampled or not.
double asked_seconds(const RunRequest& request, const Forecast& forecast);

/// What `request` would simulate of `workload` on `machine`. Throws as prepare_run does.
Forecast forecast_of(const RunRequest& request, const workload::Workload& workload,
                     const config::MachineFile& machine, const SimulationCost& cost);

/// What `request` would simulate: the one run; as many rows of `workloads` as request.limit allows,
/// on every machine; or the different steps of a network, each with the number of equal steps, or,
/// if sampled, with the number that its cluster needs. Throws as Session and NetworkSession do;
/// rows of lists are refused instead.
std::vector<Forecast> forecast(const RunRequest& request,
                               const std::vector<workload::Workload>& workloads);
std::vector<Forecast> forecast_network(const RunRequest& request);

}  // namespace tcsim::run
