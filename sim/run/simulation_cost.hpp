#pragma once

#include <cstdint>
#include <vector>

#include "models/isa/launch.hpp"
#include "sim/run/repetition.hpp"

namespace tcsim::run {

/// What launches execute, with all lanes on, that takes time to simulate.
struct SimulationWork {
  std::int64_t warp_instructions = 0;
  std::int64_t mma_instructions = 0;  ///< of these
  std::int64_t sectors = 0;           ///< of 32 bytes that they read or write globally
  std::int64_t buffer_sectors = 0;    ///< of the buffers of each launch: what may come from DRAM

  SimulationWork& operator+=(const SimulationWork& other);
  SimulationWork& operator*=(std::int64_t times);
};
SimulationWork work_of(const isa::KernelLaunch& launch);
SimulationWork work_of(const std::vector<isa::KernelLaunch>& launches);

/// What a simulation of a chip holds in memory.
struct HeldState {
  std::int64_t sms = 0;
  std::int64_t l2_lines = 0;
  std::int64_t warps = 0;  ///< resident at once, at most
};

/// The cost of a simulation on one thread of a host: configs/simulator/cost.yaml, which
/// scripts/cost_model fits.
struct SimulationCost {
  double start_s = 0;
  double instruction_ns = 0;  ///< of a warp instruction that is not an MMA
  double mma_instruction_ns = 0;
  double sector_ns = 0;
  double buffer_sector_ns = 0;
  double memory_share = 0;  ///< of the whole, spent on the memory side, which one thread runs
  /// A sampled run simulates this many iterations of a loop and this share of those beyond; and of
  /// all iterations of all waves no more than the last number.
  double sampled_trips = 0;
  double sampled_share = 0;
  double sampled_iterations = 0;
  double program_mib = 0;
  double sm_kib = 0;
  double l2_line_bytes = 0;  ///< of the host, for each line of the L2
  double warp_bytes = 0;

  [[nodiscard]] double seconds(const SimulationWork& work) const;
  /// The share of a launch that a sampled run simulates, from 0 to 1.
  [[nodiscard]] double share_sampled(const Repetition& repetition) const;
  [[nodiscard]] double memory_mib(const HeldState& state) const;
};
/// Throws config::ConfigError for mistakes in the file, IoError if it cannot be read.
SimulationCost read_simulation_cost();

}  // namespace tcsim::run
