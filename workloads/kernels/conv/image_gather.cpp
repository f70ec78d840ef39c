#include "workloads/kernels/conv/image_gather.hpp"

#include <algorithm>
#include <iterator>

#include "workloads/kernels/expression_math.hpp"

namespace tcsim::kernels {
namespace {

/// Pixel number `k` of k-tile number `k_tile`.
isa::Expression pixel_number(const Gather::Index& index, int tile_k) {
  isa::Expression pixel = index.k;
  add_scaled(pixel, index.k_tile, tile_k);
  return pixel;
}

}  // namespace

bool Sampling::is_identity() const {
  return taps == 1 && pixels == extent && pixel_step == 1 && every == 1 &&
         origin == isa::Expression{};
}

void Sampling::add_bounds(const isa::Expression& place, isa::Guard& guard) const {
  const std::int64_t taps_low = std::min<std::int64_t>(0, tap_step * (taps - 1));
  const std::int64_t taps_high = std::max<std::int64_t>(0, tap_step * (taps - 1));
  const bool varies = !origin.terms.empty() || !origin.quotients.empty();
  if (varies || origin.constant + taps_low < 0) {
    isa::Expression negative;
    add_scaled(negative, place, -1);
    guard.bounds.push_back({negative, 1});
  }
  if (varies || pixel_step * (pixels / every - 1) + taps_high + origin.constant >= extent)
    guard.bounds.push_back({place, extent});
}

isa::Expression Sampling::place(const isa::Expression& number, std::int64_t divisor,
                                const isa::Expression& tap, isa::Guard& guard) const {
  isa::Expression place = origin;
  add_quotient(place, pixel_step, number, divisor * every, pixels / every);
  add_scaled(place, tap, tap_step);
  add_bounds(place, guard);
  if (every > 1) {
    isa::Expression remainder;
    add_quotient(remainder, 1, number, divisor, every);
    guard.bounds.push_back({remainder, 1});
  }
  return place;
}

Gather::Place SampledImages::place(const isa::Expression& pixel, const isa::Expression& row,
                                   const isa::Expression& column, const isa::Expression& channel,
                                   std::int64_t divisor) const {
  Gather::Place place{channel, {}};
  if (rows.is_identity() && columns.is_identity()) {
    add_quotient(place.element, channels, pixel, divisor, 0);
    return place;
  }
  const isa::Expression y = rows.place(pixel, divisor * columns.pixels, row, place.inside);
  const isa::Expression x = columns.place(pixel, divisor, column, place.inside);
  const std::int64_t row_elements = columns.extent * channels;
  add_quotient(place.element, rows.extent * row_elements, pixel,
               divisor * rows.pixels * columns.pixels, 0);
  add_scaled(place.element, y, row_elements);
  add_scaled(place.element, x, channels);
  return place;
}

Gather::Place SampledImages::place_in_planes(const isa::Expression& pixel,
                                             const isa::Expression& row,
                                             const isa::Expression& column,
                                             const isa::Expression& channel) const {
  SampledImages planes = *this;
  planes.channels = 1;
  isa::Expression offset;
  add_scaled(offset, channel, plane());
  // The image's own offset counts its planes.
  Gather::Place place = planes.place(pixel, row, column, offset);
  add_quotient(place.element, plane() * (channels - 1), pixel, rows.pixels * columns.pixels, 0);
  return place;
}

SampledImages forward_images(const ConvProblem& conv) {
  return {.rows = {.pixels = conv.p(),
                   .taps = conv.r,
                   .extent = conv.h,
                   .pixel_step = conv.stride_h,
                   .tap_step = conv.dil_h,
                   .origin = {.constant = -conv.pad_h}},
          .columns = {.pixels = conv.q(),
                      .taps = conv.s,
                      .extent = conv.w,
                      .pixel_step = conv.stride_w,
                      .tap_step = conv.dil_w,
                      .origin = {.constant = -conv.pad_w}},
          .images = conv.n,
          .channels = conv.c};
}

SampledImages gradient_images(const ConvProblem& conv) {
  return {.rows = {.pixels = conv.h,
                   .taps = conv.r,
                   .extent = conv.p(),
                   .tap_step = -conv.dil_h,
                   .origin = {.constant = conv.pad_h},
                   .every = conv.stride_h},
          .columns = {.pixels = conv.w,
                      .taps = conv.s,
                      .extent = conv.q(),
                      .tap_step = -conv.dil_w,
                      .origin = {.constant = conv.pad_w},
                      .every = conv.stride_w},
          .images = conv.n,
          .channels = conv.k};
}

bool has_gradient_images(const ConvProblem& conv) {
  const auto is_simple = [](std::int64_t taps, std::int64_t stride, std::int64_t pad,
                            std::int64_t pixels) {
    return stride == 1 || (taps == 1 && pad == 0 && pixels % stride == 0);
  };
  return is_simple(conv.r, conv.stride_h, conv.pad_h, conv.h) &&
         is_simple(conv.s, conv.stride_w, conv.pad_w, conv.w);
}

Gather::Place PixelGather::place(const Index& index) const {
  TapWalk::Step step = walk_.step(index.k_tile, index.k);
  Place place = images_.place(index.across, step.row, step.column, step.channel);
  std::ranges::move(step.inside.bounds, std::back_inserter(place.inside.bounds));
  return place;
}

Gather::Place PlaneGather::place(const Index& index) const {
  const isa::Expression number = pixel_number(index, tile_k_);  // of the tap and channel here
  const std::int64_t taps = images_.rows.taps * images_.columns.taps;
  isa::Expression row;
  isa::Expression column;
  isa::Expression channel;
  add_quotient(row, 1, number, images_.columns.taps, images_.rows.taps);
  add_quotient(column, 1, number, 1, images_.columns.taps);
  add_quotient(channel, 1, number, taps, 0);
  Place place = images_.place_in_planes(index.across, row, column, channel);
  if (taps * channels_ % tile_k_ != 0) place.inside.bounds.push_back({number, taps * channels_});
  return place;
}

Gather::Place PlanePatchGather::place(const Index& index) const {
  isa::Expression row;
  isa::Expression column;
  isa::Expression channel;
  add_quotient(channel, 1, index.across, images_.rows.taps * images_.columns.taps, 0);
  add_quotient(row, 1, index.across, images_.columns.taps, images_.rows.taps);
  add_quotient(column, 1, index.across, 1, images_.columns.taps);
  const isa::Expression pixel = pixel_number(index, tile_k_);
  Place place = images_.place_in_planes(pixel, row, column, channel);
  if (images_.pixels() % tile_k_ != 0) place.inside.bounds.push_back({pixel, images_.pixels()});
  return place;
}

Gather::Place PlanePixelGather::place(const Index& index) const {
  const isa::Expression pixel = pixel_number(index, tile_k_);
  Place place{pixel, {}};
  add_quotient(place.element, plane_ * (channels_ - 1), pixel, plane_, 0);
  add_scaled(place.element, index.across, plane_);
  if (images_ * plane_ % tile_k_ != 0) place.inside.bounds.push_back({pixel, images_ * plane_});
  return place;
}

Gather::Place PatchGather::place(const Index& index) const {
  isa::Expression row;
  isa::Expression column;
  isa::Expression channel;
  add_quotient(row, 1, index.across, channels_ * images_.columns.taps, 0);
  add_quotient(column, 1, index.across, channels_, images_.columns.taps);
  add_quotient(channel, 1, index.across, 1, channels_);
  const isa::Expression pixel = pixel_number(index, tile_k_);
  Place place = images_.place(pixel, row, column, channel);
  if (images_.pixels() % tile_k_ != 0) place.inside.bounds.push_back({pixel, images_.pixels()});
  return place;
}

Gather::Place ChannelGather::place(const Index& index) const {
  const isa::Expression pixel = pixel_number(index, tile_k_);
  Place place{index.across, {}};
  add_scaled(place.element, pixel, channels_);
  if (pixels_ % tile_k_ != 0) place.inside.bounds.push_back({pixel, pixels_});
  return place;
}

}  // namespace tcsim::kernels
