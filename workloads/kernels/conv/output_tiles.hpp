#pragma once

#include <cstdint>

#include "workloads/kernels/conv/conv.hpp"
#include "workloads/kernels/conv/image_gather.hpp"

namespace tcsim::kernels {

/// y cut into tiles of outputs_h x outputs_w pixels, each computed from side x side pixels of x.
struct OutputTiles {
  ConvProblem problem;  ///< forward, NHWC, stride 1, without dilation
  int side;
  std::int64_t outputs_h;
  std::int64_t outputs_w;

  [[nodiscard]] std::int64_t tiles_h() const;
  [[nodiscard]] std::int64_t tiles_w() const;
  /// Of all images.
  [[nodiscard]] std::int64_t tiles() const { return problem.n * tiles_h() * tiles_w(); }
  /// x as the tiles see it: a tile is a filter of side x side taps.
  [[nodiscard]] SampledImages inputs() const;
  /// y as the tiles see it: every output is a tap.
  [[nodiscard]] SampledImages outputs() const;
};

}  // namespace tcsim::kernels
