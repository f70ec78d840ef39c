#include "workloads/kernels/conv/tap_walk.hpp"

#include <algorithm>
#include <utility>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/expression_math.hpp"

namespace tcsim::kernels {

std::int64_t TapWalk::k_tiles_of_tap() const { return ceil_div<std::int64_t>(channels, tile_k); }

std::int64_t TapWalk::k_tiles() const {
  const std::int64_t taps = taps_h * taps_w;
  if (is_packed()) return ceil_div<std::int64_t>(taps * channels, tile_k);
  return taps * k_tiles_of_tap();
}

BatchKTiles TapWalk::k_tiles_by_batch() const {
  BatchKTiles result{.k_tiles = {}, .fewest = k_tiles(), .mean = 0};
  std::int64_t batches = 0;
  std::int64_t all = 0;
  for (const TapClass& its : classes) {
    const std::int64_t k_tiles = its.taps() * k_tiles_of_tap();
    isa::Expression is_it = constant(1);
    add_scaled(is_it, its.others, -1);
    result.k_tiles.quotients.push_back({.coefficient = k_tiles,
                                        .constant = is_it.constant,
                                        .terms = std::move(is_it.terms),
                                        .least = 0,
                                        .most = 1});
    result.fewest = std::min(result.fewest, k_tiles);
    batches += its.batches;
    all += its.batches * k_tiles;
  }
  result.mean = static_cast<double>(all) / static_cast<double>(batches);
  return result;
}

/// Divides by the taps of the batch's class: the number is moved below 0, and becomes 0, for all
/// other classes.
void TapWalk::add_taps_of_classes(const isa::Expression& k_tile, Step& step) const {
  constexpr std::int64_t kBeyondAllKTiles = std::int64_t{1} << 40;
  for (const TapClass& its : classes) {
    if (its.taps() == 0) continue;
    isa::Expression number = k_tile;
    add_scaled(number, its.others, -kBeyondAllKTiles);
    const auto add = [&](isa::Expression& sum, std::int64_t coefficient, std::int64_t divisor,
                         std::int64_t modulus) {
      if (modulus == 1) return;
      sum.quotients.push_back({.coefficient = coefficient,
                               .constant = number.constant,
                               .terms = number.terms,
                               .divisor = static_cast<std::uint32_t>(divisor),
                               .modulus = static_cast<std::uint32_t>(modulus),
                               .least = 0});
    };
    add(step.row, 1, its.taps_w, its.taps_h);
    add(step.column, 1, 1, its.taps_w);
    add(step.channel, tile_k, its.taps(), 0);
  }
}

TapWalk::Step TapWalk::step(const isa::Expression& k_tile, const isa::Expression& k) const {
  const std::int64_t taps = taps_h * taps_w;
  Step step;
  if (is_packed()) {
    step.element = k;
    add_scaled(step.element, k_tile, tile_k);
    add_quotient(step.row, 1, step.element, channels * taps_w, 0);
    add_quotient(step.column, 1, step.element, channels, taps_w);
    add_quotient(step.channel, 1, step.element, 1, channels);
    if (taps * channels % tile_k != 0)
      step.inside.bounds.push_back({step.element, taps * channels});
    return step;
  }
  step.channel = k;
  if (classes.empty()) {
    add_quotient(step.row, 1, k_tile, taps_w, taps_h);
    add_quotient(step.column, 1, k_tile, 1, taps_w);
    add_quotient(step.channel, tile_k, k_tile, taps, 0);
    step.element = step.channel;
    add_quotient(step.element, channels, k_tile, 1, taps);
  } else {
    add_taps_of_classes(k_tile, step);
  }
  if (channels % tile_k != 0) step.inside.bounds.push_back({step.channel, channels});
  return step;
}

}  // namespace tcsim::kernels
