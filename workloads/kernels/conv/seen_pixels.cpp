#include "workloads/kernels/conv/seen_pixels.hpp"

#include <algorithm>
#include <vector>

#include "models/isa/cycle.hpp"

namespace tcsim::kernels {

std::int64_t seen_pixels(std::int64_t extent, std::int64_t places, std::int64_t stride,
                         std::int64_t taps, std::int64_t dilation, std::int64_t pad) {
  std::int64_t seen = 0;
  // Pixels count from the first of the padding. By remainder of dilation: the first one after those
  // that earlier places see, so that each is counted once.
  std::vector<std::int64_t> next(static_cast<std::size_t>(dilation));
  for (std::int64_t place = 0; place < places; ++place) {
    std::int64_t& pixel = next[static_cast<std::size_t>(place * stride % dilation)];
    pixel = std::max(pixel, place * stride);
    for (; pixel < place * stride + taps * dilation; pixel += dilation)
      if (pixel >= pad && pixel < pad + extent) ++seen;
  }
  return seen;
}

std::int64_t seeing_places(std::int64_t extent, std::int64_t places, std::int64_t stride,
                           std::int64_t taps, std::int64_t dilation, std::int64_t pad) {
  std::int64_t seeing = 0;
  for (std::int64_t place = 0; place < places; ++place) {
    const std::int64_t first = place * stride - pad;
    const std::int64_t tap = ceil_div(std::max<std::int64_t>(0, -first), dilation);  // in the image
    if (tap < taps && first + tap * dilation < extent) ++seeing;
  }
  return seeing;
}

}  // namespace tcsim::kernels
