#pragma once

#include <cstdint>
#include <vector>

#include "models/isa/expression.hpp"
#include "workloads/kernels/raster.hpp"

namespace tcsim::kernels {

/// Batches of a product that walk over equally many taps.
struct TapClass {
  std::int64_t taps_h = 1;
  std::int64_t taps_w = 1;
  std::int64_t batches = 1;  ///< in the class
  isa::Expression others{};  ///< over the batch: 0 in this class, positive in the others

  [[nodiscard]] std::int64_t taps() const { return taps_h * taps_w; }
};

/// How an implicit product walks along k over the taps of a filter and the channels of each tap.
/// Either all taps of `tile_k` channels, then those of the next channels (CUTLASS's order). Or, if
/// there are fewer channels than that, every tap with all its channels, without gaps, so that a
/// k-tile holds several taps. If `may_pack` is false, the part of a k-tile that channels leave free
/// holds zeros instead. If there are `classes` of batches, each walks over its own taps, and a
/// k-tile never holds several.
struct TapWalk {
  std::int64_t taps_h = 1;  ///< of the class that has most
  std::int64_t taps_w = 1;  ///< of the class that has most
  std::int64_t channels = 1;
  int tile_k = 32;
  bool may_pack = true;
  std::vector<TapClass> classes{};  ///< none if all batches walk over the same taps

  [[nodiscard]] bool is_packed() const { return may_pack && classes.empty() && channels < tile_k; }
  /// Of the batches that have most.
  [[nodiscard]] std::int64_t k_tiles() const;
  /// Of each batch. Requires classes.
  [[nodiscard]] BatchKTiles k_tiles_by_batch() const;

  struct Step {
    isa::Expression row;     ///< of the tap
    isa::Expression column;  ///< of the tap
    isa::Expression channel;
    isa::Expression element;  ///< (row * taps_w + column) * channels + channel; not for classes
    isa::Guard inside;        ///< false beyond the last channel and the last tap
  };
  /// Element `k` of k-tile number `k_tile`.
  [[nodiscard]] Step step(const isa::Expression& k_tile, const isa::Expression& k) const;

 private:
  [[nodiscard]] std::int64_t k_tiles_of_tap() const;
  void add_taps_of_classes(const isa::Expression& k_tile, Step& step) const;
};

}  // namespace tcsim::kernels
