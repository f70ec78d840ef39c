#pragma once

#include <cstddef>
#include <cstdint>

#include "models/numerics/format.hpp"

namespace tcsim::numerics {

/// Vectors of a group of an OperandPanel: 32-bit lanes of the widest vector unit in use.
inline constexpr int kFastGroup = 16;
/// Fraction bits of an accumulator in the common form that the vector kernel gives FP32 and FP16.
inline constexpr int kAccumulatorFractionBits = 25;

/// Constants of one format for the vector decoder.
struct FastFormat {
  std::int32_t ignored_low_bits;
  std::int32_t fraction_bits;
  std::int32_t field_mask;
  std::int32_t bias;
  std::int32_t sign_position;
  bool nan_only;
};

/// Inputs of the vector kernel: one group of a wide panel and one vector of the other panel.
struct FastTask {
  const std::int32_t* single_exponents;  ///< Element k at [k * kFastGroup].
  const std::int32_t* single_significands;
  const std::int32_t* wide_exponents;  ///< [k][kFastGroup]
  const std::int32_t* wide_significands;
  std::uint32_t* accumulators;  ///< kFastGroup patterns, updated.
  std::int32_t length;
};

/// Constants of the arithmetic.
struct FastParams {
  std::int32_t products;
  std::int32_t grid_fraction_bits;
  std::int32_t exponent_floor;
  std::int32_t product_shift;  ///< Left shift that brings a product's digits onto the grid.
  std::uint32_t result_mask;   ///< Clears the digits that an E8M13 result does not keep.
  bool fp16_accumulator;
  bool underflow_keeps_sign;  ///< A negative sum that rounds to zero is -0, else +0.
};

/// Exponent of a zero element: below every sum of real exponents even when added to one of them.
inline constexpr std::int32_t kZeroExponent = -20000;

/// Decodes `count` group rows of kFastGroup patterns; ORs a non-zero word into
/// special[lane] for an infinity or NaN.
void decode_rows(const FastFormat& format, const std::uint32_t* patterns, std::size_t count,
                 std::int32_t* exponents, std::int32_t* significands, std::uint32_t* special);

void run_fast_task(const FastParams& params, const FastTask& task);

/// The instruction set that the kernels use on this host.
const char* fast_kernel_target();

}  // namespace tcsim::numerics
