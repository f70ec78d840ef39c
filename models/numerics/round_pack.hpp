#pragma once

#include <cstdint>

#include "models/numerics/format.hpp"

namespace tcsim::numerics {

enum class RoundingMode : std::uint8_t {
  kTruncate,    ///< Drops digits; overflow is an infinity. What a tensor core does for FP32.
  kTowardZero,  ///< IEEE 754: as above, but an overflow gives the largest finite number.
  kNearestEven,
  kNearestAway,  ///< Ties away from zero, as cvt.rna.
  kTowardNegative,
  kTowardPositive,
};

/// How a sum is converted to a register value.
struct ResultRule {
  ElementType type = ElementType::kFp32;
  int kept_fraction_bits = 23;  ///< At most those of `type`; 13 in FP32 for FP8 inputs ("E8M13").
  RoundingMode mode = RoundingMode::kTruncate;
  bool subnormals =
      true;  ///< False: a result below the normal numbers becomes a zero with its sign.

  bool operator==(const ResultRule&) const = default;
};

/// A rounded result and how it was reached.
struct Rounded {
  std::uint64_t pattern = 0;
  int exponent = 0;               ///< Exponent of the kept digits, at least that of the subnormals.
  std::uint64_t significand = 0;  ///< Kept digits: hidden bit and kept_fraction_bits below it.
  bool inexact = false;
  bool rounded_up = false;  ///< The magnitude increased.
  bool overflow = false;    ///< The result is an infinity made from finite terms.
};

/// Normalise, round and pack stage: (-1)^negative * magnitude * 2^unit_exponent, rounded once.
/// `sticky` states that a non-zero part below the last bit of `magnitude` was dropped earlier; it
/// requires that magnitude holds two more bits than are kept. Magnitude 0 gives +0 or -0 according
/// to `negative`.
Rounded round_and_pack(bool negative, std::uint64_t magnitude, int unit_exponent,
                       const ResultRule& rule, bool sticky = false);

}  // namespace tcsim::numerics
