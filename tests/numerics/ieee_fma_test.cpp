#include "models/numerics/ieee_fma.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cmath>

#include "tests/numerics/patterns.hpp"

namespace tcsim::numerics {
namespace {

using enum ElementType;

std::uint64_t host_fma(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const double result =
      std::fma(std::bit_cast<double>(a), std::bit_cast<double>(b), std::bit_cast<double>(c));
  return std::isnan(result) ? format_of(kFp64).canonical_nan : std::bit_cast<std::uint64_t>(result);
}

/// With every NaN as the canonical one: IEEE 754 leaves payloads to the machine.
std::uint64_t fma64(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const std::uint64_t result = ieee_fma(kFp64, a, b, c);
  return std::isnan(std::bit_cast<double>(result)) ? format_of(kFp64).canonical_nan : result;
}

std::uint64_t host_fma32(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const auto value = [](std::uint64_t pattern) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(pattern));
  };
  const float result = std::fma(value(a), value(b), value(c));
  return std::isnan(result) ? format_of(kFp32).canonical_nan : std::bit_cast<std::uint32_t>(result);
}

/// The host is an independent IEEE 754 machine: an oracle here, never part of the model.
TEST(IeeeFma, Fp64EqualsTheHostOnRandomBits) {
  PatternSource source(1);
  for (int i = 0; i < 200000; ++i) {
    const std::uint64_t a = source.random_bits(kFp64);
    const std::uint64_t b = source.random_bits(kFp64);
    const std::uint64_t c = source.random_bits(kFp64);
    ASSERT_EQ(fma64(a, b, c), host_fma(a, b, c)) << std::hex << a << ' ' << b << ' ' << c;
  }
}

TEST(IeeeFma, Fp64EqualsTheHostAroundCancellationAndTies) {
  PatternSource source(2);
  for (int i = 0; i < 200000; ++i) {
    const std::uint64_t a =
        source.with_exponent(kFp64, -3, 3) & ~((1ULL << source.number(0, 52)) - 1);
    const std::uint64_t b =
        source.with_exponent(kFp64, -3, 3) & ~((1ULL << source.number(0, 52)) - 1);
    std::uint64_t c = source.with_exponent(kFp64, -60, 60) & ~((1ULL << source.number(0, 52)) - 1);
    if (i % 3 == 0) c = (ieee_multiply(kFp64, a, b) ^ (1ULL << 63)) + source.number(-2, 2);
    ASSERT_EQ(fma64(a, b, c), host_fma(a, b, c)) << std::hex << a << ' ' << b << ' ' << c;
  }
}

TEST(IeeeFma, Fp64EqualsTheHostAmongSubnormals) {
  PatternSource source(3);
  for (int i = 0; i < 100000; ++i) {
    const std::uint64_t a = source.with_exponent(kFp64, -1074, -500);
    const std::uint64_t b = source.with_exponent(kFp64, -600, 10);
    const std::uint64_t c = source.with_exponent(kFp64, -1080, -1010);
    ASSERT_EQ(fma64(a, b, c), host_fma(a, b, c)) << std::hex << a << ' ' << b << ' ' << c;
  }
}

TEST(IeeeFma, Fp32EqualsTheHostOnRandomBits) {
  PatternSource source(4);
  for (int i = 0; i < 200000; ++i) {
    const std::uint64_t a = source.random_bits(kFp32);
    const std::uint64_t b =
        i % 2 == 0 ? source.random_bits(kFp32) : source.with_exponent(kFp32, -4, 4);
    const std::uint64_t c = source.random_bits(kFp32);
    ASSERT_EQ(ieee_fma(kFp32, a, b, c), host_fma32(a, b, c))
        << std::hex << a << ' ' << b << ' ' << c;
  }
}

