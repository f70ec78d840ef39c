#pragma once

namespace tcsim::gpu {

struct SamplingOptions {
  double error = 0.02;      ///< asked for: relative half-width of the time
  double instructions = 0;  ///< warp instructions of the whole run; 0: not known

  /// Relative half-width of a rate at which a gap may begin; the rest is for the gaps.
  [[nodiscard]] double tolerance() const { return error / 2; }
};

/// What a sampled run has left out.
struct Sampling {
  int gaps = 0;
  double cycles_left_out = 0;        ///< SM cycles, estimated
  double half_width_cycles = 0;      ///< of their 95 % interval
  double instructions_left_out = 0;  ///< warp instructions
};

}  // namespace tcsim::gpu
