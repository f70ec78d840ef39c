#include "models/dram/address_map.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "tests/dram/machines.hpp"

namespace tcsim::dram::test {
namespace {

/// The first line of a row of kV100: four rows, one per bank group, share 4 KiB by turns.
std::uint64_t lone_line(std::uint64_t row) { return row / 4 * 4096 + row % 4 * 128; }

TEST(AddressMap, GivesEveryBurstItsOwnPlace) {
  const AddressMap map(kV100);
  std::set<std::tuple<int, std::int64_t, int>> places;
  constexpr std::uint64_t kBursts = 256 * 512;  // 256 rows of all banks
  for (std::uint64_t burst = 0; burst < kBursts; ++burst) {
    const Location place = map.locate(burst * 32);
    ASSERT_GE(place.dram_bank, 0);
    ASSERT_LT(place.dram_bank, 16);
    ASSERT_LT(place.column, 32);
    ASSERT_LT(place.row, 256);
    places.emplace(place.dram_bank, place.row, place.column);
  }
  EXPECT_EQ(places.size(), kBursts);
}

TEST(AddressMap, KeepsTheBytesOfABurstTogether) {
  const AddressMap map(kV100);
  const Location first = map.locate(0x12340);
  const Location last = map.locate(0x1235f);
  EXPECT_EQ(first.dram_bank, last.dram_bank);
  EXPECT_EQ(first.row, last.row);
  EXPECT_EQ(first.column, last.column);
}

TEST(AddressMap, KeepsALineInOneRow) {
  for (const DramParams& params : {kV100, kH100, kT4}) {
    const AddressMap map(params);
    for (std::uint64_t line = 0; line < 4096; ++line) {
      const Location first = map.locate(line * 128);
      for (std::uint64_t burst = 1; burst < 4; ++burst) {
        const Location place = map.locate(line * 128 + burst * 32);
        ASSERT_EQ(place.dram_bank, first.dram_bank) << "line " << line;
        ASSERT_EQ(place.row, first.row) << "line " << line;
        ASSERT_EQ(place.column, first.column + static_cast<int>(burst)) << "line " << line;
      }
    }
  }
}

TEST(AddressMap, FillsARowWithEveryFourthLine) {
  const AddressMap map(kV100);
  const Location first = map.locate(0);
  for (std::uint64_t line = 0; line < 32; line += 4) {  // the lines of one bank group
    const Location place = map.locate(line * 128);
    EXPECT_EQ(place.dram_bank, first.dram_bank);
    EXPECT_EQ(place.column, static_cast<int>(line));
  }
  const Location next = map.locate(std::uint64_t{32} * 128);
  EXPECT_NE(std::pair(next.dram_bank, next.row), std::pair(first.dram_bank, first.row));
}

TEST(AddressMap, GivesEveryBankItsShareOfRows) {
  const AddressMap map(kV100);
  std::map<int, int> rows;
  for (std::uint64_t row = 0; row < 16 * 4096; ++row) ++rows[map.locate(lone_line(row)).dram_bank];
  EXPECT_EQ(rows.size(), 16U);
  for (const auto& [bank, count] : rows) EXPECT_EQ(count, 4096) << "bank " << bank;
}

TEST(AddressMap, RowsAtAnyDistanceMeetInABankByChance) {
  const AddressMap map(kV100);
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

TEST(AddressMap, WorksWithASingleBank) {
  DramParams params = kV100;
  params.bank_groups = 1;
  params.banks_per_group = 1;
  const Location place = AddressMap(params).locate(5 * 1024 + 3 * 32);
  EXPECT_EQ(place.dram_bank, 0);
  EXPECT_EQ(place.row, AddressMap(params).locate(5 * 1024).row);
  EXPECT_NE(place.row, AddressMap(params).locate(4 * 1024).row);
  EXPECT_EQ(place.column, 3);
}

}  // namespace
}  // namespace tcsim::dram::test
