#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "models/functional/mma_engine.hpp"
#include "models/functional/poll.hpp"
#include "models/isa/launch.hpp"
#include "models/numerics/result.hpp"
#include "models/numerics/tensor_arithmetic.hpp"
#include "sim/values/distribution.hpp"
#include "sim/values/matrix.hpp"
#include "sim/values/operand_store.hpp"
#include "sim/values/product_error.hpp"
#include "sim/values/reference_product.hpp"
#include "sim/values/special_values.hpp"
#include "workloads/kernels/gemm.hpp"

namespace tcsim::values {

/// The source of one operand: drawn, or given as a matrix of the operand's shape (A m x k, B k x
/// n).
struct OperandSource {
  Distribution distribution = Distribution::kUniform;
  std::optional<Matrix> given;
};

/// A GEMM kernel to execute for its values.
struct GemmRun {
  kernels::GemmProblem problem;
  kernels::GemmTile tile;
  numerics::TensorArithmetic core;
  OperandSource a;
  OperandSource b;
  std::uint64_t seed = 1;
  bool real_operands = true;  ///< drawn as reals; false: as INT8 values
  KCuts cuts{};               ///< with tile.stream_k
};

/// The outcome.
struct GemmValues {
  Conversion a;
  Conversion b;
  std::int64_t elements = 0;      ///< elements of D
  std::int64_t differences = 0;   ///< elements of D that differ from the reference
  std::int64_t racing_bytes = 0;  ///< bytes of unordered shared-memory accesses
  SpecialValues specials;
  ProductError arithmetic;                 ///< against the exact product of the operands as stored
  std::optional<ProductError> conversion;  ///< against that of the operands before rounding, if
                                           ///< rounding changed any
  std::vector<std::uint8_t> d;             ///< m x n in problem.output
};

/// Operand A or B of `run` before conversion or quantisation: drawn or given; a sparse A is pruned.
Matrix matrix_a(const GemmRun& run);
Matrix matrix_b(const GemmRun& run);

/// Executes `stream`, the kernels that make_gemm_stream made for `run`, on `a` and `b`, and
/// compares D with the reference product and with the exact one. If `engine` is given, it computes
/// the MMAs. Refusals are those of functional::execute. Polls many times a second.
numerics::Result<GemmValues> execute_gemm(
    const GemmRun& run, std::span<const isa::KernelLaunch> stream, const Matrix& a, const Matrix& b,
    functional::MmaEngine* engine = nullptr, const functional::Poll& poll = [] {});

}  // namespace tcsim::values
