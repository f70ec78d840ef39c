#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "models/memory/slice_hash/policy.hpp"

namespace tcsim::memory::slice_hash {

/// Divides the group's number without its last bit by an irreducible polynomial over GF(2) and adds
/// the remainder to the place in the group (KHA20), so that power-of-two strides spread perfectly.
/// The two groups of a pair have the same order, so rows of a matrix with such a pitch share a DRAM
/// row. Inferred on V100, which reads 64 bytes of each row 1.7 times as fast with a pitch of 4 or 8
/// KiB as with others (docs/accuracy.md).
class Polynomial {
 public:
  static constexpr std::string_view kName = "polynomial";
  static constexpr bool kNeedsPowerOfTwoSlices = true;

  /// Pairs of groups are hashed identically.
  static constexpr int kUnhashedGroupBits = 1;

  /// Throws std::invalid_argument unless `slices` is 2^n with n up to 10.
  explicit Polynomial(std::uint64_t slices) : remainders_(remainders_of_powers(slices)) {}

  std::uint64_t slice_of(std::uint64_t place, std::uint64_t group) const {
    return place ^ remainder(group >> kUnhashedGroupBits);
  }

 private:
  /// Irreducible polynomials over GF(2) by degree, without the highest power.
  static constexpr std::array<std::uint64_t, 11> kPolynomials{0,   0x1, 0x3,  0x3, 0x3, 0x5,
                                                              0x3, 0x3, 0x1b, 0x3, 0x9};
  using Remainders = std::array<std::uint64_t, 64>;

  static Remainders remainders_of_powers(std::uint64_t slices) {
    if (!std::has_single_bit(slices) || slices >= std::uint64_t{1} << kPolynomials.size())
      throw std::invalid_argument("a polynomial hash needs 2^n slices, n up to 10");
    Remainders remainders{};
    std::uint64_t remainder = 1;
    for (std::uint64_t& entry : remainders) {
      entry = remainder & (slices - 1);
      remainder <<= 1;
      if ((remainder & slices) != 0)
        remainder ^= slices | kPolynomials[static_cast<std::size_t>(std::countr_zero(slices))];
    }
    return remainders;
  }

  std::uint64_t remainder(std::uint64_t polynomial) const {
    std::uint64_t sum = 0;
    for (; polynomial != 0; polynomial &= polynomial - 1)
      sum ^= remainders_[static_cast<std::size_t>(std::countr_zero(polynomial))];
    return sum;
  }

  Remainders remainders_;  ///< of the powers of x
};

}  // namespace tcsim::memory::slice_hash
