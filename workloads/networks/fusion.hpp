#pragma once

#include <vector>

#include "workloads/networks/network.hpp"

namespace tcsim::networks {

/// What one layer's kernel computes beyond the layer itself.
struct FusedTail {
  bool has_scale = false;  ///< a batch norm, as scale and shift per channel
  bool has_relu = false;
  int last = 0;  ///< the layer whose result the kernel stores
};

/// For every layer the tail that its kernel takes over; `last` is the layer itself where there is
/// none. At inference a convolution takes a batch norm and a ReLU that alone read its result; an
/// addition takes a ReLU always.
std::vector<FusedTail> fuse(const Network& network, bool is_training);

}  // namespace tcsim::networks
