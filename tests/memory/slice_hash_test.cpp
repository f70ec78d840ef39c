// The hashes of slices: what all have in common, and plain models of them.

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

#include "models/memory/slice_hash/slice_hashes.hpp"

namespace tcsim::memory::test {
namespace {

using slice_hash::List;

class AnySliceHash : public ::testing::TestWithParam<std::string_view> {
 protected:
  static bool serves(std::uint64_t slices) {
    return std::has_single_bit(slices) || !List::needs_power_of_two_slices(GetParam());
  }
};

TEST_P(AnySliceHash, GivesEverySliceOneBlockOfEachGroup) {
  for (const std::uint64_t slices : {1U, 2U, 8U, 40U, 64U, 80U, 96U, 1024U}) {
    if (!serves(slices)) continue;
    const List::Hash hash(GetParam(), slices);
    for (std::uint64_t group = 0; group < 100'000; group = 3 * group + 1) {
      std::set<std::uint64_t> found;
      for (std::uint64_t place = 0; place < slices; ++place)
        found.insert(hash.visit([&](const auto& each) { return each.slice_of(place, group); }));
      ASSERT_EQ(found.size(), slices) << "group " << group;
      ASSERT_LT(*found.rbegin(), slices) << "group " << group;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(List, AnySliceHash, ::testing::ValuesIn(List::Hash::names()),
                         [](const auto& instance) { return std::string(instance.param); });

TEST(SliceHashes, AreChosenByTheirNames) {
  std::string words;
  for (const std::string_view name : List::Hash::names()) {
    words += (words.empty() ? "" : "|") + std::string(name);
    const auto name_of = [](const auto& hash) { return hash.kName; };
    EXPECT_EQ(List::Hash(name, std::uint64_t{8}).visit(name_of), name);
  }
  EXPECT_EQ(List::Hash::words(), words);
  EXPECT_TRUE(List::needs_power_of_two_slices("polynomial"));
  EXPECT_FALSE(List::needs_power_of_two_slices("xor_fold"));
  EXPECT_THROW(List::Hash("ipoly", std::uint64_t{8}), std::invalid_argument);
}

TEST(SliceHashes, ModuloLeavesEveryBlockInItsPlace) {
  const slice_hash::Modulo hash(80);
  for (std::uint64_t place = 0; place < 80; ++place) EXPECT_EQ(hash.slice_of(place, 12345), place);
}

TEST(SliceHashes, XorFoldRotatesEachGroup) {
  const slice_hash::XorFold hash(80);
  std::set<std::uint64_t> rotations;
  for (std::uint64_t group = 0; group < 10'000; ++group) {
    const std::uint64_t rotation = hash.slice_of(0, group);
    for (std::uint64_t place = 0; place < 80; ++place)
      ASSERT_EQ(hash.slice_of(place, group), (place + rotation) % 80);
    rotations.insert(rotation);
  }
  EXPECT_EQ(rotations.size(), 80U);
}

/// x^6 + x + 1 divides it until less than x^6 is left.
std::uint64_t long_division(std::uint64_t polynomial) {
  for (int power = 63; power >= 6; --power)
    if (((polynomial >> power) & 1) != 0) polynomial ^= std::uint64_t{0b1000011} << (power - 6);
  return polynomial;
}

TEST(SliceHashes, PolynomialAddsTheRemainderOfHalfTheGroup) {
  const slice_hash::Polynomial hash(64);
  for (std::uint64_t group = 0; group < 1'000'000'000'000; group = 3 * group + 1)
    for (const std::uint64_t place : {0U, 1U, 37U, 63U})
      ASSERT_EQ(hash.slice_of(place, group), place ^ long_division(group / 2)) << group;
}

TEST(SliceHashes, PolynomialNeedsAPowerOfTwo) {
  EXPECT_THROW(slice_hash::Polynomial(80), std::invalid_argument);
  EXPECT_THROW(slice_hash::Polynomial(2048), std::invalid_argument);
}

}  // namespace
}  // namespace tcsim::memory::test
