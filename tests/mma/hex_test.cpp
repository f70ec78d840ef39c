#include "sim/mma/hex.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tcsim::mma {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Patterns = std::vector<std::uint64_t>;

Patterns parse(std::string_view text, int bits) {
  return std::get<Patterns>(parse_hex(text, bits));
}

void expect_error(std::string_view text, int bits, std::size_t offset, const std::string& words) {
  const auto parsed = parse_hex(text, bits);
  const auto* error = std::get_if<HexError>(&parsed);
  ASSERT_NE(error, nullptr) << text;
  EXPECT_EQ(error->offset, offset) << text;
  EXPECT_THAT(error->reason, HasSubstr(words)) << text;
}

TEST(ParseHex, SplitsElementsByWidthAndByCommas) {
  EXPECT_THAT(parse("3c00,4000", 16), ElementsAre(0x3c00, 0x4000));
  EXPECT_THAT(parse("3c004000", 16), ElementsAre(0x3c00, 0x4000));
  EXPECT_THAT(parse("0x3C00,4000c000", 16), ElementsAre(0x3c00, 0x4000, 0xc000));
  EXPECT_THAT(parse("f1", 4), ElementsAre(0xf, 0x1));
  EXPECT_THAT(parse("3ff0000000000001", 64), ElementsAre(0x3ff0000000000001));
}

TEST(ParseHex, ABitListHasFourElementsADigit) {
  EXPECT_THAT(parse("a1", 1), ElementsAre(1, 0, 1, 0, 0, 0, 0, 1));
}

TEST(ParseHex, MistakesSayWhereTheyAre) {
  expect_error("3c00,3c0", 16, 5, "'3c0' has 3 digits; an element has 4");
  expect_error("3c00,3g00", 16, 6, "'g' is not a hexadecimal digit");
  expect_error("3c00,,3c00", 16, 5, "got nothing");
  expect_error("0x", 16, 0, "got nothing");
}

TEST(ToHex, IsAsWideAsTheType) {
  EXPECT_EQ(to_hex(0x1f, 16), "001f");
  EXPECT_EQ(to_hex(0x1f, 64), "000000000000001f");
  EXPECT_EQ(to_hex(0xf, 4), "f");
}

}  // namespace
}  // namespace tcsim::mma
