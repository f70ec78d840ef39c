#include "sim/files/utf8.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace tcsim::files {
namespace {

/// RFC 3629, by the definition: the code points of up to 21 bits but surrogates and NUL.
std::string encoded(std::uint32_t point) {
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | ((point >> shift) & 0x3f)); };
  if (point < 0x80) return {static_cast<char>(point)};
  if (point < 0x800) return {static_cast<char>(0xc0 | (point >> 6)), tail(0)};
  if (point < 0x10000) return {static_cast<char>(0xe0 | (point >> 12)), tail(6), tail(0)};
  return {static_cast<char>(0xf0 | (point >> 18)), tail(12), tail(6), tail(0)};
}

TEST(Utf8, TakesEveryCharacterAndNoSurrogate) {
  for (std::uint32_t point = 1; point < 0x110000; ++point) {
    const std::string text = encoded(point);
    const bool is_surrogate = point >= 0xd800 && point < 0xe000;
    ASSERT_EQ(utf8_length(text), is_surrogate ? 0 : text.size()) << point;
  }
  EXPECT_EQ(utf8_length(encoded(0x110000)), 0U);
}

TEST(Utf8, RefusesLongerFormsThanNeeded) {
  for (const char* const text : {"\xc0\xaf", "\xc1\xbf", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf"})
    EXPECT_EQ(utf8_length(text), 0U);
}

TEST(Utf8, FindsTheFirstWrongByteAtEveryDistance) {
  for (std::size_t size = 0; size < 40; ++size) {
    const std::string front(size, 'a');
    for (const char wrong : {'\0', '\x80', '\xff', '\xe9', '\xc3'})
      EXPECT_EQ(utf8_length(front + wrong + std::string(20, 'b')), size);
    EXPECT_EQ(utf8_length(front + "\xe2\x82"), size) << "cut short";
  }
}

}  // namespace
}  // namespace tcsim::files
