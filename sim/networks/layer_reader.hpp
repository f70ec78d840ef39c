#pragma once

#include <cstdint>
#include <optional>

#include "sim/networks/map_reader.hpp"
#include "workloads/networks/network.hpp"

namespace tcsim::networks {

/// The largest extent, window, or number of heads or repetitions that a file may give.
inline constexpr std::int64_t kMostPixels = 65535;

/// The kind that `op` of a layer names; nothing, and a mistake, if there is none.
std::optional<LayerKind> read_kind(MapReader& map);

/// Reads what `layer.kind` needs. `channels` are those of the layer's first input, which the word
/// "channels" stands for.
void read_parameters(MapReader& map, std::int64_t channels, Layer& layer);

}  // namespace tcsim::networks
