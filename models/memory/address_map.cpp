#include "models/memory/address_map.hpp"

#include <array>
#include <bit>
#include <stdexcept>

namespace tcsim::memory {
namespace {

/// Mixes all bits of the group number into the low ones (xor-shift-multiply; the constant is the
/// 64-bit golden ratio, odd, chosen for its even spread).
std::uint64_t fold(std::uint64_t group) {
  group ^= group >> 15;
  group *= 0x9E3779B97F4A7C15ULL;
  return group ^ (group >> 32);
}

/// Pairs of groups are hashed alike.
constexpr int kUnhashedGroupBits = 1;

/// Irreducible polynomials over GF(2) by degree, the highest power left out.
constexpr std::array<std::uint64_t, 11> kPolynomials{0,   0x1, 0x3,  0x3, 0x3, 0x5,
                                                     0x3, 0x3, 0x1b, 0x3, 0x9};

/// Remainders of the powers of x by the polynomial of `degree`.
std::array<std::uint64_t, 64> remainders_of_powers(int degree) {
  std::array<std::uint64_t, 64> remainders{};
  const std::uint64_t top = std::uint64_t{1} << degree;
  std::uint64_t remainder = 1;
  for (std::uint64_t& entry : remainders) {
    entry = remainder & (top - 1);
    remainder <<= 1;
    if ((remainder & top) != 0) remainder ^= top | kPolynomials[static_cast<std::size_t>(degree)];
  }
  return remainders;
}

AddressMap::Hash hash_named(const std::string& name) {
  if (name == "xor_fold") return AddressMap::Hash::kFold;
  if (name == "polynomial") return AddressMap::Hash::kPolynomial;
  return AddressMap::Hash::kNone;
}

}  // namespace

AddressMap::AddressMap(const L2Params& params)
    : slices_(static_cast<std::uint64_t>(params.slices)),
      interleave_(static_cast<std::uint64_t>(params.interleave_bytes)),
      hash_(hash_named(params.slice_hash)) {
  if (hash_ != Hash::kPolynomial) return;
  if (!std::has_single_bit(slices_) || slices_ >= std::uint64_t{1} << kPolynomials.size())
    throw std::invalid_argument("AddressMap: a polynomial hash needs 2^n slices, n up to 10");
  remainders_ = remainders_of_powers(std::countr_zero(slices_));
}

std::uint64_t AddressMap::remainder(std::uint64_t polynomial) const {
  std::uint64_t sum = 0;
  for (; polynomial != 0; polynomial &= polynomial - 1)
    sum ^= remainders_[static_cast<std::size_t>(std::countr_zero(polynomial))];
  return sum;
}

std::uint64_t AddressMap::slice_of(std::uint64_t block, std::uint64_t group) const {
  const std::uint64_t place = block % slices_;
  switch (hash_) {
    case Hash::kFold:
      return (place + fold(group) % slices_) % slices_;
    case Hash::kPolynomial:
      return place ^ remainder(group >> kUnhashedGroupBits);
    case Hash::kNone:
      break;
  }
  return place;
}

HomeAddress AddressMap::home(std::uint64_t address) const {
  const std::uint64_t block = address / interleave_;
  const std::uint64_t group = block / slices_;
  return {static_cast<int>(slice_of(block, group)), group * interleave_ + address % interleave_};
}

}  // namespace tcsim::memory
