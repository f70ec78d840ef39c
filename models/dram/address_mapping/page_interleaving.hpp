#pragma once

#include <cstdint>
#include <string_view>

#include "models/dram/address_mapping/address_bits.hpp"
#include "models/dram/address_mapping/policy.hpp"

namespace tcsim::dram {

/// Page interleaving. From the least significant bit up
///   byte in burst | column | bank group | bank | row
/// so that a stream reads a whole row and continues in another bank group. Rows whose distance is a
/// multiple of the number of banks map to the same bank. If permuted, the lowest bits of the row
/// are added without carry to those of bank group and bank, which spreads such rows over all banks
/// (permutation-based page interleaving: Zhang, Zhu and Zhang, MICRO 2000, who take the bits from
/// the tag of the last cache).
template <bool kIsPermuted>
class PageInterleaving {
 public:
  static constexpr std::string_view kName = kIsPermuted ? "bank_permutation" : "row_bank_column";

  explicit PageInterleaving(const DramParams& params) : bits_(params) {}

  [[nodiscard]] Location locate(std::uint64_t address) const {
    std::uint64_t row = address >> bits_.burst;
    const std::uint64_t column = take_low_bits(row, bits_.column);
    std::uint64_t place = take_low_bits(row, bits_.bank_group + bits_.bank);
    if constexpr (kIsPermuted) place ^= low_bits(row, bits_.bank_group + bits_.bank);
    const std::uint64_t group = take_low_bits(place, bits_.bank_group);
    return {static_cast<int>((group << bits_.bank) | place), static_cast<std::int64_t>(row),
            static_cast<int>(column)};
  }

 private:
  AddressBits bits_;
};

using RowBankColumn = PageInterleaving<false>;
using BankPermutation = PageInterleaving<true>;

}  // namespace tcsim::dram
