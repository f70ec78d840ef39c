#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace tcsim::kernels::testing {

/// Encodings of numbers that the format represents exactly; enough for tests on small integers.
inline std::uint16_t to_fp16(float value) {
  if (std::isnan(value)) return 0x7e00;
  if (value == 0.0F) return 0;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const int exponent = static_cast<int>((bits >> 23) & 0xff) - 127;
  return static_cast<std::uint16_t>(((bits >> 16) & 0x8000) | ((exponent + 15) << 10) |
                                    ((bits >> 13) & 0x3ff));
}

inline float from_fp16(std::uint32_t half) {
  const std::uint32_t exponent = (half >> 10) & 0x1f;
  if (exponent == 0) return 0.0F;
  if (exponent == 31) return std::nanf("");
  return std::bit_cast<float>(((half & 0x8000) << 16) | ((exponent + 112) << 23) |
                              ((half & 0x3ff) << 13));
}

inline std::uint16_t to_bf16(float value) {
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16);
}

inline float from_bf16(std::uint32_t bits) { return std::bit_cast<float>((bits & 0xffff) << 16); }

}  // namespace tcsim::kernels::testing
