#pragma once

#include <cstdint>
#include <vector>

#include "models/isa/expression.hpp"
#include "workloads/kernels/stream_k_deal.hpp"

namespace tcsim::kernels {

/// How the workers of stream-K (Osama et al., PPoPP 2023) walk through their share. A unit works on
/// the shared tiles of its range from the last to the first: it starts with the tile that it leaves
/// unfinished and ends with the tile for which it waits, only for units with lower numbers. Then it
/// takes whole tiles.
class StreamK {
 public:
  explicit StreamK(const StreamKDeal& deal);

  [[nodiscard]] const StreamKDeal& deal() const { return deal_; }

  /// Number of the first k-tile of unit `unit` within its region, and the number after its last
  /// one.
  [[nodiscard]] std::int64_t begin(std::int64_t unit) const;
  [[nodiscard]] std::int64_t end(std::int64_t unit) const;
  /// k-tiles inside tile `tile`, ascending, at which one unit hands over to the next.
  [[nodiscard]] std::vector<std::int64_t> cuts(std::int64_t tile) const;

  /// The values that the programs compute, which come first in WarpProgram::uniforms. The outermost
  /// loop walks through the tiles of a worker.
  [[nodiscard]] std::vector<isa::Expression> uniforms() const;
  static constexpr int kUniforms = 13;  ///< size of uniforms()
  /// Number of the current tile.
  static constexpr isa::Variable kTile = isa::uniform_variable(8);
  static constexpr isa::Variable kKBegin = isa::uniform_variable(9);  ///< first k-tile in the tile
  static constexpr isa::Variable kKEnd = isa::uniform_variable(10);   ///< after the last k-tile
  /// k-tiles that the worker has processed before this tile.
  static constexpr isa::Variable kKBefore = isa::uniform_variable(12);

  /// Number of tiles of a worker; may be 0.
  [[nodiscard]] isa::Expression trips() const;
  /// k-tiles of all its tiles.
  [[nodiscard]] isa::Expression all_k_tiles() const;
  /// k-tiles of the current tile.
  [[nodiscard]] static isa::Expression k_tiles() { return {0, {{kKEnd, 1}, {kKBegin, -1}}, {}}; }

  /// 1 if other units have worked on the tile before, else 0.
  [[nodiscard]] isa::Expression continues() const;
  /// 1 if the worker finishes the tile, else 0.
  [[nodiscard]] isa::Expression finishes() const;
  /// Units that have worked on the tile before; and the same as a sum of terms, for tiles that the
  /// worker continues.
  [[nodiscard]] isa::Expression peers_before() const;
  [[nodiscard]] static isa::Expression peers_of_continued();

 private:
  /// The ranges of a region: `units` of them, the first `longer` of which have one k-tile more than
  /// `range`.
  struct Region {
    std::int64_t k_tiles;
    std::int64_t range;
    std::int64_t longer;
  };
  [[nodiscard]] Region region(bool is_big) const;
  [[nodiscard]] std::int64_t to_edge(std::int64_t k_tile) const;
  [[nodiscard]] std::int64_t place_begin(std::int64_t region, std::int64_t place) const;
  [[nodiscard]] isa::Expression region_number() const;
  [[nodiscard]] isa::Expression place_in_region() const;
  [[nodiscard]] isa::Expression raw_begin(std::int64_t offset) const;
  [[nodiscard]] isa::Expression at_edge(isa::Variable raw) const;
  [[nodiscard]] isa::Expression shared_trips() const;
  [[nodiscard]] isa::Expression tile() const;
  [[nodiscard]] isa::Expression k_begin() const;
  [[nodiscard]] isa::Expression k_end() const;
  [[nodiscard]] isa::Expression first_unit() const;
  [[nodiscard]] isa::Expression k_before() const;
  [[nodiscard]] isa::Term worker(std::int64_t coefficient) const;
  [[nodiscard]] isa::Term turn(std::int64_t coefficient) const;
  [[nodiscard]] isa::Term tile_begin(std::int64_t coefficient) const;
  template <typename Add>
  void for_each_kind(Add add) const;
  void add_whole_trips(isa::Expression& to, std::int64_t coefficient) const;

  StreamKDeal deal_;
  std::int64_t units_;  ///< of a region
};

}  // namespace tcsim::kernels
