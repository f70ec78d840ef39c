#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "workloads/kernels/gemm.hpp"

namespace tcsim::kernels {

/// Operations on a matrix, row by row or element by element. Arithmetic in FP32.
enum class VectorOperation : std::uint8_t {
  kSoftmax,     ///< exp(x - max) / sum over each row
  kLayerNorm,   ///< (x - mean) / sqrt(variance + 1e-5) * gamma + beta over each row
  kRmsNorm,     ///< x / sqrt(mean of squares + 1e-5) * gamma over each row
  kGelu,        ///< the tanh form: x / (1 + exp(-2 sqrt(2 / pi) (x + 0.044715 x^3)))
  kSilu,        ///< x / (1 + exp(-x))
  kSiluAndMul,  ///< silu(x) * y
  kAdd,         ///< x + y
  kQuantize,    ///< INT8: x / scale to the nearest even, saturated; scale = 1/16
  kDequantize,  ///< the inverse of kQuantize
  kRelu,        ///< max(x, 0)
  kMultiply,    ///< x * y
  kAddRelu,     ///< max(x + y, 0)
  kCopy,        ///< x
  kToFp32,      ///< x in FP32
  kFromFp32,    ///< an FP32 number rounded to the element type
  kTanh,        ///< 2 / (1 + exp(-2 x)) - 1 for all x (assumption: CUDA takes a polynomial near 0)
  kSigmoid,     ///< 1 / (1 + exp(-x))
  kQuantizeE4m3,  ///< E4M3: x / scale to the nearest even, saturated; scale = 1/16
  kScaleBias,     ///< x * gamma + beta, as normalisations leave them for inference
  kBias,          ///< x + beta
};

/// What an operation reads.
enum class VectorOperands : std::uint8_t {
  kX,
  kXAndY,         ///< Y has the size of X
  kHalvesOfX,     ///< rows of X hold x, then y
  kGamma,         ///< X, and a factor for each column
  kGammaAndBeta,  ///< X, and a factor and a summand for each column
  kBeta,          ///< X, and a summand for each column
};

/// The properties of an operation other than its arithmetic: a row of their table.
struct VectorTraits {
  VectorOperation operation;
  std::string_view name;  ///< on the command line and in lists
  VectorOperands operands = VectorOperands::kX;
  bool sums_rows = false;                        ///< else element by element
  std::optional<Element> input = std::nullopt;   ///< type of X, if it is not that of the problem
  std::optional<Element> output = std::nullopt;  ///< type of D, if it is not that of the problem

  [[nodiscard]] bool has_gamma() const {
    return operands == VectorOperands::kGamma || operands == VectorOperands::kGammaAndBeta;
  }
  [[nodiscard]] bool has_beta() const {
    return operands == VectorOperands::kBeta || operands == VectorOperands::kGammaAndBeta;
  }
  /// True if the operands after X are the same for every row.
  [[nodiscard]] bool has_parameters() const { return has_gamma() || has_beta(); }
};

const VectorTraits& vector_traits(VectorOperation operation);
/// The operation called `name`, or nothing.
std::optional<VectorOperation> vector_operation(std::string_view name);
/// All operations.
std::span<const VectorTraits> vector_operations();

inline std::string_view vector_name(VectorOperation operation) {
  return vector_traits(operation).name;
}

}  // namespace tcsim::kernels
