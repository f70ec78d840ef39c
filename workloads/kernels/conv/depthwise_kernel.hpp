#pragma once

#include "models/isa/launch.hpp"
#include "workloads/kernels/conv/conv.hpp"

namespace tcsim::kernels {

/// How a depthwise kernel divides y among threads: a thread computes `vector` channels of `outputs`
/// neighbouring pixels of a row; `lanes` threads side by side have neighbouring channels, and the
/// CTA as many such runs of pixels as it has room for.
struct DepthwiseShape {
  int vector = 2;      ///< channels: 2 or 4
  int outputs = 1;     ///< pixels
  int lanes = 1;       ///< a power of two, at most 16
  bool staged = true;  ///< filters come through shared memory

  static constexpr int kWarps = 4;
  [[nodiscard]] int runs_per_cta() const { return kWarps * 32 / lanes; }
  [[nodiscard]] int channels_per_cta() const { return lanes * vector; }
};

/// The shape for `problem` on `target`: as many pixels per thread as leave every SM some CTAs.
DepthwiseShape depthwise_shape(const ConvProblem& problem, const Target& target);

/// The kernel (control bits not yet set) on buffers x, w and y, which it leaves to the caller.
/// Requires an even number of channels, one filter for each.
isa::KernelLaunch make_depthwise(const ConvProblem& problem, const Target& target);

}  // namespace tcsim::kernels
