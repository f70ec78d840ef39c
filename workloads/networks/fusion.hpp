#pragma once

#include <vector>

#include "workloads/networks/program.hpp"

namespace tcsim::networks {

/// What one layer's kernel computes in addition to the layer: activation(result * scale +
/// residual).
struct FusedTail {
  static constexpr int kNoResidual = -2;

  bool has_scale = false;      ///< a batch norm, as scale and shift per channel
  int residual = kNoResidual;  ///< the other summand of an addition, as an index of Layer::inputs
  kernels::Activation activation = kernels::Activation::kNone;
  std::vector<int> layers;  ///< the layers that the kernel includes, in order
};

/// For every layer, the tail that its kernel includes: layers of which each is the only reader of
/// the result before it. At inference a convolution includes a batch norm, then, unless it is
/// depthwise, the addition of an earlier result of the same type, then a ReLU. A product with
/// weights includes such an addition, then an activation that the libraries' epilogues support. In
/// amp, where sums may be FP32, no kernel includes an addition. An addition always includes a ReLU.
std::vector<FusedTail> fuse(const Network& network, const LoweringOptions& options);

}  // namespace tcsim::networks
