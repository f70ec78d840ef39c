#include "workloads/kernels/stream_k.hpp"

#include <algorithm>
#include <optional>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/expression_math.hpp"

namespace tcsim::kernels {
namespace {

using isa::Expression;
using isa::Variable;

constexpr std::int64_t kLeastRange = 2;  // k-tiles of a CTA (CUTLASS, kMinItersPerSkBlock)

constexpr Variable kInRegion = isa::uniform_variable(0);      // the CTA's place in its region
constexpr Variable kNextInRegion = isa::uniform_variable(1);  // that of the next CTA
constexpr Variable kBegin = isa::uniform_variable(2);
constexpr Variable kEnd = isa::uniform_variable(3);
constexpr Variable kLastTile = isa::uniform_variable(4);

/// k-tiles that sharing `tiles` tiles between `ctas` CTAs saves over one CTA for each, less what
/// it costs to join sums, in k-tiles too (the cost function of CUTLASS).
std::int64_t saved_k_tiles(std::int64_t tiles, std::int64_t k_tiles, std::int64_t sms,
                           std::int64_t ctas) {
  const std::int64_t waves = ceil_div(ctas, sms);
  const std::int64_t range = ceil_div(tiles * k_tiles, ctas) * waves;
  const bool is_aligned = ctas % tiles == 0;
  const std::int64_t peers = is_aligned ? ctas / tiles : ceil_div(ctas, tiles) + 1;
  const double seams = is_aligned ? 0 : 0.02 * static_cast<double>(peers * range);
  const auto joining =
      static_cast<std::int64_t>(static_cast<double>(2 * waves + 2 * peers) + seams);
  return ceil_div(tiles, sms) * k_tiles - range - joining;
}

/// coefficient * ((clamp(sum, least, most) / divisor) % modulus)
void add_clamped(Expression& to, std::int64_t coefficient, const Expression& sum,
                 std::optional<std::int64_t> least, std::optional<std::int64_t> most,
                 std::int64_t divisor = 1, std::int64_t modulus = 0) {
  if (coefficient == 0 || modulus == 1) return;
  isa::Quotient quotient{.coefficient = coefficient,
                         .constant = sum.constant,
                         .terms = sum.terms,
                         .divisor = static_cast<std::uint32_t>(divisor),
                         .modulus = static_cast<std::uint32_t>(modulus)};
  if (least) quotient.least = *least;
  if (most) quotient.most = *most;
  to.quotients.push_back(std::move(quotient));
}

Expression sum_of(Variable variable, std::int64_t coefficient, std::int64_t constant = 0) {
  return {constant, {{variable, coefficient}}, {}};
}

}  // namespace

StreamK::StreamK(std::int64_t tiles_m, std::int64_t tiles_n, std::int64_t k_tiles, std::int64_t sms,
                 std::int64_t ctas_per_sm)
    : tiles_m_(tiles_m),
      tiles_(tiles_m * tiles_n),
      k_tiles_(k_tiles),
      strip_(tiles_n >= 6   ? 8
             : tiles_n >= 3 ? 4
                            : tiles_n) {
  strip_ = std::min(strip_, tiles_n);
  last_strip_ = tiles_n % strip_;
  whole_strips_ = (tiles_n - last_strip_) * tiles_m;
  const std::int64_t waves = tiles_ / sms;
  const std::int64_t rest = tiles_ % sms;
  if (rest == 0) return;
  if (waves < ctas_per_sm) {
    share(rest, sms, std::min(sms, rest + 1), sms * (ctas_per_sm - waves));
    return;
  }
  if (ctas_per_sm > 1 && waves % ctas_per_sm == ctas_per_sm - 1)
    share(rest, sms, std::min(sms, rest + 1), sms);
  if (shared_ctas_ == 0)
    share(rest + sms, sms, sms, sms * (ctas_per_sm - (waves - 1) % ctas_per_sm));
}

/// Shares `first_tiles` tiles between `fewest` to `most` CTAs, as many as save most, or not at all.
void StreamK::share(std::int64_t first_tiles, std::int64_t sms, std::int64_t fewest,
                    std::int64_t most) {
  const std::int64_t shared = first_tiles * k_tiles_;
  std::int64_t saved = 0;
  for (std::int64_t ctas = fewest; ctas <= std::min(most, shared / kLeastRange); ++ctas) {
    const std::int64_t now = saved_k_tiles(first_tiles, k_tiles_, sms, ctas);
    if (now < saved) continue;
    saved = now;
    shared_ctas_ = ctas;
  }
  if (shared_ctas_ == 0) return;
  shared_tiles_ = first_tiles;
  const bool has_regions = shared_ctas_ > shared_tiles_ && shared_ctas_ % shared_tiles_ == 0;
  region_ctas_ = has_regions ? shared_ctas_ / shared_tiles_ : shared_ctas_;
  region_k_tiles_ = has_regions ? k_tiles_ : shared;
  short_range_ = region_k_tiles_ / region_ctas_;
  long_ranges_ = region_k_tiles_ % region_ctas_;
}

std::int64_t StreamK::begin(std::int64_t cta) const {
  const std::int64_t sharing = std::min(cta, shared_ctas_);
  const std::int64_t in_region = sharing % region_ctas_;
  return sharing / region_ctas_ * region_k_tiles_ + in_region * short_range_ +
         std::min(in_region, long_ranges_) + (cta - sharing) * k_tiles_;
}

std::int64_t StreamK::tile_number(std::int64_t row, std::int64_t column) const {
  const std::int64_t before = column / strip_ * strip_ * tiles_m_;
  const std::int64_t width = before < whole_strips_ ? strip_ : last_strip_;
  return before + row * width + column % strip_;
}

std::vector<std::int64_t> StreamK::cuts(std::int64_t row, std::int64_t column) const {
  const std::int64_t first = tile_number(row, column) * k_tiles_;
  std::vector<std::int64_t> cuts;
  for (std::int64_t cta = 1; cta < shared_ctas_; ++cta)
    if (begin(cta) > first && begin(cta) < first + k_tiles_) cuts.push_back(begin(cta) - first);
  return cuts;
}

Expression StreamK::in_region(std::int64_t offset) const {
  Expression place;
  add_clamped(place, 1, sum_of(Variable::kCtaX, 1, offset), {}, shared_ctas_, 1, region_ctas_);
  return place;
}

/// begin() of the CTA's number plus `offset`, whose place in its region is `in_region`.
Expression StreamK::begin_of(std::int64_t offset, Variable in_region) const {
  const Expression cta = sum_of(Variable::kCtaX, 1, offset);
  Expression begin;
  add_clamped(begin, region_k_tiles_, cta, {}, shared_ctas_, region_ctas_);
  add_term(begin, {.variable = in_region, .coefficient = short_range_});
  if (long_ranges_ > 0) add_clamped(begin, 1, sum_of(in_region, 1), {}, long_ranges_);
  add_clamped(begin, k_tiles_, sum_of(Variable::kCtaX, 1, offset - shared_ctas_), 0, {});
  return begin;
}

Expression StreamK::row() const {
  Expression row;
  add_clamped(row, 1, sum_of(kTile, 1), {}, whole_strips_, strip_, tiles_m_);
  if (last_strip_ > 0) add_clamped(row, 1, sum_of(kTile, 1, -whole_strips_), 0, {}, last_strip_);
  return row;
}

Expression StreamK::column() const {
  Expression column;
  add_clamped(column, strip_, sum_of(kTile, 1), {}, whole_strips_, strip_ * tiles_m_);
  add_clamped(column, 1, sum_of(kTile, 1), {}, whole_strips_, 1, strip_);
  if (last_strip_ > 0)
    add_clamped(column, 1, sum_of(kTile, 1, -whole_strips_), 0, {}, 1, last_strip_);
  return column;
}

/// The CTA to which k-tile 0 of the tile belongs: of regions its first, else by the long ranges in
/// front of it and the short ones behind them.
Expression StreamK::first_cta() const {
  Expression first;
  if (region_k_tiles_ == k_tiles_) {
    add_clamped(first, region_ctas_, sum_of(kTile, 1), {}, shared_tiles_);
  } else if (shared_tiles_ > 0) {
    const std::int64_t in_long_ranges = long_ranges_ * (short_range_ + 1);
    add_clamped(first, 1, sum_of(kTile, k_tiles_), {}, in_long_ranges, short_range_ + 1);
    add_clamped(first, 1, sum_of(kTile, k_tiles_, -in_long_ranges), 0,
                region_k_tiles_ - in_long_ranges, short_range_);
  }
  add_clamped(first, 1, sum_of(kTile, 1, -shared_tiles_), 0, {});
  return first;
}

std::vector<Expression> StreamK::uniforms() const {
  const auto divisor = static_cast<std::uint32_t>(k_tiles_);
  Expression last_tile;
  add_clamped(last_tile, 1, sum_of(kEnd, 1, -1), {}, {}, k_tiles_);
  Expression tiles = sum_of(kLastTile, 1, 1);
  add_term(tiles, {.variable = kBegin, .coefficient = -1, .divisor = divisor});
  Expression tile = sum_of(kLastTile, 1);
  add_term(tile, {.variable = Variable::kLoop0, .coefficient = -1});
  const auto in_tile = [&](Variable variable) {
    Expression place = sum_of(variable, 1);
    add_term(place, {.variable = kTile, .coefficient = -k_tiles_});
    return place;
  };
  Expression k_begin;
  add_clamped(k_begin, 1, in_tile(kBegin), 0, {});
  Expression k_end;
  add_clamped(k_end, 1, in_tile(kEnd), {}, k_tiles_);
  return {in_region(0),
          in_region(1),
          begin_of(0, kInRegion),
          begin_of(1, kNextInRegion),
          last_tile,
          tiles,
          tile,
          k_begin,
          k_end,
          row(),
          column(),
          first_cta()};
}

Expression StreamK::continues() const {
  const auto k_tiles = static_cast<std::uint32_t>(k_tiles_);
  return {0, {{kKBegin, 1, k_tiles, 0, k_tiles - 1}}, {}};
}

Expression StreamK::finishes() const {
  return {0, {{kKEnd, 1, static_cast<std::uint32_t>(k_tiles_)}}, {}};
}

Expression StreamK::peers_before() const {
  Expression peers = sum_of(Variable::kCtaX, 1);
  add_term(peers, {.variable = kFirstCta, .coefficient = -1});
  return peers;
}

}  // namespace tcsim::kernels
