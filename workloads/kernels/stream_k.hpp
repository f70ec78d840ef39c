#pragma once

#include <cstdint>
#include <vector>

#include "models/isa/expression.hpp"

namespace tcsim::kernels {

/// How stream-K deals a product (Osama et al., PPoPP 2023), as CUTLASS 2.11 does
/// (ThreadblockSwizzleStreamK). The k-tiles of all tiles of D lie behind one another. The first
/// `shared_ctas` CTAs cut those of the first `shared_tiles` tiles into equal ranges; each of the
/// others takes a tile. A CTA walks through its tiles from the last to the first: what it leaves
/// unfinished comes first, and it waits, for CTAs of lower numbers alone, with its last tile.
class StreamK {
 public:
  /// One CTA per tile, or more and fewer where the last wave of tiles would leave SMs idle:
  /// CUTLASS's choice for a machine that holds `ctas_per_sm` CTAs on each of `sms` SMs. `tiles_m`
  /// and `tiles_n` are the tiles of D, `k_tiles` the k-tiles of each.
  StreamK(std::int64_t tiles_m, std::int64_t tiles_n, std::int64_t k_tiles, std::int64_t sms,
          std::int64_t ctas_per_sm);

  [[nodiscard]] std::int64_t ctas() const { return shared_ctas_ + tiles_ - shared_tiles_; }
  [[nodiscard]] std::int64_t shared_ctas() const { return shared_ctas_; }
  [[nodiscard]] std::int64_t shared_tiles() const { return shared_tiles_; }

  /// Number of the first k-tile of CTA `cta`, of all k-tiles; that of ctas() is their count.
  [[nodiscard]] std::int64_t begin(std::int64_t cta) const;
  /// k-tiles inside tile (row, column), ascending, at which one CTA hands over to the next.
  [[nodiscard]] std::vector<std::int64_t> cuts(std::int64_t row, std::int64_t column) const;

  /// What the programs compute: WarpProgram::uniforms, the outermost loop walking through the
  /// tiles of a CTA.
  [[nodiscard]] std::vector<isa::Expression> uniforms() const;
  static constexpr isa::Variable kTiles = isa::uniform_variable(5);      ///< that the CTA works on
  static constexpr isa::Variable kTile = isa::uniform_variable(6);       ///< number of this one
  static constexpr isa::Variable kKBegin = isa::uniform_variable(7);     ///< first k-tile in it
  static constexpr isa::Variable kKEnd = isa::uniform_variable(8);       ///< behind the last
  static constexpr isa::Variable kRow = isa::uniform_variable(9);        ///< of tiles
  static constexpr isa::Variable kColumn = isa::uniform_variable(10);    ///< of tiles
  static constexpr isa::Variable kFirstCta = isa::uniform_variable(11);  ///< that works on it

  /// 1 if other CTAs have worked on the tile before, else 0.
  [[nodiscard]] isa::Expression continues() const;
  /// 1 if the CTA brings the tile to its end, else 0.
  [[nodiscard]] isa::Expression finishes() const;
  /// CTAs that have worked on the tile before.
  [[nodiscard]] isa::Expression peers_before() const;

 private:
  void share(std::int64_t first_tiles, std::int64_t sms, std::int64_t fewest, std::int64_t most);
  [[nodiscard]] isa::Expression begin_of(std::int64_t offset, isa::Variable in_region) const;
  [[nodiscard]] isa::Expression in_region(std::int64_t offset) const;
  [[nodiscard]] isa::Expression row() const;
  [[nodiscard]] isa::Expression column() const;
  [[nodiscard]] isa::Expression first_cta() const;
  [[nodiscard]] std::int64_t tile_number(std::int64_t row, std::int64_t column) const;

  std::int64_t tiles_m_;
  std::int64_t tiles_;
  std::int64_t k_tiles_;       ///< of a tile
  std::int64_t strip_;         ///< tiles along n of a strip, in which they are numbered row by row
  std::int64_t last_strip_;    ///< of the last strip, if that is narrower; else 0
  std::int64_t whole_strips_;  ///< tiles in the others
  std::int64_t shared_tiles_ = 0;
  std::int64_t shared_ctas_ = 0;
  // Where several CTAs come on each tile, every tile is a region of its own, else all are one.
  std::int64_t region_ctas_ = 1;
  std::int64_t region_k_tiles_ = 0;
  std::int64_t short_range_ = 0;  ///< k-tiles of a CTA
  std::int64_t long_ranges_ = 0;  ///< CTAs of a region that have one more
};

}  // namespace tcsim::kernels
