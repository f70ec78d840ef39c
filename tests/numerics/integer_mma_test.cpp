#include "models/numerics/integer_mma.hpp"

#include <gtest/gtest.h>

#include "models/numerics/mma.hpp"

namespace tcsim::numerics {
namespace {

using enum ElementType;
using Patterns = std::vector<std::uint64_t>;

Arithmetic integer_arithmetic(ElementType a, ElementType b, bool saturate) {
  return find_arithmetic({.a = a, .b = b, .accumulator = kInt32, .saturate = saturate}).value();
}

TEST(IntegerValue, SignsFollowTheType) {
  EXPECT_EQ(integer_value(kInt8, 0x80), -128);
  EXPECT_EQ(integer_value(kUint8, 0x80), 128);
  EXPECT_EQ(integer_value(kInt4, 0xf), -1);
  EXPECT_EQ(integer_value(kUint4, 0xf), 15);
}

TEST(IntegerMma, MixesSignedAndUnsigned) {
  const Patterns a{0xff, 0x02};
  const Patterns b{0xff, 0xfe};
  EXPECT_EQ(mma(integer_arithmetic(kUint8, kInt8, false), a, b, 0), 0xffffffffU - 255 - 4 + 1);
  EXPECT_EQ(mma(integer_arithmetic(kInt8, kInt8, false), a, b, 0), 0xfffffffdU);
  EXPECT_EQ(mma(integer_arithmetic(kUint8, kUint8, false), a, b, 0), 65025U + 508U);
}

TEST(IntegerMma, WrapsInBothDirectionsUnlessSaturating) {
  const Patterns a{0x7f};
  const Patterns minus{0x81};
  EXPECT_EQ(mma(integer_arithmetic(kInt8, kInt8, false), a, a, 0x7fffffff), 0x80003f00U);
  EXPECT_EQ(mma(integer_arithmetic(kInt8, kInt8, true), a, a, 0x7fffffff), 0x7fffffffU);
  EXPECT_EQ(mma(integer_arithmetic(kInt8, kInt8, false), a, minus, 0x80000000), 0x7fffc0ffU);
  EXPECT_EQ(mma(integer_arithmetic(kInt8, kInt8, true), a, minus, 0x80000000), 0x80000000U);
}

TEST(IntegerMma, SaturationClampsOnceAfterAllProducts) {
  const Patterns a{0x10, 0xf0};  // 16 * 32 and -16 * 32
  const Patterns b{0x20, 0x20};
  EXPECT_EQ(mma(integer_arithmetic(kInt8, kInt8, true), a, b, 0x7fffff00), 0x7fffff00U);
}

TEST(IntegerMma, TheClampGranuleIsASwitch) {
  Arithmetic arithmetic = integer_arithmetic(kInt8, kInt8, true);
  arithmetic.undecided.satfinite_granule = 1;
  const Patterns a{0x10, 0xf0};
  const Patterns b{0x20, 0x20};
  EXPECT_EQ(mma(arithmetic, a, b, 0x7fffff00), 0x7ffffdffU);
}

TEST(IntegerMma, FourBitOperandsUseTheirLowNibble) {
  EXPECT_EQ(mma(integer_arithmetic(kInt4, kUint4, false), Patterns{0x8}, Patterns{0xf}, 0),
            static_cast<std::uint32_t>(-120));
}

TEST(BitMma, CountsXorOrAndOntoTheAccumulatorModuloTwoTo32) {
  ArithmeticKey key;
  key.a = key.b = kB1;
  key.accumulator = kInt32;
  const Patterns a{1, 1, 0, 0};
  const Patterns b{1, 0, 1, 0};
  EXPECT_EQ(mma(find_arithmetic(key).value(), a, b, 10), 12U);
  key.bit_operation = BitOperation::kAnd;
  EXPECT_EQ(mma(find_arithmetic(key).value(), a, b, 0xffffffff), 0U);
}

}  // namespace
}  // namespace tcsim::numerics
