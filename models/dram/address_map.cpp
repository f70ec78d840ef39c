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

}  // namespace

AddressMap::AddressMap(const DramParams& params)
    : burst_bits_(bits_of(params.channel_width_bits / 8 * params.burst_length_beats)),
      line_bits_(std::min(bits_of(kLineBytes), bits_of(params.row_bytes)) - burst_bits_),
      group_bits_(bits_of(params.bank_groups)),
      column_bits_(bits_of(params.row_bytes) - burst_bits_ - line_bits_),
      bank_bits_(bits_of(params.banks_per_group)) {}

Location AddressMap::locate(std::uint64_t address) const {
  std::uint64_t rest = address >> burst_bits_;
  const std::uint64_t burst = take_low_bits(rest, line_bits_);
  const std::uint64_t group = take_low_bits(rest, group_bits_);
  const std::uint64_t column = (take_low_bits(rest, column_bits_) << line_bits_) | burst;
  const std::uint64_t bank = take_low_bits(rest, bank_bits_);
  const int fold_bits = group_bits_ + bank_bits_;
  std::uint64_t folded = 0;
  if (fold_bits > 0) {
    for (std::uint64_t row = rest; row != 0; row >>= fold_bits) folded ^= row;
  }
  // Streams run through all groups of one bank number, so the bank is what must differ between two
  // arrays: it takes in every bit of the row. The group takes the upper part of the fold, which
  // keeps the two independent.
  const std::uint64_t upper = folded >> bank_bits_;
  const std::uint64_t hashed_bank = low_bits(bank ^ folded ^ upper, bank_bits_);
  const std::uint64_t hashed_group = low_bits(group ^ upper, group_bits_);
  return {static_cast<int>((hashed_group << bank_bits_) | hashed_bank),
          static_cast<std::int64_t>(rest), static_cast<int>(column)};
}

}  // namespace tcsim::dram
