#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/isa/cycle.hpp"

namespace tcsim::gpu {

class LoopHistory;

struct SamplingOptions {
  double error = 0.02;      ///< requested precision: relative half-width of the time
  double instructions = 0;  ///< warp instructions of the whole run; 0: unknown
  /// How CTAs of earlier runs of the same kernels went through their loops, on a machine with the
  /// same counters: used for estimates, and extended. Null: nothing is known. It must outlive the
  /// run.
  LoopHistory* history = nullptr;
  Cycle max_cycles = 0;   ///< at which the run will be stopped; 0: no limit
  bool gives_up = false;  ///< stops (StopReason::kUnsure) when it cannot be that precise any more

  /// Relative half-width of a rate at which a gap may begin; the rest of the error is for the gaps.
  [[nodiscard]] double tolerance() const { return error / 2; }
};

/// A part that a sampled run has left out.
struct LeftOut {
  Cycle at = 0;              ///< simulated cycles before it
  bool is_of_waves = false;  ///< waves of a grid; otherwise iterations of loops
  double instructions = 0;   ///< of warps
  double cycles = 0;         ///< estimated
  double half_width = 0;     ///< in cycles
};

/// What a sampled run has skipped.
struct Sampling {
  int gaps = 0;
  double cycles_left_out = 0;        ///< SM cycles, estimated
  double half_width_cycles = 0;      ///< of their 95 % interval
  double instructions_left_out = 0;  ///< warp instructions
  /// Half-widths of the estimated counters, 95 %: "sub_core.cycles_barrier", as stats::Values names
  /// them.
  std::map<std::string, double> half_widths{};
  std::vector<LeftOut> parts{};  ///< in the order of time
};

}  // namespace tcsim::gpu
