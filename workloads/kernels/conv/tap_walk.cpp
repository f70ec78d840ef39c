#include "workloads/kernels/conv/tap_walk.hpp"

#include "models/isa/cycle.hpp"
#include "workloads/kernels/expression_math.hpp"

namespace tcsim::kernels {

std::int64_t TapWalk::k_tiles() const {
  const std::int64_t taps = taps_h * taps_w;
  if (is_packed()) return ceil_div<std::int64_t>(taps * channels, tile_k);
  return taps * ceil_div<std::int64_t>(channels, tile_k);
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
  add_quotient(step.row, 1, k_tile, taps_w, taps_h);
  add_quotient(step.column, 1, k_tile, 1, taps_w);
  step.channel = k;
  add_quotient(step.channel, tile_k, k_tile, taps, 0);
  step.element = step.channel;
  add_quotient(step.element, channels, k_tile, 1, taps);
  if (channels % tile_k != 0) step.inside.bounds.push_back({step.channel, channels});
  return step;
}

}  // namespace tcsim::kernels
