#include "models/numerics/mma.hpp"

#include <algorithm>
#include <array>
#include <cassert>

#include "models/numerics/fp8_emulation.hpp"
#include "models/numerics/ieee_fma.hpp"
#include "models/numerics/integer_mma.hpp"
#include "models/numerics/m8n8k4_emulation.hpp"

namespace tcsim::numerics {

namespace {

using Patterns = std::span<const std::uint64_t>;

/// One block over elements that are not contiguous.
std::uint64_t strided_block(const BlockParams& params, Patterns a, Patterns b,
                            const ChainBlock& taken, std::uint64_t c) {
  std::array<std::uint64_t, kMaxBlockProducts> block_a{};
  std::array<std::uint64_t, kMaxBlockProducts> block_b{};
  for (std::size_t i = 0; i < taken.count; ++i) {
    block_a[i] = a[taken.first + i * taken.step];
    block_b[i] = b[taken.first + i * taken.step];
  }
  return block(params, std::span(block_a).first(taken.count), std::span(block_b).first(taken.count),
               c);
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
      return chain(arithmetic, a, b, c);
    case Scheme::kFp8OnFp16Units:
      return fp8_on_fp16_units(arithmetic, a, b, c);
    case Scheme::kM8n8k4OnFp32Units:
      return m8n8k4_on_fp32_units(arithmetic.key.accumulator, a, b, c);
    case Scheme::kFp64Chain:
      return chain_fp64(arithmetic.key.fp64_rounding, a, b, c);
    case Scheme::kInteger:
      return integer_mma(arithmetic, a, b, static_cast<std::uint32_t>(c));
    case Scheme::kBits:
      return bit_mma(arithmetic.key.bit_operation, a, b, static_cast<std::uint32_t>(c));
  }
  return c;
}

std::size_t chain_blocks(const Arithmetic& arithmetic, std::size_t length) {
  const auto products = static_cast<std::size_t>(arithmetic.block.products);
  return (length + products - 1) / products;
}

ChainBlock chain_block(const Arithmetic& arithmetic, std::size_t length, std::size_t index) {
  const auto products = static_cast<std::size_t>(arithmetic.block.products);
  const std::size_t blocks = chain_blocks(arithmetic, length);
  if (arithmetic.order == BlockOrder::kInterleaved)
    return {index, blocks, (length - index + blocks - 1) / blocks};
  const bool ascending = arithmetic.order == BlockOrder::kAscending;
  const std::size_t first = products * (ascending ? index : blocks - 1 - index);
  return {first, 1, std::min(products, length - first)};
}

std::uint64_t chain(const Arithmetic& arithmetic, Patterns a, Patterns b, std::uint64_t c) {
  const std::size_t blocks = chain_blocks(arithmetic, a.size());
  for (std::size_t i = 0; i < blocks; ++i) {
    const ChainBlock taken = chain_block(arithmetic, a.size(), i);
    c = taken.step == 1 ? block(arithmetic.block, a.subspan(taken.first, taken.count),
                                b.subspan(taken.first, taken.count), c)
                        : strided_block(arithmetic.block, a, b, taken, c);
  }
  return c;
}

}  // namespace tcsim::numerics
