#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "models/numerics/aligned_sum.hpp"
#include "models/numerics/exact_value.hpp"
#include "models/numerics/round_pack.hpp"

namespace tcsim::numerics {

inline constexpr int kMaxBlockProducts = 32;  ///< Of a full block of Hopper wgmma with FP8 inputs.

/// One pass of the multiplier array: d = c + a[0]*b[0] + ... with one alignment and one rounding.
/// Source of the algorithm: numerics reference section 2; of the numbers: section 3.
struct BlockParams {
  ElementType a_type = ElementType::kFp16;
  ElementType b_type = ElementType::kFp16;
  int products = 4;             ///< L: products of a full block, 1..kMaxBlockProducts.
  int grid_fraction_bits = 23;  ///< F: digits kept below the maximum exponent.
  int exponent_floor = -131;    ///< Least maximum exponent: that of a zero accumulator.
  ResultRule
      result;  ///< Its type is also that of c; without subnormals, operands have none either.
  bool zero_product_raises_maximum = false;  ///< UndecidedBehavior Q4.
  bool underflow_keeps_sign = true;  ///< UndecidedBehavior Q1: a negative sum can round to -0.

  bool operator==(const BlockParams&) const = default;
};

/// The special-value rule that gave the result without arithmetic (section 6), in order of
/// precedence.
enum class SpecialCase : std::uint8_t {
  kNone,
  kNanOperand,
  kInfinityTimesZero,
  kOppositeInfinities,
  kInfinity,
};

/// All intermediate values of one block, stage by stage; the RTL is compared with them.
/// terms[0..product_count-1] are the products in ascending k, terms[product_count] is c.
struct BlockTrace {
  int product_count = 0;
  std::array<ExactValue, kMaxBlockProducts> a;
  std::array<ExactValue, kMaxBlockProducts> b;
  std::array<ExactValue, kMaxBlockProducts + 1> terms;
  SpecialCase special = SpecialCase::kNone;
  int maximum_exponent = 0;    ///< Like all below except `pattern`, valid if special is kNone.
  bool floor_decided = false;  ///< No term reached the exponent floor.
  std::array<AlignedTerm, kMaxBlockProducts + 1> aligned;
  std::int64_t sum = 0;  ///< In units of 2^unit_exponent.
  int unit_exponent = 0;
  Rounded rounded;
  std::uint64_t pattern = 0;  ///< The result, in the type of params.result.

  int term_count() const { return product_count + 1; }
};

/// Computes one block with all intermediate values. `a` and `b` hold the same number of patterns,
/// at most params.products and kMaxBlockProducts; missing ones count as zero.
BlockTrace trace_block(const BlockParams& params, std::span<const std::uint64_t> a,
                       std::span<const std::uint64_t> b, std::uint64_t c);

/// Only the result.
inline std::uint64_t block(const BlockParams& params, std::span<const std::uint64_t> a,
                           std::span<const std::uint64_t> b, std::uint64_t c) {
  return trace_block(params, a, b, c).pattern;
}

}  // namespace tcsim::numerics
