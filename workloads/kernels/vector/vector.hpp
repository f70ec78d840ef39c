#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/isa/launch.hpp"
#include "workloads/kernels/gemm.hpp"

namespace tcsim::kernels {

enum class VectorOperation : std::uint8_t {
  kSoftmax,     ///< exp(x - max) / sum over each row
  kLayerNorm,   ///< (x - mean) / sqrt(variance + 1e-5) * gamma + beta over each row
  kRmsNorm,     ///< x / sqrt(mean of squares + 1e-5) * gamma over each row
  kGelu,        ///< the tanh form: x / (1 + exp(-2 sqrt(2 / pi) (x + 0.044715 x^3)))
  kSilu,        ///< x / (1 + exp(-x))
  kSiluAndMul,  ///< silu(x) * y, rows of X hold x, then y
  kAdd,         ///< x + y
  kQuantize,    ///< INT8: x / scale to the nearest even, saturated; scale = 1/16
  kDequantize,  ///< the same back
  kRelu,        ///< max(x, 0)
  kMultiply,    ///< x * y
  kAddRelu,     ///< max(x + y, 0)
  kCopy,        ///< x
  kToFp32,      ///< x in FP32
  kFromFp32,    ///< an FP32 number rounded to the element type
  kTanh,        ///< 2 / (1 + exp(-2 x)) - 1 for all x (assumption: CUDA takes a polynomial near 0)
  kSigmoid,     ///< 1 / (1 + exp(-x))
};

/// An operation on a matrix of `rows` rows of `cols` elements, row by row or element by element.
/// Buffers: X, then Y (kAdd, kMultiply, kAddRelu) or G and B (gamma and beta, `cols` each), then D.
/// Arithmetic in FP32.
struct VectorProblem {
  VectorOperation operation = VectorOperation::kSoftmax;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  Element element = Element::kFp16;  ///< fp16, bf16, fp32: of all else
};

/// "softmax", "layernorm", "rms_norm", "gelu", "silu", "silu_and_mul", "add", "quantize",
/// "dequantize", "relu", "mul", "add_relu", "copy", "to_fp32", "from_fp32",
/// "tanh", "sigmoid".
std::string_view vector_name(VectorOperation operation);

/// Bytes that are read and written at least.
std::int64_t vector_bytes(const VectorProblem& problem);

/// Why there is no kernel for `problem` on `target`, in one sentence; empty if there is one.
std::string why_no_vector(const VectorProblem& problem, const Target& target);

/// The kernel of `problem` (control bits not yet set). Requires why_no_vector(...) to be empty.
isa::KernelLaunch make_vector(const VectorProblem& problem, const Target& target);

}  // namespace tcsim::kernels
