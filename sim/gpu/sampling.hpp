#pragma once

namespace tcsim::gpu {

struct SamplingOptions {
  double tolerance = 0.01;  ///< relative half-width of a rate at which a gap may begin
  double longest_gap = 1;   ///< share of what lies ahead that a gap may take
};

/// What a sampled run has left out.
struct Sampling {
  int gaps = 0;
  double cycles_left_out = 0;        ///< SM cycles, estimated
  double half_width_cycles = 0;      ///< of their 95 % interval
  double instructions_left_out = 0;  ///< warp instructions
};

}  // namespace tcsim::gpu
