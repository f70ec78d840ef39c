#pragma once

#include <cstdint>
#include <optional>

#include "sim/config/strict_map.hpp"
#include "workloads/networks/network.hpp"

namespace tcsim::networks {

/// The largest window, stride, or number of heads or repetitions that a file may give.
inline constexpr std::int64_t kMostPixels = 65535;

/// The largest extent of an image, number of tokens, channels or features.
inline constexpr std::int64_t kMostFeatures = std::int64_t{1} << 24;

/// The kind that `op` of a layer names; nothing, and a mistake, if there is none.
std::optional<LayerKind> read_kind(config::StrictMap& map);

/// Reads what `layer.kind` needs. The word "channels" means `channels`, those of the layer's first
/// input.
void read_parameters(config::StrictMap& map, std::int64_t channels, Layer& layer);

}  // namespace tcsim::networks
