#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/report/network_report.hpp"

namespace tcsim::report {

/// Sums over the steps of a layer, or of layers that repeat with their block.
struct LayerTime {
  std::string layer;
  int steps = 0;
  double time_us = 0;
  double flop = 0;
  double longest_us = 0;
  std::string bound_by;  ///< of the step that takes longest
};

/// Sums over a run.
struct NetworkTotals {
  double time_us = 0;
  double half_width_us = 0;           ///< of the 95 % interval of a sampled run's time
  int collectives = 0;                ///< collective operations
  double collective_us = 0;           ///< time of these
  double collective_bytes = 0;        ///< of their results
  double flop = 0;                    ///< useful operations of products
  std::string rate_unit;              ///< of its rates: "TFLOPS", or "TOPS" (RateUnit)
  std::optional<double> peak_tflops;  ///< of the unit and type most used; tensor cores first
  double tensor_time_us = 0;          ///< of kernels that have matrix instructions
  double tensor_active_us = 0;        ///< the part of it that the tensor pipes work
  double dram_bytes = 0;
  double l2_bytes = 0;
  double energy_j = 0;       ///< of all steps that have energies
  double energy_us = 0;      ///< time of these steps
  double dram_energy_j = 0;  ///< the part of it that DRAM draws
  std::uint64_t cycles = 0;
  double clock_mhz = 0;       ///< of the SMs
  std::string bound_by;       ///< the bottleneck for the longest time
  double pipe_active_us = 0;  ///< time times what the pipes are active, over all steps
  double issue_taken_us = 0;  ///< the same of issue slots taken by MMAs
  double tensor_peak_us = 0;  ///< the same of the share of the peak that MMAs reach
  std::uint64_t warp_instructions = 0;
  std::uint64_t mma_instructions = 0;
  std::vector<std::pair<std::string, std::uint64_t>> cycles_by_reason;  ///< as the steps order them
  std::size_t kernels = 0;
  std::size_t reused = 0;         ///< steps
  std::size_t estimated = 0;      ///< steps estimated from similar ones
  std::vector<LayerTime> layers;  ///< the longest first
  std::vector<LayerTime> likes;   ///< the same of layers that repeat, by like_name

  /// Steps estimated from members of equal times have no half-width.
  [[nodiscard]] bool is_sampled() const { return estimated > 0 || half_width_us > 0; }
  /// Mean over the steps that have energies.
  [[nodiscard]] double power_w() const { return energy_us > 0 ? energy_j / energy_us * 1e6 : 0; }
  [[nodiscard]] double tflops() const { return time_us > 0 ? flop / time_us / 1e6 : 0; }
  [[nodiscard]] double tensor_share() const { return time_us > 0 ? tensor_time_us / time_us : 0; }
};

NetworkTotals totals_of(const NetworkRun& run);

}  // namespace tcsim::report
