#include "models/dram/address_map.hpp"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "tests/dram/machines.hpp"

namespace tcsim::dram::test {
namespace {

int group_of(const DramParams& params, const Location& location) {
  return location.dram_bank / params.banks_per_group;
}

TEST(AddressMap, GivesEveryBurstItsOwnPlace) {
  const AddressMap map(kV100);
  std::set<std::tuple<int, std::int64_t, int>> places;
  constexpr std::uint64_t kBursts = 64 * 512;  // 64 rows of all banks
  for (std::uint64_t burst = 0; burst < kBursts; ++burst) {
    const Location place = map.locate(burst * 32);
    ASSERT_GE(place.dram_bank, 0);
    ASSERT_LT(place.dram_bank, 16);
    ASSERT_LT(place.column, 32);
    ASSERT_LT(place.row, 64);
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

TEST(AddressMap, VisitsAllBankGroupsInFourConsecutiveLines) {
  for (const DramParams& params : {kV100, kH100, kT4}) {
    const AddressMap map(params);
    for (std::uint64_t first = 0; first < 4096; first += 4) {
      std::set<int> groups;
      for (std::uint64_t line = first; line < first + 4; ++line) {
        groups.insert(group_of(params, map.locate(line * 128)));
      }
      ASSERT_EQ(groups.size(), 4U) << "line " << first;
    }
  }
}

TEST(AddressMap, FillsARowBeforeItChangesTheBank) {
  const AddressMap map(kV100);
  const Location first = map.locate(0);
  for (std::uint64_t line = 0; line < 32; line += 4) {  // the lines of one bank group
    const Location place = map.locate(line * 128);
    EXPECT_EQ(place.dram_bank, first.dram_bank);
    EXPECT_EQ(place.column, static_cast<int>(line));
  }
  EXPECT_NE(map.locate(std::uint64_t{32} * 128).dram_bank, first.dram_bank);
}

TEST(AddressMap, PutsArraysAtPowerOfTwoDistancesIntoDifferentBanks) {
  const AddressMap map(kV100);
  for (int bits = 14; bits < 34; ++bits) {  // from the size of one row of all banks
    for (std::uint64_t burst = 0; burst < 512; ++burst) {
      const std::uint64_t address = burst * 32;
      EXPECT_NE(map.locate(address).dram_bank,
                map.locate(address + (std::uint64_t{1} << bits)).dram_bank)
          << "distance 2^" << bits;
    }
  }
}

TEST(AddressMap, SpreadsAStrideOfOneRowOverAllBanks) {
  const AddressMap map(kV100);
  std::set<int> banks;
  for (std::uint64_t row = 0; row < 16; ++row) banks.insert(map.locate(row * 16 * 1024).dram_bank);
  EXPECT_EQ(banks.size(), 16U);
}

TEST(AddressMap, WorksWithASingleBank) {
  DramParams params = kV100;
  params.bank_groups = 1;
  params.banks_per_group = 1;
  const Location place = AddressMap(params).locate(5 * 1024 + 3 * 32);
  EXPECT_EQ(place.dram_bank, 0);
  EXPECT_EQ(place.row, 5);
  EXPECT_EQ(place.column, 3);
}

}  // namespace
}  // namespace tcsim::dram::test
