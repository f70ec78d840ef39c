#include "models/numerics/m8n8k4_emulation.hpp"

#include <algorithm>
#include <array>

#include "models/numerics/convert.hpp"
#include "models/numerics/ieee_fma.hpp"

namespace tcsim::numerics {

namespace {

using enum ElementType;

constexpr std::size_t kProducts = 4;
using Operands = std::array<std::uint64_t, kProducts>;  // FP32

Operands widened(std::span<const std::uint64_t> fp16) {
  Operands wide{};
  std::transform(fp16.begin(), fp16.end(), wide.begin(),
                 [](std::uint64_t pattern) { return convert(kFp16, pattern, kFp32); });
  return wide;
}

std::uint64_t with_fp32_sum(const Operands& a, const Operands& b, std::uint64_t c) {
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < kProducts; ++k) sum = ieee_fma(kFp32, a[k], b[k], sum);
  return ieee_add(kFp32, sum, c);
}

std::uint64_t with_fp16_sum(const Operands& a, const Operands& b, std::uint64_t c) {
  std::uint64_t sum = convert(kFp16, c, kFp32);
  for (std::size_t k = 0; k < kProducts; k += 2) {
    const std::uint64_t product = ieee_multiply(kFp32, a[k], b[k]);
    sum = ieee_add(kFp32, sum, ieee_fma(kFp32, a[k + 1], b[k + 1], product));
  }
  return convert(kFp32, sum, kFp16);
}

}  // namespace

std::uint64_t m8n8k4_on_fp32_units(ElementType accumulator, std::span<const std::uint64_t> a,
                                   std::span<const std::uint64_t> b, std::uint64_t c) {
  for (std::size_t k = 0; k < a.size(); k += kProducts) {
    const std::size_t count = std::min(kProducts, a.size() - k);
    const Operands wide_a = widened(a.subspan(k, count));
    const Operands wide_b = widened(b.subspan(k, count));
    c = accumulator == kFp16 ? with_fp16_sum(wide_a, wide_b, c) : with_fp32_sum(wide_a, wide_b, c);
  }
  return c;
}

}  // namespace tcsim::numerics
