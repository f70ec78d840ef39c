#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/isa/launch.hpp"
#include "sim/run/request.hpp"
#include "workloads/import/workload.hpp"

namespace tcsim::run {

/// What launches execute, all lanes on, as far as it takes time to simulate.
struct SimulationWork {
  std::int64_t warp_instructions = 0;
  std::int64_t mma_instructions = 0;  ///< of these
  std::int64_t sectors = 0;           ///< of 32 bytes that they read or write globally
  std::int64_t buffer_sectors = 0;    ///< of the buffers of each launch: what may come from DRAM

  SimulationWork& operator+=(const SimulationWork& other);
};
SimulationWork work_of(const std::vector<isa::KernelLaunch>& launches);

/// Seconds that one thread of a host takes, each part by itself: configs/simulator/cost.yaml, which
/// scripts/cost_model fits.
struct SimulationCost {
  double start_s = 0;
  double instruction_ns = 0;  ///< of a warp, no MMA
  double mma_instruction_ns = 0;
  double sector_ns = 0;
  double buffer_sector_ns = 0;
  double memory_share = 0;  ///< of the whole, by the memory side, which one thread does

  [[nodiscard]] double seconds(const SimulationWork& work) const;
};
/// Throws config::ConfigError for mistakes in the file, IoError if it cannot be read.
SimulationCost read_simulation_cost();

/// One run, or one step of a network, that has not been simulated.
struct Forecast {
  std::string title;    ///< as reports call it
  std::string machine;  ///< as asked for
  std::string refused;  ///< why this row of a list cannot run; then all below is 0
  std::int64_t kernels = 0;
  std::int64_t ctas = 0;
  SimulationWork work;
  double seconds = 0;  ///< of one thread, every cycle simulated
};

/// What `request` would simulate: the one run, every row of `workloads` on every machine, or of a
/// network the steps that differ, each once. Throws as Session and NetworkSession do; rows of lists
/// are refused instead.
std::vector<Forecast> forecast(const RunRequest& request,
                               const std::vector<workload::Workload>& workloads);
std::vector<Forecast> forecast_network(const RunRequest& request);

}  // namespace tcsim::run
