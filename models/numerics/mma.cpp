#include "models/numerics/mma.hpp"

#include <algorithm>
#include <cassert>

#include "models/numerics/convert.hpp"
#include "models/numerics/fp8_emulation.hpp"
#include "models/numerics/ieee_fma.hpp"
#include "models/numerics/integer_mma.hpp"

namespace tcsim::numerics {

namespace {

using Patterns = std::span<const std::uint64_t>;

std::uint64_t chain_blocks(const BlockParams& params, Patterns a, Patterns b, std::uint64_t c) {
  const auto products = static_cast<std::size_t>(params.products);
  if (a.empty()) return c;
  for (std::size_t k = 0; k < a.size(); k += products) {
    const std::size_t count = std::min(products, a.size() - k);
    c = block(params, a.subspan(k, count), b.subspan(k, count), c);
  }
  return c;
}

std::uint64_t chain_fp64(RoundingMode mode, Patterns a, Patterns b, std::uint64_t c) {
  for (std::size_t k = 0; k < a.size(); ++k) c = ieee_fma(ElementType::kFp64, a[k], b[k], c, mode);
  return c;
}

}  // namespace

std::uint64_t mma(const Arithmetic& arithmetic, Patterns a, Patterns b, std::uint64_t c) {
  assert(a.size() == b.size());
  switch (arithmetic.scheme) {
    case Scheme::kBlocks:
      return chain_blocks(arithmetic.block, a, b, c);
    case Scheme::kFp8OnFp16Units:
      return fp8_on_fp16_units(arithmetic, a, b, c);
    case Scheme::kFp64Chain:
      return chain_fp64(arithmetic.key.fp64_rounding, a, b, c);
    case Scheme::kInteger:
      return integer_mma(arithmetic, a, b, static_cast<std::uint32_t>(c));
    case Scheme::kBits:
      return bit_mma(arithmetic.key.bit_operation, a, b, static_cast<std::uint32_t>(c));
  }
  return c;
}

std::uint64_t widen_accumulator(std::uint64_t fp16) {
  return convert(ElementType::kFp16, fp16, ElementType::kFp32);
}

}  // namespace tcsim::numerics
