#pragma once

#include "models/isa/launch.hpp"
#include "workloads/kernels/conv/conv.hpp"

namespace tcsim::kernels {

/// How a depthwise kernel divides y among threads. A thread computes `vector` channels of `outputs`
/// neighbouring pixels of a row. `lanes` adjacent threads have neighbouring channels, and the CTA
/// has as many such runs of pixels as it has room for.
struct DepthwiseShape {
  int vector = 2;      ///< channels: 2 or 4
  int outputs = 1;     ///< pixels
  int lanes = 1;       ///< a power of two, at most 16
  bool staged = true;  ///< filters go through shared memory

  static constexpr int kWarps = 4;
  [[nodiscard]] int runs_per_cta() const { return kWarps * 32 / lanes; }
  [[nodiscard]] int channels_per_cta() const { return lanes * vector; }
};

/// The shape for `problem` on `target`: as many pixels per thread as still leave every SM some
/// CTAs.
DepthwiseShape depthwise_shape(const ConvProblem& problem, const Target& target);

/// The kernel (control bits not yet set); the caller adds its buffers x, w and y. Requires an even
/// number of channels, with one filter each.
isa::KernelLaunch make_depthwise(const ConvProblem& problem, const Target& target);

}  // namespace tcsim::kernels
