#include "workloads/kernels/stream_k.hpp"

#include <algorithm>
#include <optional>

namespace tcsim::kernels {
namespace {

using isa::Expression;
using isa::Term;
using isa::Variable;

constexpr Variable kRegion = isa::uniform_variable(0);
constexpr Variable kPlace = isa::uniform_variable(1);     // of the unit in its region
constexpr Variable kRawBegin = isa::uniform_variable(2);  // of equal ranges
constexpr Variable kRawEnd = isa::uniform_variable(3);
constexpr Variable kBegin = isa::uniform_variable(4);
constexpr Variable kEnd = isa::uniform_variable(5);
constexpr Variable kSharedTrips = isa::uniform_variable(6);
constexpr Variable kIsShared = isa::uniform_variable(7);  // 1 if the current tile is shared, else 0
constexpr Variable kFirstUnit = isa::uniform_variable(11);

/// More than any number of k-tiles.
constexpr std::int64_t kBeyond = std::int64_t{1} << 40;

/// Where a sum counts: elsewhere it falls below every least value.
struct Where {
  std::int64_t constant = 0;
  std::vector<Term> terms{};
};
Where where_one(Variable is) { return {-kBeyond, {{is, kBeyond}}}; }
Where where_zero(Variable is) { return {0, {{is, -kBeyond}}}; }

Expression sum_of(Variable variable, std::int64_t coefficient, std::int64_t constant = 0) {
  return {constant, {{variable, coefficient}}, {}};
}

struct Clamp {
  std::optional<std::int64_t> least{};
  std::optional<std::int64_t> most{};
};

/// coefficient * ((clamp(sum) / divisor) % modulus)
void add_clamped(Expression& to, std::int64_t coefficient, const Expression& sum,
                 const Clamp& clamp, std::int64_t divisor = 1, std::int64_t modulus = 0) {
  if (coefficient == 0 || modulus == 1) return;
  isa::Quotient quotient{.coefficient = coefficient,
                         .constant = sum.constant,
                         .terms = sum.terms,
                         .divisor = static_cast<std::uint32_t>(divisor),
                         .modulus = static_cast<std::uint32_t>(modulus)};
  if (clamp.least) quotient.least = *clamp.least;
  if (clamp.most) quotient.most = *clamp.most;
  to.quotients.push_back(std::move(quotient));
}

/// coefficient * (clamp(sum, 0, most) / divisor), or 0 where it does not count.
void add_where(Expression& to, const Where& where, std::int64_t coefficient, Expression sum,
               std::optional<std::int64_t> most = {}, std::int64_t divisor = 1) {
  sum.constant += where.constant;
  sum.terms.insert(sum.terms.end(), where.terms.begin(), where.terms.end());
  add_clamped(to, coefficient, sum, {0, most}, divisor);
}

/// ceil(variable / divisor) as a term.
Term rounded_up(Variable variable, std::int64_t coefficient, std::int64_t divisor) {
  const auto by = static_cast<std::uint32_t>(divisor);
  return {.variable = variable, .coefficient = coefficient, .divisor = by, .offset = by - 1};
}

Term rounded_down(Variable variable, std::int64_t coefficient, std::int64_t divisor) {
  return {variable, coefficient, static_cast<std::uint32_t>(divisor)};
}

}  // namespace

StreamK::StreamK(const StreamKDeal& deal) : deal_(deal), units_(deal.units_of_region()) {}

StreamK::Region StreamK::region(bool is_big) const {
  const std::int64_t tiles = deal_.tiles_of_region() + (is_big ? 1 : 0);
  const std::int64_t k_tiles = tiles * deal_.k_tiles;
  return {k_tiles, k_tiles / units_, k_tiles % units_};
}

/// Calls add(region, where) for regions of either size; `where` counts for units of those regions.
template <typename Add>
void StreamK::for_each_kind(Add add) const {
  const std::int64_t big = deal_.big_regions();
  if (big == 0) return add(region(false), Where{});
  const Term is_small{.variable = kRegion,
                      .coefficient = kBeyond,
                      .divisor = static_cast<std::uint32_t>(deal_.regions),
                      .offset = static_cast<std::uint32_t>(deal_.regions - big)};
  Term is_not_big = is_small;
  is_not_big.coefficient = -kBeyond;
  add(region(false), Where{-kBeyond, {is_small}});
  add(region(true), Where{0, {is_not_big}});
}

std::int64_t StreamK::to_edge(std::int64_t k_tile) const {
  const std::int64_t in_tile = k_tile % deal_.k_tiles;
  if (in_tile < deal_.fewest_k_tiles) return k_tile - in_tile;
  if (in_tile > deal_.k_tiles - deal_.fewest_k_tiles) return k_tile - in_tile + deal_.k_tiles;
  return k_tile;
}

std::int64_t StreamK::place_begin(std::int64_t number, std::int64_t place) const {
  const Region of = region(number < deal_.big_regions());
  return to_edge(place * of.range + std::min(place, of.longer));
}

std::int64_t StreamK::begin(std::int64_t unit) const {
  return deal_.is_interleaved ? place_begin(unit % deal_.regions, unit / deal_.regions)
                              : place_begin(unit / units_, unit % units_);
}

std::int64_t StreamK::end(std::int64_t unit) const {
  return deal_.is_interleaved ? place_begin(unit % deal_.regions, unit / deal_.regions + 1)
                              : place_begin(unit / units_, unit % units_ + 1);
}

std::vector<std::int64_t> StreamK::cuts(std::int64_t tile) const {
  std::vector<std::int64_t> cuts;
  if (tile >= deal_.shared_tiles) return cuts;
  const std::int64_t number =
      deal_.is_interleaved ? tile % deal_.regions : tile / deal_.tiles_of_region();
  const std::int64_t in_region =
      deal_.is_interleaved ? tile / deal_.regions : tile % deal_.tiles_of_region();
  for (std::int64_t place = 1; place < units_; ++place) {
    const std::int64_t cut = place_begin(number, place) - in_region * deal_.k_tiles;
    if (cut > 0 && cut < deal_.k_tiles) cuts.push_back(cut);
  }
  return cuts;
}

Term StreamK::worker(std::int64_t coefficient) const {
  return rounded_down(Variable::kCtaX, coefficient, deal_.ctas_per_worker);
}

/// Number of the worker among the workers that take whole tiles in turn.
Term StreamK::turn(std::int64_t coefficient) const {
  Term turn = worker(coefficient);
  turn.modulus = static_cast<std::uint32_t>(deal_.workers);
  turn.offset = static_cast<std::uint32_t>((deal_.workers - deal_.units) * deal_.ctas_per_worker);
  return turn;
}

Expression StreamK::region_number() const {
  Expression number;
  if (deal_.is_interleaved) {
    Term in_turn = worker(1);
    in_turn.modulus = static_cast<std::uint32_t>(deal_.regions);
    number.terms.push_back(in_turn);
  } else {
    add_clamped(number, 1, {0, {worker(1)}, {}}, {{}, std::max<std::int64_t>(1, deal_.units) - 1},
                units_);
  }
  return number;
}

/// After all others if the worker is not a unit.
Expression StreamK::place_in_region() const {
  Expression place;
  const Expression number{0, {worker(1)}, {}};
  if (deal_.is_interleaved) {
    add_clamped(place, 1, number, {{}, deal_.units}, deal_.regions);
    return place;
  }
  add_clamped(place, 1, number, {{}, deal_.units}, 1, units_);
  add_clamped(place, units_, {1 - deal_.units, {worker(1)}, {}}, {0, 1});
  return place;
}

Expression StreamK::raw_begin(std::int64_t offset) const {
  Expression begin;
  for_each_kind([&](const Region& region, const Where& where) {
    add_where(begin, where, region.range, sum_of(kPlace, 1, offset), units_);
    if (region.longer > 0) add_where(begin, where, 1, sum_of(kPlace, 1, offset), region.longer);
  });
  return begin;
}

/// to_edge(raw): moves `raw` to the start of its tile if fewer than fewest_k_tiles of the tile
/// precede it, and to the tile's end if fewer than that remain.
Expression StreamK::at_edge(Variable raw) const {
  Expression edge = sum_of(raw, 1);
  const std::int64_t fewest = deal_.fewest_k_tiles;
  if (fewest == 1) return edge;
  const std::int64_t k_tiles = deal_.k_tiles;
  const Term in_tile{raw, 1, 1, static_cast<std::uint32_t>(k_tiles)};
  const std::int64_t last = std::max(fewest - 1, k_tiles - fewest);
  edge.constant = 1 - fewest;
  edge.terms.push_back({raw, -1, 1, static_cast<std::uint32_t>(k_tiles)});
  add_clamped(edge, 1, {0, {in_tile}, {}}, {fewest - 1, last});
  add_clamped(edge, fewest - 1, {1 - fewest, {in_tile}, {}}, {0, 1});
  add_clamped(edge, k_tiles - last, {-last, {in_tile}, {}}, {0, 1});
  return edge;
}

Expression StreamK::shared_trips() const {
  return {0, {rounded_up(kEnd, 1, deal_.k_tiles), rounded_down(kBegin, -1, deal_.k_tiles)}, {}};
}

Expression StreamK::tile() const {
  const std::int64_t step = deal_.is_interleaved ? deal_.regions : 1;
  const std::int64_t of_region = deal_.is_interleaved ? 1 : deal_.tiles_of_region();
  Expression tile;
  add_where(
      tile, where_one(kIsShared), 1,
      {-step,
       {rounded_up(kEnd, step, deal_.k_tiles), {Variable::kLoop0, -step}, {kRegion, of_region}},
       {}});
  add_where(tile, where_zero(kIsShared), 1,
            {deal_.shared_tiles,
             {turn(1), {Variable::kLoop0, deal_.workers}, {kSharedTrips, -deal_.workers}},
             {}});
  return tile;
}

/// Number, within its region, of the tile's first k-tile. Requires that the tile is shared.
Term StreamK::tile_begin(std::int64_t coefficient) const {
  Term begin{kTile, coefficient * deal_.k_tiles};
  if (deal_.is_interleaved)
    begin.divisor = static_cast<std::uint32_t>(deal_.regions);
  else
    begin.modulus = static_cast<std::uint32_t>(std::max<std::int64_t>(1, deal_.tiles_of_region()));
  return begin;
}

Expression StreamK::k_begin() const {
  Expression begin;
  add_where(begin, where_one(kIsShared), 1, {0, {{kBegin, 1}, tile_begin(-1)}, {}});
  return begin;
}

Expression StreamK::k_end() const {
  Expression end{deal_.k_tiles};
  add_where(end, where_one(kIsShared), -1, {deal_.k_tiles, {{kEnd, -1}, tile_begin(1)}, {}});
  return end;
}

/// Place of the unit that begins a shared tile: the unit that owns the last k-tile it could not
/// leave to the next one. Computed from the longer ranges before it and the others after them.
Expression StreamK::first_unit() const {
  Expression first;
  if (deal_.units == 0) return first;
  for_each_kind([&](const Region& region, const Where& where) {
    const std::int64_t in_longer = region.longer * (region.range + 1);
    const std::int64_t k_tile = deal_.fewest_k_tiles - 1;
    add_where(first, where, 1, {k_tile, {tile_begin(1)}, {}}, in_longer, region.range + 1);
    add_where(first, where, 1, {k_tile - in_longer, {tile_begin(1)}, {}},
              region.k_tiles - in_longer, region.range);
  });
  return first;
}

Expression StreamK::k_before() const {
  Expression before;
  add_where(before, where_one(kIsShared), 1, {0, {{kEnd, 1}, tile_begin(-1), {kKEnd, -1}}, {}});
  add_where(
      before, where_zero(kIsShared), 1,
      {0,
       {{kEnd, 1}, {kBegin, -1}, {Variable::kLoop0, deal_.k_tiles}, {kSharedTrips, -deal_.k_tiles}},
       {}});
  return before;
}

std::vector<Expression> StreamK::uniforms() const {
  Expression is_shared;
  add_clamped(is_shared, 1, {0, {{kSharedTrips, 1}, {Variable::kLoop0, -1}}, {}}, {0, 1});
  return {region_number(),  place_in_region(), raw_begin(0), raw_begin(1), at_edge(kRawBegin),
          at_edge(kRawEnd), shared_trips(),    is_shared,    tile(),       k_begin(),
          k_end(),          first_unit(),      k_before()};
}

/// Number of tiles that a worker takes whole.
void StreamK::add_whole_trips(Expression& to, std::int64_t coefficient) const {
  const std::int64_t whole = deal_.tiles - deal_.shared_tiles;
  if (whole > 0)
    add_clamped(to, coefficient, {whole + deal_.workers - 1, {turn(-1)}, {}}, {0, {}},
                deal_.workers);
}

Expression StreamK::trips() const {
  Expression trips = sum_of(kSharedTrips, 1);
  add_whole_trips(trips, 1);
  return trips;
}

Expression StreamK::all_k_tiles() const {
  Expression all{0, {{kEnd, 1}, {kBegin, -1}}, {}};
  add_whole_trips(all, deal_.k_tiles);
  return all;
}

Expression StreamK::continues() const { return {0, {rounded_up(kKBegin, 1, deal_.k_tiles)}, {}}; }

Expression StreamK::finishes() const { return {0, {rounded_down(kKEnd, 1, deal_.k_tiles)}, {}}; }

Expression StreamK::peers_of_continued() { return {0, {{kPlace, 1}, {kFirstUnit, -1}}, {}}; }

Expression StreamK::peers_before() const {
  Expression peers;
  add_where(peers, where_one(kIsShared), 1, peers_of_continued());
  return peers;
}

}  // namespace tcsim::kernels
