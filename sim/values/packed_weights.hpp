#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/values/matrix.hpp"
#include "sim/values/operand_store.hpp"
#include "workloads/kernels/gemm.hpp"

namespace tcsim::values {

/// Buffers of a B with kernels::PackedWeights.
template <typename Byte>
struct WeightBuffers {
  std::span<Byte> integers;
  std::span<Byte> scales;
};

/// Writes the k x n `matrix` as the kernels of `problem` read it (kernels/weight_order.hpp):
/// symmetric integers, scale = largest magnitude of a group / (2^(bits - 1) - 1) in problem.input,
/// integer = weight / scale, to nearest even. A group of zeros has scale 1. The Conversion compares
/// the elements with the values that the integers stand for. Requires finite elements.
Conversion store_weights(const Matrix& matrix, const kernels::GemmProblem& problem,
                         const WeightBuffers<std::uint8_t>& buffers);

/// B as the kernels multiply it: integer times scale, rounded to problem.input, in the order of
/// problem.layout_b.
std::vector<std::uint8_t> dense_weights(const kernels::GemmProblem& problem,
                                        const WeightBuffers<const std::uint8_t>& buffers);

/// "row 3, column 5" of the first element that is not finite, from 0; nothing if all are.
std::optional<std::string> place_not_finite(const Matrix& matrix);

}  // namespace tcsim::values
