#pragma once

#include <cstdint>

namespace tcsim::kernels {

/// Images [image][h][w][channel] whose pixels under the taps of a filter are A of an implicit
/// product. A has one row for each position of the filter (along w, then along h, then image after
/// image). Along k it has tap after tap (along w, then h) the channels of the pixel under the tap;
/// pixels outside the image are zeros. B is stored as [n][tap][channel].
struct TapImages {
  std::int64_t images = 1;
  std::int64_t h = 1;  ///< pixels
  std::int64_t w = 1;
  std::int64_t channels = 1;
  std::int64_t positions_h = 1;
  std::int64_t positions_w = 1;
  std::int64_t taps_h = 1;
  std::int64_t taps_w = 1;
  std::int64_t pad_h = 0;
  std::int64_t pad_w = 0;
  std::int64_t stride_h = 1;
  std::int64_t stride_w = 1;
  std::int64_t dil_h = 1;
  std::int64_t dil_w = 1;

  [[nodiscard]] std::int64_t taps() const { return taps_h * taps_w; }
  [[nodiscard]] std::int64_t elements() const { return images * h * w * channels; }
};

}  // namespace tcsim::kernels
