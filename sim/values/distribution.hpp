#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tcsim::values {

/// How operands are drawn. The second column holds for INT8. The exponents of `wide` reach FP16's
/// subnormals below, and most sums of its products stay below FP16's largest number.
///   uniform   [-1, 1) in steps of 2^-23             every value alike
///   normal    mean 0, deviation 1                   deviation 32, rounded, cut to +-127
///   integers  whole numbers -8 ... 8                the same
///   zeros     0                                     0
///   wide      +-[1, 2) x 2^e, e in -15 ... 3        +-2^e, e in 0 ... 6
enum class Distribution : std::uint8_t { kUniform, kNormal, kIntegers, kZeros, kWide };

inline constexpr std::array<std::string_view, 5> kDistributionNames = {"uniform", "normal",
                                                                       "integers", "zeros", "wide"};

constexpr std::string_view name(Distribution distribution) {
  return kDistributionNames[static_cast<std::size_t>(distribution)];
}

enum class NumberKind : std::uint8_t { kReal, kInt8 };

/// `count` elements: FP32 values or INT8 values. Equal arguments give equal elements on every host;
/// `stream` distinguishes operands with the same seed.
std::vector<double> draw(Distribution distribution, NumberKind kind, std::uint64_t seed,
                         std::uint32_t stream, std::size_t count);

}  // namespace tcsim::values
