#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/isa/expression.hpp"
#include "workloads/kernels/gemm.hpp"
#include "workloads/kernels/stream_k.hpp"
#include "workloads/kernels/tile_strips.hpp"

namespace tcsim::kernels {

/// The k-tiles of a product, cut into `count` slices of `tiles` each; the last slice has `missing`
/// fewer.
struct KSlices {
  int count = 1;
  std::int64_t tiles = 1;
  std::int64_t missing = 0;

  /// Slices of equal numbers of whole k-tiles, as CUTLASS cuts them. Requires that none is empty:
  /// see leaves_empty_slice.
  KSlices(const GemmProblem& problem, const GemmTile& tile);
  /// True if tile.split_k slices of whole k-tiles leave the last slice empty.
  static bool leaves_empty_slice(const GemmProblem& problem, const GemmTile& tile);
  /// Says so.
  static std::string empty_slice_text(const GemmProblem& problem, const GemmTile& tile);
};

/// The k-tiles of products whose batches do not all have the same number.
struct BatchKTiles {
  isa::Expression k_tiles;  ///< over the batch
  std::int64_t fewest = 0;
  double mean = 0;
};

/// Which part of the product a CTA computes. CTAs walk along N inside strips of 2^log tiles, so
/// that CTAs resident at once share rows of A and columns of B in L2 (kernels.md 3, CUTLASS 2.x):
/// row = x >> log, column = (y << log) + (x mod 2^log), batch = z div slices, slice = z mod slices.
/// With stream-K a CTA has only a number, and the program computes what it works on; tiles are
/// numbered by strips of up to 8.
class Raster {
 public:
  Raster(const GemmProblem& problem, const GemmTile& tile);
  /// Gives each batch its own number of k-tiles, none more than the product. Requires tiles that do
  /// not divide k.
  void set_k_tiles(BatchKTiles by_batch) { by_batch_ = std::move(by_batch); }
  /// Deals the k-tiles by stream-K to a machine with `sms` SMs that each hold `ctas_per_sm` CTAs.
  void deal(std::int64_t sms, std::int64_t ctas_per_sm);
  [[nodiscard]] const std::optional<StreamK>& stream_k() const { return stream_k_; }
  /// The k-tiles at which stream-K passes tile (row, column) on. Requires stream_k().
  [[nodiscard]] std::vector<std::int64_t> stream_k_cuts(std::int64_t row,
                                                        std::int64_t column) const;
  /// WarpProgram::uniforms of stream-K.
  [[nodiscard]] std::vector<isa::Expression> uniforms() const;

  [[nodiscard]] std::array<std::int64_t, 3> grid() const;
  [[nodiscard]] std::int64_t tiles_m() const { return tiles_m_; }
  [[nodiscard]] std::int64_t tiles_n() const { return tiles_n_; }
  /// Tiles of a strip along N.
  [[nodiscard]] std::int64_t strip() const { return std::int64_t{1} << log_; }

  /// Adds weight * (row of tiles) or weight * (column of tiles).
  void add_row(isa::Expression& sum, std::int64_t weight) const;
  void add_column(isa::Expression& sum, std::int64_t weight) const;
  /// Adds weight * (batch) or weight * (slice of k).
  void add_batch(isa::Expression& sum, std::int64_t weight) const;
  void add_slice(isa::Expression& sum, std::int64_t weight) const;

  [[nodiscard]] const KSlices& slices() const { return slices_; }
  /// 1 in the last slice, else 0.
  [[nodiscard]] isa::Expression in_last_slice() const;
  /// Adds the number, within its tile, of the k-tile at which the CTA begins.
  void add_first_k_tile(isa::Expression& sum) const;
  /// Iterations of the main loop: the k-tiles of the CTA's slice.
  [[nodiscard]] isa::Expression k_tiles() const;
  /// The fewest k-tiles of any CTA.
  [[nodiscard]] std::int64_t fewest_k_tiles() const;
  /// The mean number of k-tiles of a slice.
  [[nodiscard]] double mean_k_tiles() const;
  /// True if some CTAs end before the last k-tile of the product.
  [[nodiscard]] bool ends_early() const {
    return stream_k_.has_value() || slices_.count > 1 || by_batch_.has_value();
  }

  /// True if the last strip is wider than the rest of N: its CTAs beyond the edge must exit.
  [[nodiscard]] bool has_idle_ctas() const { return idle_ctas() > 0; }
  /// Number of these CTAs.
  [[nodiscard]] std::int64_t idle_ctas() const;
  /// True for the CTAs beyond the edge.
  [[nodiscard]] isa::Guard idle() const;

 private:
  std::int64_t tiles_m_;
  std::int64_t tiles_n_;
  std::int64_t batch_;
  int log_;
  KSlices slices_;
  std::optional<BatchKTiles> by_batch_;
  TileStrips strips_;  ///< of stream-K
  std::optional<StreamK> stream_k_;
};

}  // namespace tcsim::kernels
