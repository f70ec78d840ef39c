#include "workloads/kernels/conv/filter_gather.hpp"

#include "workloads/kernels/expression_math.hpp"

namespace tcsim::kernels {

Gather::Place FilterGather::place(const Index& index) const {
  TapWalk::Step step = walk_.step(index.k_tile, index.k);
  Place place{std::move(step.element), std::move(step.inside)};
  add_scaled(place.element, index.across, walk_.taps_h * walk_.taps_w * walk_.channels);
  return place;
}

Gather::Place TransposedFilterGather::place(const Index& index) const {
  const TapWalk::Step step = walk_.step(index.k_tile, index.k);
  Place place{index.across, step.inside};
  const auto add_tap = [&](const Taps& taps, const isa::Expression& number, std::int64_t weight) {
    isa::Expression tap = taps.first;
    add_scaled(tap, number, taps.step);
    add_scaled(place.element, tap, weight);
  };
  add_tap(rows_, step.row, columns_.count * channels_);
  add_tap(columns_, step.column, channels_);
  add_scaled(place.element, step.channel, rows_.count * columns_.count * channels_);
  return place;
}

Gather::Place PlaneFilterGather::place(const Index& index) const {
  isa::Expression number = index.k;  // of the tap and output channel
  add_scaled(number, index.k_tile, tile_k_);
  Place place;
  add_scaled(place.element, index.across, taps_);
  add_quotient(place.element, 1, number, 1, taps_);
  add_quotient(place.element, channels_ * taps_, number, taps_, 0);
  if (outputs_ * taps_ % tile_k_ != 0) place.inside.bounds.push_back({number, outputs_ * taps_});
  return place;
}

}  // namespace tcsim::kernels
