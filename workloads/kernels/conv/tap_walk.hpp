#pragma once

#include <cstdint>

#include "models/isa/expression.hpp"

namespace tcsim::kernels {

/// How an implicit product walks along k over the taps of a filter and the channels behind each:
/// all taps of `tile_k` channels, then those of the next (CUTLASS's order); or, where there are
/// fewer channels than that, every tap with all its channels, one behind the other, so that a
/// k-tile holds several taps, unless `may_pack` is false: then what channels leave of a k-tile are
/// zeros.
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
    isa::Guard inside;        ///< fails beyond the last channel and the last tap
  };
  /// Element `k` of k-tile number `k_tile`.
  [[nodiscard]] Step step(const isa::Expression& k_tile, const isa::Expression& k) const;
};

}  // namespace tcsim::kernels
