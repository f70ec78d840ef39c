#pragma once

#include <bit>
#include <cstdint>

#include "models/dram/params.hpp"

namespace tcsim::dram {

/// How many bits of an address each part of it occupies. The parameters are powers of two.
struct AddressBits {
  explicit AddressBits(const DramParams& params)
      : burst(bits_of(params.channel_width_bits / 8 * params.burst_length_beats)),
        column(bits_of(params.row_bytes) - burst),
        bank_group(bits_of(params.bank_groups)),
        bank(bits_of(params.banks_per_group)) {}

  static int bits_of(int power_of_two) {
    return std::countr_zero(static_cast<unsigned>(power_of_two));
  }

  int burst;   ///< byte in a burst
  int column;  ///< burst in a row
  int bank_group;
  int bank;  ///< bank in a bank group
};

inline std::uint64_t low_bits(std::uint64_t value, int bits) {
  return value & ((std::uint64_t{1} << bits) - 1);
}

/// Shifts the low bits out of `value` and returns them.
inline std::uint64_t take_low_bits(std::uint64_t& value, int bits) {
  const std::uint64_t taken = low_bits(value, bits);
  value >>= bits;
  return taken;
}

}  // namespace tcsim::dram
