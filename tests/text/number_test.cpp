#include "sim/text/number.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace tcsim::text {
namespace {

TEST(Number, IsAllOfAText) {
  EXPECT_EQ(number_of<int>("-12"), -12);
  EXPECT_EQ(number_of<double>("2.5"), 2.5);
  for (const char* text : {"", "12 ", " 12", "+12", "1,2", "12x", "0x1f"})
    EXPECT_EQ(number_of<int>(text), std::nullopt) << text;
}

TEST(Number, MustFitItsType) {
  EXPECT_EQ(number_of<std::int64_t>("2147483648"), 2147483648);
  EXPECT_EQ(number_of<int>("2147483648"), std::nullopt);
  EXPECT_EQ(number_of<std::uint64_t>("-1"), std::nullopt);
}

TEST(Number, InfinityIsAWordWhereItMustBeFinite) {
  EXPECT_TRUE(number_of<double>("inf").has_value());
  for (const char* text : {"inf", "-inf", "nan"})
    EXPECT_EQ(finite_number_of(text), std::nullopt) << text;
  EXPECT_EQ(finite_number_of("1e3"), 1000);
}

}  // namespace
}  // namespace tcsim::text