/// Directed rounding against the host's, which the test switches and restores.
TEST(IeeeFma, DirectedModesEqualTheHost) {
  struct DirectedMode {
    RoundingMode mode;
    int host_mode;
  };
  for (const DirectedMode directed : {DirectedMode{RoundingMode::kTowardZero, FE_TOWARDZERO},
                                      DirectedMode{RoundingMode::kTowardNegative, FE_DOWNWARD},
                                      DirectedMode{RoundingMode::kTowardPositive, FE_UPWARD}}) {
    PatternSource source(5);
    for (int i = 0; i < 20000; ++i) {
      const std::uint64_t a = source.with_exponent(kFp64, -3, 3);
      const std::uint64_t b = source.with_exponent(kFp64, -3, i % 2 == 0 ? 3 : 1022);
      const std::uint64_t c = source.with_exponent(kFp64, -60, 5);
      std::fesetround(directed.host_mode);
      volatile double x = std::bit_cast<double>(a);
      const double expected = std::fma(x, std::bit_cast<double>(b), std::bit_cast<double>(c));
      std::fesetround(FE_TONEAREST);
      ASSERT_EQ(ieee_fma(kFp64, a, b, c, directed.mode), std::bit_cast<std::uint64_t>(expected));
    }
  }
}

TEST(IeeeFma, AnExactZeroIsPositiveUnlessBothAddendsAreNegative) {
  const std::uint64_t one = 0x3ff0000000000000;
  const std::uint64_t minus_one = 0xbff0000000000000;
  const std::uint64_t minus_zero = 0x8000000000000000;
  EXPECT_EQ(ieee_fma(kFp64, one, one, minus_one), 0U);
  EXPECT_EQ(ieee_fma(kFp64, minus_zero, one, 0), 0U);
  EXPECT_EQ(ieee_fma(kFp64, minus_zero, one, minus_zero), minus_zero);
  EXPECT_EQ(ieee_fma(kFp64, one, one, minus_one, RoundingMode::kTowardNegative), minus_zero);
}

TEST(IeeeFma, InfinityMinusInfinityIsNan) {
  const std::uint64_t infinity = format_of(kFp64).infinity();
  const std::uint64_t nan = 0xfff8000000000000;  // measured on an H200 (OWN)
  EXPECT_EQ(ieee_fma(kFp64, infinity, 0x3ff0000000000000, infinity | 1ULL << 63), nan);
  EXPECT_EQ(ieee_fma(kFp64, infinity, 0, 0), nan);
  EXPECT_EQ(ieee_fma(kFp64, 0x3ff0000000000000, infinity, 0), infinity);
}

/// Measured on an H200 (OWN).
TEST(IeeeFma, Fp64KeepsThePayloadOfANan) {
  const std::uint64_t one = 0x3ff0000000000000;
  const std::uint64_t signalling = 0x7ff4000000012345;
  const std::uint64_t quiet = 0x7ffc000000012345;
  EXPECT_EQ(ieee_fma(kFp64, signalling, one, 0), quiet);
  EXPECT_EQ(ieee_fma(kFp64, one, signalling, 0), quiet);
  EXPECT_EQ(ieee_fma(kFp64, one, one, signalling), quiet);
  EXPECT_EQ(ieee_fma(kFp64, one, one, signalling | 1ULL << 63), quiet | 1ULL << 63);
}

TEST(IeeeFma, OfSeveralNansTheOneOfBComesBeforeThatOfCAndOfA) {
  const std::uint64_t a = 0x7ff800000000000a;
  const std::uint64_t b = 0x7ff800000000000b;
  const std::uint64_t c = 0x7ff800000000000c;
  const std::uint64_t infinity = format_of(kFp64).infinity();
  EXPECT_EQ(ieee_fma(kFp64, a, b, c), b);
  EXPECT_EQ(ieee_fma(kFp64, a, 0, c), c);
  EXPECT_EQ(ieee_fma(kFp64, a, b, 0), b);
  EXPECT_EQ(ieee_fma(kFp64, infinity, 0, c), c);
}

TEST(IeeeAdd, Fp16RoundsOnceToNearestEven) {
  EXPECT_EQ(ieee_add(kFp16, 0x6401, 0x3800), 0x6402U);  // 1025 + 0.5
  EXPECT_EQ(ieee_add(kFp16, 0x6400, 0x3800), 0x6400U);
  EXPECT_EQ(ieee_add(kFp16, 0x7bff, 0x4c00), 0x7c00U);  // 65504 + 16
  EXPECT_EQ(ieee_add(kFp16, 0x8000, 0x8000), 0x8000U);
}

TEST(IeeeMultiply, AZeroProductKeepsItsSign) {
  EXPECT_EQ(ieee_multiply(kFp32, 0x80000000, 0x3f800000), 0x80000000U);
  EXPECT_EQ(ieee_multiply(kFp32, 0x80000000, 0xbf800000), 0U);
}

}  // namespace
}  // namespace tcsim::numerics
