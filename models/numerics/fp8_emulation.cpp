#include "models/numerics/fp8_emulation.hpp"

#include <algorithm>
#include <array>

#include "models/numerics/convert.hpp"
#include "models/numerics/ieee_fma.hpp"
#include "models/numerics/mma.hpp"

namespace tcsim::numerics {

namespace {

constexpr std::size_t kInstructionProducts = 32;  // m16n8k32

/// The chain over the elements whose index modulo 4 is `first` or `first + 1`, widened to FP16.
std::uint64_t half_chain(const Arithmetic& arithmetic, std::span<const std::uint64_t> a,
                         std::span<const std::uint64_t> b, std::size_t first, std::uint64_t c) {
  std::array<std::uint64_t, kInstructionProducts / 2> wide_a{};
  std::array<std::uint64_t, kInstructionProducts / 2> wide_b{};
  std::size_t count = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (k % 4 != first && k % 4 != first + 1) continue;
    wide_a[count] = convert(arithmetic.key.a, a[k], ElementType::kFp16);
    wide_b[count] = convert(arithmetic.key.b, b[k], ElementType::kFp16);
    ++count;
  }
  return chain(arithmetic, std::span(wide_a).first(count), std::span(wide_b).first(count), c);
}

}  // namespace

std::uint64_t fp8_on_fp16_units(const Arithmetic& arithmetic, std::span<const std::uint64_t> a,
                                std::span<const std::uint64_t> b, std::uint64_t c) {
  for (std::size_t k = 0; k < a.size(); k += kInstructionProducts) {
    const std::size_t count = std::min(kInstructionProducts, a.size() - k);
    const auto part_a = a.subspan(k, count);
    const auto part_b = b.subspan(k, count);
    std::uint64_t sum = half_chain(arithmetic, part_a, part_b, 0, 0);
    sum = half_chain(arithmetic, part_a, part_b, 2, sum);
    c = ieee_add(arithmetic.key.accumulator, sum, c);
  }
  return c;
}

}  // namespace tcsim::numerics
