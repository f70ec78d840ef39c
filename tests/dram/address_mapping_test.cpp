// The address mappings: what all have in common, plain models of them, what the scattered one is
// for.

#include "models/dram/address_mapping/address_mappings.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/dram/machines.hpp"

namespace tcsim::dram::test {
namespace {

/// The first line of a row of v100_channel: four rows, one per bank group, share 4 KiB by turns.
std::uint64_t lone_line(std::uint64_t row) { return row / 4 * 4096 + row % 4 * 128; }

DramParams with_one_bank() {
  DramParams params = v100_channel;
  params.bank_groups = 1;
  params.banks_per_group = 1;
  return params;
}

int banks_of(const DramParams& params) { return params.bank_groups * params.banks_per_group; }

class AnyAddressMapping : public ::testing::TestWithParam<std::string_view> {
 protected:
  static Location locate(const DramParams& params, std::uint64_t address) {
    return AddressMappings(GetParam(), params).visit([&](const auto& mapping) {
      return mapping.locate(address);
    });
  }
};

TEST_P(AnyAddressMapping, GivesEveryBurstItsOwnPlace) {
  for (const DramParams& params : {v100_channel, h100_channel, t4_channel, with_one_bank()}) {
    const int columns = params.row_bytes / 32;
    const auto bursts = static_cast<std::uint64_t>(256 * banks_of(params) * columns);
    std::vector<bool> is_taken(bursts);
    for (std::uint64_t burst = 0; burst < bursts; ++burst) {  // 256 rows of all banks
      const Location place = locate(params, burst * 32);
      ASSERT_GE(place.dram_bank, 0);
      ASSERT_LT(place.dram_bank, banks_of(params));
      ASSERT_GE(place.column, 0);
      ASSERT_LT(place.column, columns);
      ASSERT_GE(place.row, 0);
      ASSERT_LT(place.row, 256);
      const std::int64_t number =
          (place.row * banks_of(params) + place.dram_bank) * columns + place.column;
      ASSERT_FALSE(is_taken[static_cast<std::size_t>(number)]);
      is_taken[static_cast<std::size_t>(number)] = true;
    }
  }
}

TEST_P(AnyAddressMapping, KeepsTheBytesOfABurstTogether) {
  EXPECT_EQ(locate(v100_channel, 0x12340), locate(v100_channel, 0x1235f));
}

TEST_P(AnyAddressMapping, KeepsALineInOneRow) {
  for (const DramParams& params : {v100_channel, h100_channel, t4_channel}) {
    for (std::uint64_t line = 0; line < 4096; ++line) {
      const Location first = locate(params, line * 128);
      for (std::uint64_t burst = 1; burst < 4; ++burst) {
        const Location place = locate(params, line * 128 + burst * 32);
        ASSERT_EQ(place.dram_bank, first.dram_bank) << "line " << line;
        ASSERT_EQ(place.row, first.row) << "line " << line;
        ASSERT_EQ(place.column, first.column + static_cast<int>(burst)) << "line " << line;
      }
    }
  }
}

TEST_P(AnyAddressMapping, WorksWithASingleBank) {
  const Location place = locate(with_one_bank(), 5 * 1024 + 3 * 32);
  EXPECT_EQ(place.dram_bank, 0);
  EXPECT_EQ(place.row, locate(with_one_bank(), 5 * 1024).row);
  EXPECT_NE(place.row, locate(with_one_bank(), 4 * 1024).row);
  EXPECT_EQ(place.column, 3);
}

INSTANTIATE_TEST_SUITE_P(List, AnyAddressMapping, ::testing::ValuesIn(AddressMappings::names()),
                         [](const auto& instance) { return std::string(instance.param); });

TEST(AddressMappings, AreChosenByTheirNames) {
  std::string words;
  for (const std::string_view name : AddressMappings::names()) {
    words += (words.empty() ? "" : "|") + std::string(name);
    const auto name_of = [](const auto& mapping) { return mapping.kName; };
    EXPECT_EQ(AddressMappings(name, v100_channel).visit(name_of), name);
  }
  EXPECT_EQ(AddressMappings::words(), words);
  EXPECT_THROW(AddressMappings("row", v100_channel), std::invalid_argument);
}

/// The n-th row of an address range: bank group by bank group, then bank by bank.
int bank_in_turn(std::int64_t n) { return static_cast<int>(n % 4 * 4 + n / 4 % 4); }

TEST(RowBankColumn, GoesThroughARowThenThroughTheBanks) {
  const RowBankColumn mapping(v100_channel);
  for (std::int64_t burst = 0; burst < 200'000; ++burst) {
    const std::int64_t row = burst / 32;
    const Location expected{bank_in_turn(row), row / 16, static_cast<int>(burst % 32)};
    ASSERT_EQ(mapping.locate(static_cast<std::uint64_t>(burst) * 32), expected) << burst;
  }
}

TEST(BankPermutation, AddsTheRowToTheBankWithoutCarry) {
  const BankPermutation permuted(v100_channel);
  const RowBankColumn plain(v100_channel);
  for (std::uint64_t burst = 0; burst < 200'000; ++burst) {
    Location expected = plain.locate(burst * 32);
    const int row = static_cast<int>(expected.row % 16);
    // The bank group is the lower part of the number that the row is added to.
    expected.dram_bank ^= row % 4 * 4 + row / 4;
    ASSERT_EQ(permuted.locate(burst * 32), expected) << burst;
  }
}

TEST(BankPermutation, SpreadsRowsThatWouldMeetInOneBank) {
  const BankPermutation permuted(v100_channel);
  const RowBankColumn plain(v100_channel);
  std::set<int> permuted_banks;
  std::set<int> plain_banks;
  for (std::uint64_t row = 0; row < 16; ++row) {
    permuted_banks.insert(permuted.locate(row * 16 * 1024).dram_bank);
    plain_banks.insert(plain.locate(row * 16 * 1024).dram_bank);
  }
  EXPECT_EQ(permuted_banks.size(), 16U);
  EXPECT_EQ(plain_banks.size(), 1U);
}

TEST(PseudoRandom, FillsARowWithEveryFourthLine) {
  const PseudoRandom map(v100_channel);
  const Location first = map.locate(0);
  for (std::uint64_t line = 0; line < 32; line += 4) {  // the lines of one bank group
    const Location place = map.locate(line * 128);
    EXPECT_EQ(place.dram_bank, first.dram_bank);
    EXPECT_EQ(place.column, static_cast<int>(line));
  }
  const Location next = map.locate(std::uint64_t{32} * 128);
  EXPECT_NE(std::pair(next.dram_bank, next.row), std::pair(first.dram_bank, first.row));
}

TEST(PseudoRandom, GivesEveryBankItsShareOfRows) {
  const PseudoRandom map(v100_channel);
  std::map<int, int> rows;
  for (std::uint64_t row = 0; row < 16 * 4096; ++row) ++rows[map.locate(lone_line(row)).dram_bank];
  EXPECT_EQ(rows.size(), 16U);
  for (const auto& [bank, count] : rows) EXPECT_EQ(count, 4096) << "bank " << bank;
}

TEST(PseudoRandom, RowsAtAnyDistanceMeetInABankByChance) {
  const PseudoRandom map(v100_channel);
  constexpr std::uint64_t kRows = 65536;
  for (int bits = 0; bits < 20; ++bits) {
    std::uint64_t meetings = 0;
    for (std::uint64_t row = 0; row < kRows; ++row) {
      const std::uint64_t other = row + (std::uint64_t{1} << bits);
      if (map.locate(lone_line(row)).dram_bank == map.locate(lone_line(other)).dram_bank)
        ++meetings;
    }
    EXPECT_NEAR(static_cast<double>(meetings) / kRows, 1.0 / 16, 0.01) << "2^" << bits << " rows";
  }
}

}  // namespace
}  // namespace tcsim::dram::test
