#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workloads/networks/network.hpp"

namespace tcsim::networks {

/// The shape of a layer's result, or why there is none, in one sentence.
struct InferredShape {
  std::optional<Shape> shape;
  std::string reason;
};
InferredShape infer_shape(const Layer& layer, const std::vector<Shape>& inputs);

/// Gate, up, down: the products that each expert of a layer `experts` computes.
inline constexpr std::int64_t kProductsOfExpert = 3;

/// Groups of a convolution whose input has `channels` channels.
std::int64_t groups_of(const Layer& layer, std::int64_t channels);

}  // namespace tcsim::networks
