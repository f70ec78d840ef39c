#include "models/dram/address_map.hpp"

#include <algorithm>
#include <bit>

namespace tcsim::dram {
namespace {

constexpr int kLineBytes = 128;  // of every cache here

int bits_of(int power_of_two) { return std::countr_zero(static_cast<unsigned>(power_of_two)); }

std::uint64_t low_bits(std::uint64_t value, int bits) {
  return value & ((std::uint64_t{1} << bits) - 1);
}

std::uint64_t take_low_bits(std::uint64_t& value, int bits) {
  const std::uint64_t taken = low_bits(value, bits);
  value >>= bits;
  return taken;
}

// Rows of every bank that are scattered among each other.
constexpr int kScatteredRowBits = 8;

/// Mixes all bits: xor-shift-multiply with the 64-bit golden ratio.
std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 32)) * 0x9E3779B97F4A7C15ULL;
  return value ^ (value >> 29);
}

/// One to one on numbers of so many bits, for every `key`: a Feistel network, each round of which
/// adds to one half a mix of the other.
std::uint64_t scatter(std::uint64_t number, int bits, std::uint64_t key) {
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

}  // namespace

AddressMap::AddressMap(const DramParams& params)
    : burst_bits_(bits_of(params.channel_width_bits / 8 * params.burst_length_beats)),
      line_bits_(
          std::max(0, std::min(bits_of(kLineBytes), bits_of(params.row_bytes)) - burst_bits_)),
      group_bits_(bits_of(params.bank_groups)),
      column_bits_(bits_of(params.row_bytes) - burst_bits_ - line_bits_),
      bank_bits_(bits_of(params.banks_per_group)) {}

Location AddressMap::locate(std::uint64_t address) const {
  std::uint64_t rest = address >> burst_bits_;
  const std::uint64_t burst = take_low_bits(rest, line_bits_);
  const std::uint64_t group = take_low_bits(rest, group_bits_);
  const std::uint64_t column = (take_low_bits(rest, column_bits_) << line_bits_) | burst;
  const int place_bits = group_bits_ + bank_bits_;
  const int number_bits = place_bits + kScatteredRowBits;
  rest = (rest << group_bits_) | group;
  const std::uint64_t number = take_low_bits(rest, number_bits);
  const std::uint64_t scattered = scatter(number, number_bits, rest);
  const std::uint64_t row = (rest << kScatteredRowBits) | (scattered >> place_bits);
  return {static_cast<int>(low_bits(scattered, place_bits)), static_cast<std::int64_t>(row),
          static_cast<int>(column)};
}

}  // namespace tcsim::dram
