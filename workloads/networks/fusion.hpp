#pragma once

#include <vector>

#include "workloads/networks/program.hpp"

namespace tcsim::networks {

/// What one layer's kernel computes beyond the layer itself: activation(result * scale + residual).
struct FusedTail {
  static constexpr int kNoResidual = -2;

  bool has_scale = false;      ///< a batch norm, as scale and shift per channel
  int residual = kNoResidual;  ///< what an addition adds, as an index of Layer::inputs
  kernels::Activation activation = kernels::Activation::kNone;
  std::vector<int> layers;  ///< those that the kernel takes over, in order
};

/// For every layer the tail that its kernel takes over. At inference a convolution takes a batch
/// norm and a ReLU that alone read its result. A product with weights takes an activation that the
/// epilogues of libraries have, and before that the addition of an earlier result of the same type:
/// not in amp, where sums may be FP32, nor in int8. An addition takes a ReLU always.
std::vector<FusedTail> fuse(const Network& network, const LoweringOptions& options);

}  // namespace tcsim::networks
