#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/isa/launch.hpp"
#include "workloads/kernels/gemm.hpp"

namespace tcsim::kernels {

/// The three products of a training step: Y from X and W, dX from dY and W, dW from dY and X.
enum class ConvPass : std::uint8_t { kForward, kDataGradient, kWeightGradient };

/// Layout of activations in memory. The corresponding filter layouts are KRSC and KCRS.
enum class TensorOrder : std::uint8_t { kNhwc, kNchw };

/// How a convolution is computed.
enum class ConvAlgorithm : std::uint8_t {
  kImplicitGemm,          ///< operands gathered tap by tap, with prepared pointers and bit masks
  kImplicitGemmAnalytic,  ///< the same, addresses computed anew for every tap
  kIm2colGemm,            ///< patches written to memory, then a product of matrices
  kWinograd2x2,           ///< F(2x2, 3x3) with transforms in separate kernels
  kWinograd4x4,           ///< F(4x4, 3x3), the same
  kDepthwise,             ///< one filter per channel, on CUDA cores
  kDirect,                ///< the definition on CUDA cores, no product and no workspace
  kWinograd2x2Fused,      ///< F(2x2, 3x3) in one kernel on CUDA cores, after the filter transform
  kFft,                   ///< Fourier transforms of 16 x 16 tiles, complex products on CUDA cores
  kImplicitGemmTma,       ///< an implicit GEMM of warpgroups, pixels copied by TMA
};

constexpr bool is_implicit(ConvAlgorithm algorithm) {
  return algorithm == ConvAlgorithm::kImplicitGemm ||
         algorithm == ConvAlgorithm::kImplicitGemmAnalytic;
}

/// True if the steps after the sums, in NHWC, are part of the algorithm's own kernel.
constexpr bool fuses_post(ConvAlgorithm algorithm) {
  return is_implicit(algorithm) || algorithm == ConvAlgorithm::kImplicitGemmTma;
}

/// The steps after the sums of a forward pass, in FP32: max-pool(relu(sums * scale + bias + z)).
/// Scale and bias are FP32 vectors over the channels of y, as batch normalisation provides them for
/// inference. z, the residual, has the layout of y before pooling and its format (cuDNN's
/// ConvolutionBiasActivationForward).
struct ConvPost {
  bool scale = false;
  bool bias = false;
  bool residual = false;  ///< z
  bool relu = false;
  bool pool = false;     ///< of 2 x 2 pixels, in a separate kernel
  bool is_fused = true;  ///< all but the pool inside the product; else in a kernel after it

  [[nodiscard]] bool changes_values() const { return scale || bias || residual || relu; }
  bool operator==(const ConvPost&) const = default;
};

/// y[n][p][q][k] = sum over r, s, c of x[n][p * stride_h - pad_h + r * dil_h][q * stride_w - pad_w
/// + s * dil_w][c] * w[k][r][s][c]; pixels outside the image are zero. With groups, output channel
/// k sees only the channels of its group, and w has c / groups of them.
struct ConvProblem {
  std::int64_t n = 1;
  std::int64_t h = 1;
  std::int64_t w = 1;
  std::int64_t c = 1;
  std::int64_t k = 1;
  std::int64_t r = 1;
  std::int64_t s = 1;
  std::int64_t stride_h = 1;
  std::int64_t stride_w = 1;
  std::int64_t pad_h = 0;
  std::int64_t pad_w = 0;
  std::int64_t dil_h = 1;
  std::int64_t dil_w = 1;
  std::int64_t groups = 1;
  ConvPass pass = ConvPass::kForward;
  TensorOrder order = TensorOrder::kNhwc;
  Element input = Element::kFp16;
  Element accumulate = Element::kFp32;
  Element output = Element::kFp16;
  Unit unit = Unit::kTensor;
  ConvPost post{};

