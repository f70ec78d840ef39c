#pragma once

#include <array>
#include <cstdint>

namespace tcsim::values {

/// A sum of doubles and of products of two doubles without any rounding: a fixed-point number wide
/// enough for every product (Kulisch's long accumulator). Requires finite terms and fewer than 2^60
/// of them.
class ExactSum {
 public:
  void add(double term) { add_product(term, 1.0); }
  void add_product(double a, double b);

  /// The double nearest to the sum, ties to even; a subnormal result may be off by its last bit.
  [[nodiscard]] double value() const;

 private:
  static constexpr int kLimbBits = 32;
  static constexpr int kLowestExponent = -2148;  ///< exponent of the smallest bit of a product
  static constexpr int kBits = 2148 + 2048 + 64;
  static constexpr int kLimbs = kBits / kLimbBits + 2;

  void add_word(std::uint64_t word, int position, bool negative);
  void propagate_carries();

  std::array<std::int64_t, kLimbs> limbs_{};  ///< signed digits of weight 2^32, lowest first
  std::int64_t terms_ = 0;
};

}  // namespace tcsim::values
