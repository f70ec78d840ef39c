#pragma once

#include <cstdint>

#include "models/dram/params.hpp"

namespace tcsim::dram {

/// Where a burst lies in a channel.
struct Location {
  int dram_bank;  ///< bank_group * banks_per_group + bank
  std::int64_t row;
  int column;  ///< in bursts
};

/// Splits a byte address of one channel, from the least significant bit up, into
///   byte in burst | burst in line | bank group | line in row | bank | row
/// and replaces bank group and bank by their XOR with the row number folded to as many bits.
/// Assumption (the real functions are not public): a 128-byte line lies in one row, so that a lone
/// line costs one ACTIVATE; the bank group comes next, so that the lines of a stream interleave
/// and reach tCCD_S; whole rows then follow each other in four banks at once; the XOR keeps arrays
/// whose distance is a power of two from meeting in one bank.
class AddressMap {
 public:
  /// Requires that validate(params, ...) found nothing.
  explicit AddressMap(const DramParams& params);

  [[nodiscard]] Location locate(std::uint64_t address) const;

 private:
  int burst_bits_;
  int line_bits_;  ///< bursts of a line
  int group_bits_;
  int column_bits_;
  int bank_bits_;
};

}  // namespace tcsim::dram
