#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "models/dram/address_mapping/address_bits.hpp"
#include "models/dram/address_mapping/policy.hpp"

namespace tcsim::dram {

/// Pseudo-random interleaving (after Rau, ISCA 1991). Splits an address, from the least significant
/// bit up, into
///   byte in burst | burst in line | bank group | line in row | bank | row
/// and scatters bank group, bank and row within regions of 256 rows of all banks by a one-to-one
/// hash. Assumption (the real functions are not public): a 128-byte line is in one row, so that a
/// single line costs one ACTIVATE; the bank group comes next, so that a stream has several rows
/// open. That neighbouring rows fall into the same bank at random, and not in regular turns, is
/// inferred: boards that read with a half or three quarters of their warps stay 5 to 15 % below
/// what they reach with all (RRZE, V100 and A100).
class PseudoRandom {
 public:
  static constexpr std::string_view kName = "pseudo_random";

  explicit PseudoRandom(const DramParams& params)
      : bits_(params),
        line_bits_(std::clamp(AddressBits::bits_of(kLineBytes) - bits_.burst, 0, bits_.column)) {}

  [[nodiscard]] Location locate(std::uint64_t address) const {
    std::uint64_t rest = address >> bits_.burst;
    const std::uint64_t burst = take_low_bits(rest, line_bits_);
    const std::uint64_t group = take_low_bits(rest, bits_.bank_group);
    const std::uint64_t line = take_low_bits(rest, bits_.column - line_bits_);
    const int place_bits = bits_.bank_group + bits_.bank;
    const int number_bits = place_bits + kScatteredRowBits;
    rest = (rest << bits_.bank_group) | group;
    const std::uint64_t number = take_low_bits(rest, number_bits);
    if (number != last_.number || rest != last_.key)
      last_ = {number, rest, scatter(number, number_bits, rest)};
    const std::uint64_t scattered = last_.scattered;
    const std::uint64_t row = (rest << kScatteredRowBits) | (scattered >> place_bits);
    return {static_cast<int>(low_bits(scattered, place_bits)), static_cast<std::int64_t>(row),
            static_cast<int>((line << line_bits_) | burst)};
  }

 private:
  static constexpr int kLineBytes = 128;  // in all caches of the model
  // Row bits within which the rows of all banks are scattered.
  static constexpr int kScatteredRowBits = 8;

  /// Mixes all bits: xor-shift-multiply with the 64-bit golden ratio.
  static std::uint64_t mix(std::uint64_t value) {
    value = (value ^ (value >> 32)) * 0x9E3779B97F4A7C15ULL;
    return value ^ (value >> 29);
  }

  /// One-to-one on numbers of `bits` bits, for every `key`: a Feistel network in which each round
  /// adds to one half a mix of the other.
  static std::uint64_t scatter(std::uint64_t number, int bits, std::uint64_t key) {
    int low = bits / 2;
    for (std::uint64_t round = 0; round < 4; ++round) {
      const std::uint64_t right = low_bits(number, low);
      const std::uint64_t left = number >> low;
      const int high = bits - low;
      number = (right << high) | low_bits(left ^ (mix(right + mix(key + round)) >> 20), high);
      low = high;
    }
    return number;
  }

  struct Scattered {
    std::uint64_t number;
    std::uint64_t key;
    std::uint64_t scattered;
  };

  AddressBits bits_;
  mutable Scattered last_{~std::uint64_t{0}, 0, 0};  ///< the bursts of a line follow one another
  int line_bits_;                                    ///< bits for the burst in a line
};

}  // namespace tcsim::dram
