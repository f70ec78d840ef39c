#include "workloads/kernels/raster.hpp"

#include <algorithm>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/expression_math.hpp"

namespace tcsim::kernels {
namespace {

constexpr isa::Variable kRow = isa::uniform_variable(StreamK::kUniforms);
constexpr isa::Variable kColumn = isa::uniform_variable(StreamK::kUniforms + 1);

/// Tiles of a stream-K strip along n.
std::int64_t stream_k_strip(std::int64_t tiles_n) {
  return tiles_n >= 6 ? std::min<std::int64_t>(8, tiles_n) : std::min<std::int64_t>(4, tiles_n);
}

/// CUTLASS's widest strip that leaves at most one CTA in eight beyond the edge (strip widths:
/// kernels.md 3). Such CTAs exit at once, but have taken the places of others.
int strip_log(std::int64_t tiles_n) {
  int log = tiles_n >= 6 ? 3 : tiles_n >= 3 ? 2 : tiles_n >= 2 ? 1 : 0;
  const auto idle = [&] {
    const std::int64_t width = std::int64_t{1} << log;
    return ceil_div(tiles_n, width) * width - tiles_n;
  };
  while (8 * idle() > tiles_n) --log;
  return log;
}

}  // namespace

KSlices::KSlices(const GemmProblem& problem, const GemmTile& tile) : count(tile.split_k) {
  const auto all = ceil_div<std::int64_t>(problem.k, tile.k);
  tiles = ceil_div<std::int64_t>(all, count);
  missing = tiles * count - all;
}

bool KSlices::leaves_empty_slice(const GemmProblem& problem, const GemmTile& tile) {
  const KSlices slices(problem, tile);
  return slices.missing >= slices.tiles;
}

std::string KSlices::empty_slice_text(const GemmProblem& problem, const GemmTile& tile) {
  const KSlices slices(problem, tile);
  return "k = " + std::to_string(problem.k) + " has " +
         std::to_string(ceil_div<std::int64_t>(problem.k, tile.k)) +
         " k-tiles: " + std::to_string(slices.count) + " slices of " +
         std::to_string(slices.tiles) + " leave the last one empty";
}

Raster::Raster(const GemmProblem& problem, const GemmTile& tile)
    : tiles_m_(ceil_div<std::int64_t>(problem.m, tile.m)),
      tiles_n_(ceil_div<std::int64_t>(problem.n, tile.n)),
      batch_(problem.batch),
      log_(strip_log(tiles_n_)),
      slices_(problem, tile),
      strips_(tiles_m_, tiles_n_, stream_k_strip(tiles_n_)) {}

void Raster::deal(std::int64_t sms, std::int64_t ctas_per_sm) {
  stream_k_.emplace(deal_to_ctas(tiles_m_ * tiles_n_, slices_.tiles, sms, ctas_per_sm));
}

std::vector<std::int64_t> Raster::stream_k_cuts(std::int64_t row, std::int64_t column) const {
  return stream_k_->cuts(strips_.number(row, column));
}

std::vector<isa::Expression> Raster::uniforms() const {
  std::vector<isa::Expression> uniforms = stream_k_->uniforms();
  uniforms.push_back(strips_.row(StreamK::kTile));
  uniforms.push_back(strips_.column(StreamK::kTile));
  return uniforms;
}

std::array<std::int64_t, 3> Raster::grid() const {
  if (stream_k_) return {stream_k_->deal().workers, 1, 1};
  return {tiles_m_ << log_, ceil_div(tiles_n_, std::int64_t{1} << log_), batch_ * slices_.count};
}

void Raster::add_row(isa::Expression& sum, std::int64_t weight) const {
  if (stream_k_) return add_term(sum, {.variable = kRow, .coefficient = weight});
  add_term(sum, {.variable = isa::Variable::kCtaX, .coefficient = weight, .divisor = 1U << log_});
}

void Raster::add_column(isa::Expression& sum, std::int64_t weight) const {
  if (stream_k_) return add_term(sum, {.variable = kColumn, .coefficient = weight});
  add_term(sum, {.variable = isa::Variable::kCtaY, .coefficient = weight << log_});
  if (log_ > 0) add_field(sum, {isa::Variable::kCtaX, 0, log_, weight});
}

void Raster::add_batch(isa::Expression& sum, std::int64_t weight) const {
  add_term(sum, {.variable = isa::Variable::kCtaZ,
                 .coefficient = weight,
                 .divisor = static_cast<std::uint32_t>(slices_.count)});
}

void Raster::add_slice(isa::Expression& sum, std::int64_t weight) const {
  if (slices_.count == 1) return;
  add_term(sum, {.variable = isa::Variable::kCtaZ,
                 .coefficient = weight,
                 .divisor = 1,
                 .modulus = static_cast<std::uint32_t>(slices_.count)});
}

void Raster::add_first_k_tile(isa::Expression& sum) const {
  if (stream_k_) return add_term(sum, {.variable = StreamK::kKBegin, .coefficient = 1});
  add_slice(sum, slices_.tiles);
}

std::int64_t Raster::fewest_k_tiles() const {
  if (by_batch_) return by_batch_->fewest;
  return stream_k_ ? 1 : slices_.tiles - slices_.missing;
}

double Raster::mean_k_tiles() const {
  return by_batch_ ? by_batch_->mean : static_cast<double>(slices_.tiles);
}

isa::Expression Raster::k_tiles() const {
  if (stream_k_) return StreamK::k_tiles();
  if (by_batch_) return by_batch_->k_tiles;
  isa::Expression trips = constant(slices_.tiles);
  if (slices_.missing > 0) add_scaled(trips, in_last_slice(), -slices_.missing);
  return trips;
}

isa::Expression Raster::in_last_slice() const {
  // (z + 1) div slices is one more than z div slices only in the last slice.
  isa::Expression last;
  add_term(last, {.variable = isa::Variable::kCtaZ,
                  .coefficient = 1,
                  .divisor = static_cast<std::uint32_t>(slices_.count),
                  .offset = 1});
  add_batch(last, -1);
  return last;
}

std::int64_t Raster::idle_ctas() const {
  if (stream_k_) return 0;
  const std::int64_t beyond_edge = ceil_div(tiles_n_, strip()) * strip() - tiles_n_;
  return tiles_m_ * beyond_edge * batch_ * slices_.count;
}

isa::Guard Raster::idle() const {
  isa::Expression negative_column;
  add_column(negative_column, -1);
  return {{{negative_column, 1 - tiles_n_}}};  // column >= tiles_n
}

}  // namespace tcsim::kernels
