#pragma once

#include <optional>
#include <string>

#include "models/numerics/arithmetic.hpp"

namespace tcsim::numerics {

/// What a designer may change for the inputs of one format; empty: as in the generation.
struct FormatChanges {
  std::optional<int> products;                   ///< L: products that are added to a sum at once.
  std::optional<int> grid_fraction_bits;         ///< F: digits below the maximum exponent.
  std::optional<int> accumulator_fraction_bits;  ///< Digits that an FP32 sum keeps.

  bool empty() const { return !products && !grid_fraction_bits && !accumulator_fraction_bits; }
  friend bool operator==(const FormatChanges&, const FormatChanges&) = default;
};

/// The arithmetic of a machine's tensor cores: that of a generation, with changes. INT8, INT4, B1
/// and FP64 cannot be changed: their sums are exact, or IEEE 754.
struct TensorArithmetic {
  TensorArithmetic(Generation generation) : base(generation) {}

  Generation base;
  FormatChanges fp16;
  FormatChanges bf16;
  FormatChanges tf32;
  FormatChanges
      fp8;  ///< On Hopper: for wgmma; mma.sync then uses the same units instead of those of FP16.
  std::optional<RoundingMode> fp32_rounding;  ///< kTruncate or kNearestEven.
  std::optional<RoundingMode> fp16_rounding;  ///< The same.
  BlockOrder block_order = BlockOrder::kAscending;
  bool subnormals = true;  ///< False: operands and results below the normal numbers become zeros.

  friend bool operator==(const TensorArithmetic&, const TensorArithmetic&) = default;
};

/// For example "ampere", or "ampere with fp16.products 16, subnormals flushed".
std::string to_string(const TensorArithmetic& core);

/// Limits of the changes. Within them, sums of blocks fit 64 bits.
inline constexpr int kMaxGridFractionBits = 30;
inline constexpr int kMaxAccumulatorFractionBits = 23;

/// Fraction bits of an exact product of two inputs of the format, and therefore the fewest that an
/// FP32 sum of them may keep: 20 for FP16 and TF32, 14 for BF16, 6 for FP8.
int product_fraction_bits(ElementType input);

/// The arithmetic of `key`, whose generation is that of `core`. Refusals: those of find_arithmetic
/// for the generation. Requires changes within their limits.
Result<Arithmetic> find_arithmetic(const TensorArithmetic& core, ArithmeticKey key,
                                   const UndecidedBehavior& undecided = {});

}  // namespace tcsim::numerics
