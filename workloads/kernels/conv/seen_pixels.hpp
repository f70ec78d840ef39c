#pragma once

#include <cstdint>

namespace tcsim::kernels {

/// How many of `extent` pixels along an axis the `taps` of a filter or a window see at its
/// `places`.
std::int64_t seen_pixels(std::int64_t extent, std::int64_t places, std::int64_t stride,
                         std::int64_t taps, std::int64_t dilation, std::int64_t pad);

/// How many of the `places` of a filter see some of `extent` pixels with one of its `taps`. With
/// places and taps exchanged, and stride and dilation: how many taps see a pixel at some place.
std::int64_t seeing_places(std::int64_t extent, std::int64_t places, std::int64_t stride,
                           std::int64_t taps, std::int64_t dilation, std::int64_t pad);

}  // namespace tcsim::kernels
