#pragma once

#include <cstdint>

#include "models/isa/expression.hpp"

namespace tcsim::kernels {

/// How an implicit product walks along k over the taps of a filter and the channels of each tap.
/// Either all taps of `tile_k` channels, then those of the next channels (CUTLASS's order). Or, if
/// there are fewer channels than that, every tap with all its channels, without gaps, so that a
/// k-tile holds several taps. If `may_pack` is false, the part of a k-tile that channels leave free
/// holds zeros instead.
struct TapWalk {
  std::int64_t taps_h = 1;
  std::int64_t taps_w = 1;
  std::int64_t channels = 1;
  int tile_k = 32;
  bool may_pack = true;

  [[nodiscard]] bool is_packed() const { return may_pack && channels < tile_k; }
  [[nodiscard]] std::int64_t k_tiles() const;

  struct Step {
    isa::Expression row;     ///< of the tap
    isa::Expression column;  ///< of the tap
    isa::Expression channel;
    isa::Expression element;  ///< (row * taps_w + column) * channels + channel
    isa::Guard inside;        ///< false beyond the last channel and the last tap
  };
  /// Element `k` of k-tile number `k_tile`.
  [[nodiscard]] Step step(const isa::Expression& k_tile, const isa::Expression& k) const;
};

}  // namespace tcsim::kernels
