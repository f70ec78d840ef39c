#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "models/isa/launch.hpp"
#include "workloads/kernels/gemm.hpp"

namespace tcsim::kernels {

enum class PoolOperation : std::uint8_t {
  kMax,       ///< the largest pixel of the window, never padding
  kAverage,   ///< sum over the window / (r * s), padding as zeros; or mean of its pixels
  kUpsample,  ///< upsampling: each pixel of x fills its window of r x s pixels of y
};

/// Positions of a window of `size` along `extent` with `pad` on both sides; 0 if the window has no
/// position. With a ceiling the last window may extend past the edge, if it does not start in the
/// padding.
std::int64_t window_positions(std::int64_t extent, std::int64_t size, std::int64_t stride,
                              std::int64_t pad, bool has_ceiling);

/// y[n][p][q][c] over the windows of r x s pixels of x[n][h][w][c] that start at row p * stride_h -
/// pad_h and column q * stride_w - pad_w. A window of the whole image is global pooling.
/// Nearest-neighbour upsampling has adjacent windows of y: y[p][q] = x[p / r][q / s].
struct PoolProblem {
  PoolOperation operation = PoolOperation::kMax;
  std::int64_t n = 1;
  std::int64_t h = 1;
  std::int64_t w = 1;
  std::int64_t c = 1;
  std::int64_t r = 2;
  std::int64_t s = 2;
  std::int64_t stride_h = 2;
  std::int64_t stride_w = 2;
  std::int64_t pad_h = 0;
  std::int64_t pad_w = 0;
  bool has_ceiling = false;    ///< as in window_positions
  bool counts_padding = true;  ///< averages: padding counts as zeros; else only pixels count
  Element element = Element::kFp16;

  [[nodiscard]] bool is_upsampling() const { return operation == PoolOperation::kUpsample; }
  [[nodiscard]] std::int64_t p() const {
    return is_upsampling() ? h * r : window_positions(h, r, stride_h, pad_h, has_ceiling);
  }
  [[nodiscard]] std::int64_t q() const {
    return is_upsampling() ? w * s : window_positions(w, s, stride_w, pad_w, has_ceiling);
  }
  [[nodiscard]] std::int64_t x_elements() const { return n * h * w * c; }
  /// Those in some window: not all where windows step over pixels or end before them.
  [[nodiscard]] std::int64_t seen_x_elements() const;
  [[nodiscard]] std::int64_t y_elements() const { return n * p() * q() * c; }
};

inline constexpr std::array<std::string_view, 3> kPoolNames{"max_pool", "avg_pool", "upsample"};
inline std::string_view pool_name(PoolOperation operation) {
  return kPoolNames.at(static_cast<std::size_t>(operation));
}

/// Why no tensors have these sizes, in one sentence; empty if some do.
std::string why_not_a_pool(const PoolProblem& problem);

/// Why there is no kernel for `problem` on `target`, in one sentence; empty if there is one.
std::string why_no_pool(const PoolProblem& problem, const Target& target);

/// The kernel (control bits not yet set), in FP32: a thread handles up to 16 bytes of channels of a
/// pixel of y, or some of the taps of a large window (pool_shape.hpp). Buffers "x" and "y".
/// Requires why_not_a_pool(...) and why_no_pool(...) to be empty.
isa::KernelLaunch make_pool(const PoolProblem& problem, const Target& target);

}  // namespace tcsim::kernels