  /// Rows and columns from the first tap of a filter to the last.
  [[nodiscard]] std::int64_t window_h() const { return dil_h * (r - 1) + 1; }
  [[nodiscard]] std::int64_t window_w() const { return dil_w * (s - 1) + 1; }
  [[nodiscard]] bool is_dilated() const { return window_h() != r || window_w() != s; }
  [[nodiscard]] std::int64_t p() const { return (h + 2 * pad_h - window_h()) / stride_h + 1; }
  [[nodiscard]] std::int64_t q() const { return (w + 2 * pad_w - window_w()) / stride_w + 1; }
  [[nodiscard]] std::int64_t group_c() const { return c / groups; }
  [[nodiscard]] std::int64_t group_k() const { return k / groups; }
  [[nodiscard]] std::int64_t x_elements() const { return n * h * w * c; }
  /// Those that some tap of a filter sees: not all where filters step over pixels or end before
  /// them.
  [[nodiscard]] std::int64_t seen_x_elements() const;
  [[nodiscard]] std::int64_t w_elements() const { return k * r * s * group_c(); }
  /// Those that meet a pixel of x at some place: not all where taps only ever meet padding.
  [[nodiscard]] std::int64_t seeing_w_elements() const;
  /// Number of sums, before pooling.
  [[nodiscard]] std::int64_t y_elements() const { return n * p() * q() * k; }
  /// Those whose filter meets a pixel of x: not all where filters lie wholly in the padding.
  [[nodiscard]] std::int64_t seeing_y_elements() const;
  [[nodiscard]] std::int64_t pooled_elements() const { return n * (p() / 2) * (q() / 2) * k; }
  /// Bytes of the tensors, of which the one that the pass computes is in the format of the output.
  [[nodiscard]] std::int64_t x_bytes() const {
    return x_elements() * tensor_element_bytes(ConvPass::kDataGradient);
  }
  [[nodiscard]] std::int64_t w_bytes() const {
    return w_elements() * tensor_element_bytes(ConvPass::kWeightGradient);
  }
  /// Before pooling.
  [[nodiscard]] std::int64_t y_bytes() const {
    return y_elements() * tensor_element_bytes(ConvPass::kForward);
  }
  /// Multiply-adds of the definition, including those with padding; the same for every pass.
  [[nodiscard]] std::int64_t macs() const { return n * p() * q() * k * r * s * group_c(); }

 private:
  [[nodiscard]] int tensor_element_bytes(ConvPass computed_by) const {
    return element_bytes(pass == computed_by ? output : input);
  }
};

/// Why no tensors have these sizes, in one sentence; empty if some do.
std::string why_not_a_convolution(const ConvProblem& problem);

/// How to compute a convolution on a machine.
struct ConvPlan {
  ConvAlgorithm algorithm = ConvAlgorithm::kImplicitGemm;
  GemmTile tile;  ///< of its matrix product; all zeros if it has none

  /// "implicit_gemm 128x128x32_s4_w2x2".
  [[nodiscard]] std::string text() const;
};

/// Names of the algorithms, in the order of ConvAlgorithm.
inline constexpr std::array<std::string_view, 10> kConvAlgorithmNames{
    "implicit_gemm",    "implicit_gemm_analytic", "im2col_gemm",
    "winograd_2x2",     "winograd_4x4",           "depthwise",
    "direct",           "winograd_2x2_fused",     "fft",
    "implicit_gemm_tma"};
std::string_view name(ConvAlgorithm algorithm);

/// Why `algorithm` has no kernel for `problem` on `target`, in one sentence; empty if it has one.
std::string why_no_conv_kernel(const ConvProblem& problem, ConvAlgorithm algorithm,
                               const Target& target);

/// The tile with the smallest estimated time for the algorithm. Requires why_no_conv_kernel to be
/// empty.
ConvPlan choose_conv_tile(const ConvProblem& problem, ConvAlgorithm algorithm,
                          const Target& target);

/// The tiles that the chooser ranks first for the algorithm's product, choose_conv_tile's first, at
/// most `count`; none if the algorithm has no tiles. Requires why_no_conv_kernel to be empty.
std::vector<GemmTile> leading_conv_tiles(const ConvProblem& problem, ConvAlgorithm algorithm,
                                         const Target& target, std::size_t count);

/// Removes the algorithm from the front of a plan as reports print it, "im2col_gemm 64x64x32";
/// nothing if `text` does not begin with an algorithm.
std::optional<ConvAlgorithm> take_algorithm(std::string& text);

/// The algorithm and tile with the smallest estimated time, or nothing if no algorithm has a
/// kernel. Never the analytic form, because the other one does the same with fewer instructions;
/// the TMA form only if the first library with convolutions has it.
std::optional<ConvPlan> choose_conv(const ConvProblem& problem, const Target& target);

/// The tile that `text` names (gemm.hpp, parse_tile) for the algorithm's product, or nothing and a
/// reason. Without an algorithm, the fastest one that choose_conv may pick and that has this tile.
std::optional<ConvPlan> parse_conv_tile(const std::string& text, const ConvProblem& problem,
                                        std::optional<ConvAlgorithm> algorithm,
                                        const Target& target, std::string& reason);

/// The kernels of the convolution in stream order. The tensors are the buffers "x", "w" and "y" in
/// every pass, two of them inputs, and "scale", "bias" and "z" if asked for. Buffers with the same
/// address are the same memory.
std::vector<isa::KernelLaunch> make_conv_stream(const ConvProblem& problem, const ConvPlan& plan,
                                                const Target& target);

}  // namespace tcsim::kernels
