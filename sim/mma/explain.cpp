#include "sim/mma/explain.hpp"

#include <fmt/ostream.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "models/numerics/convert.hpp"
#include "models/numerics/ieee_fma.hpp"
#include "models/numerics/integer_mma.hpp"
#include "models/numerics/mma.hpp"
#include "sim/mma/explain_block.hpp"
#include "sim/mma/hex.hpp"
#include "sim/mma/number_text.hpp"

namespace tcsim::mma {

namespace {

using numerics::Arithmetic;
using numerics::ElementType;
using PatternSpan = std::span<const std::uint64_t>;

std::uint64_t explain_range(const numerics::BlockParams& params, const std::vector<int>& positions,
                            PatternSpan a, PatternSpan b, std::uint64_t c, std::ostream& out) {
  const BlockHeading heading{positions, params};
  const numerics::BlockTrace trace = numerics::trace_block(params, a, b, c);
  explain_block(heading, trace, a, b, c, out);
  return trace.pattern;
}

/// Prints the blocks over the elements at `places` along k; returns the sum.
std::uint64_t explain_chain(const Arithmetic& arithmetic, std::span<const int> places,
                            PatternSpan a, PatternSpan b, std::uint64_t c, std::ostream& out) {
  const std::size_t blocks = numerics::chain_blocks(arithmetic, a.size());
  for (std::size_t index = 0; index < blocks; ++index) {
    const numerics::ChainBlock taken = numerics::chain_block(arithmetic, a.size(), index);
    std::vector<int> positions;
    std::vector<std::uint64_t> block_a;
    std::vector<std::uint64_t> block_b;
    for (std::size_t i = 0; i < taken.count; ++i) {
      const std::size_t k = taken.first + i * taken.step;
      positions.push_back(places[k]);
      block_a.push_back(a[k]);
      block_b.push_back(b[k]);
    }
    c = explain_range(arithmetic.block, positions, block_a, block_b, c, out);
  }
  return c;
}

/// The FP16 blocks that implement an FP8 mma.sync of Hopper, for up to 32 elements at a time.
void explain_fp8_on_fp16_units(const Arithmetic& arithmetic, PatternSpan a, PatternSpan b,
                               std::uint64_t c, std::ostream& out) {
  const ElementType type = arithmetic.key.accumulator;
  const int width = numerics::bits(type);
  fmt::print(out, "FP8 mma.sync is software here: two FP16 blocks, then an add to nearest even\n");
  constexpr std::size_t kInstruction = 32;
  for (std::size_t begin = 0; begin < a.size(); begin += kInstruction) {
    std::uint64_t sum = 0;
    for (const std::size_t first : {std::size_t{0}, std::size_t{2}}) {
      std::vector<int> positions;
      std::vector<std::uint64_t> wide_a;
      std::vector<std::uint64_t> wide_b;
      for (std::size_t k = begin; k < std::min(a.size(), begin + kInstruction); ++k) {
        if (k % 4 / 2 * 2 != first) continue;
        positions.push_back(static_cast<int>(k));
        wide_a.push_back(numerics::convert(arithmetic.key.a, a[k], ElementType::kFp16));
        wide_b.push_back(numerics::convert(arithmetic.key.b, b[k], ElementType::kFp16));
      }
      sum = explain_chain(arithmetic, positions, wide_a, wide_b, sum, out);
    }
    const std::uint64_t next = numerics::ieee_add(type, sum, c);
    fmt::print(out, "add {} + c {} = {} = {}\n", to_hex(sum, width), to_hex(c, width),
               to_hex(next, width), to_decimal(type, next));
    c = next;
  }
}

void explain_m8n8k4_on_fp32_units(const Arithmetic& arithmetic, PatternSpan a, PatternSpan b,
                                  std::uint64_t c, std::ostream& out) {
  const ElementType type = arithmetic.key.accumulator;
  const bool narrow = type == ElementType::kFp16;
  fmt::print(out, "FP16 m8n8k4 is software here, in FP32 to nearest even: {}\n",
             narrow ? "two products at a time, added to c; then one conversion"
                    : "fused multiply-adds in ascending k, then an add of c");
  constexpr std::size_t kInstruction = 4;
  for (std::size_t k = 0; k < a.size(); k += kInstruction) {
    const std::size_t count = std::min(kInstruction, a.size() - k);
    c = numerics::mma(arithmetic, a.subspan(k, count), b.subspan(k, count), c);
    fmt::print(out, "  k={}..{} -> {} = {}\n", k, k + count - 1, to_hex(c, numerics::bits(type)),
               to_decimal(type, c));
  }
}

void explain_fp64(const Arithmetic& arithmetic, PatternSpan a, PatternSpan b, std::uint64_t c,
                  std::ostream& out) {
  constexpr auto kType = ElementType::kFp64;
  fmt::print(out, "fused multiply-adds in ascending k, each rounded once\n");
  fmt::print(out, "  c    {} = {}\n", to_hex(c, 64), to_decimal(kType, c));
  for (std::size_t k = 0; k < a.size(); ++k) {
    c = numerics::ieee_fma(kType, a[k], b[k], c, arithmetic.key.fp64_rounding);
    fmt::print(out, "  k={:<2} {} x {} -> {} = {}\n", k, to_decimal(kType, a[k]),
               to_decimal(kType, b[k]), to_hex(c, 64), to_decimal(kType, c));
  }
}

void explain_integers(const Arithmetic& arithmetic, PatternSpan a, PatternSpan b, std::uint64_t c,
                      std::ostream& out) {
  const numerics::ArithmeticKey& key = arithmetic.key;
  std::int64_t sum = static_cast<std::int32_t>(c);
  fmt::print(out, "exact integer sum onto c = {}\n", sum);
  for (std::size_t k = 0; k < a.size(); ++k) {
    const int x = numerics::integer_value(key.a, a[k]);
    const int y = numerics::integer_value(key.b, b[k]);
    sum += std::int64_t{x} * y;
    fmt::print(out, "  k={:<2} {} x {} = {}, sum {}\n", k, x, y, x * y, sum);
  }
  const bool fits = sum == static_cast<std::int32_t>(sum);
  fmt::print(out, "{}\n",
             fits           ? "fits 32 bits"
             : key.saturate ? "does not fit 32 bits: clamped"
                            : "does not fit 32 bits: wraps modulo 2^32");
}

void explain_bits(const Arithmetic& arithmetic, PatternSpan a, PatternSpan b, std::uint64_t c,
                  std::ostream& out) {
  const bool exclusive = arithmetic.key.bit_operation == numerics::BitOperation::kXor;
  std::size_t count = 0;
  for (std::size_t k = 0; k < a.size(); ++k) count += exclusive ? a[k] ^ b[k] : a[k] & b[k];
  fmt::print(out, "population count of a {} b over {} bits: {}, added to c = {} modulo 2^32\n",
             exclusive ? "xor" : "and", a.size(), count, to_decimal(ElementType::kInt32, c));
}

}  // namespace

void explain(const Arithmetic& arithmetic, PatternSpan a, PatternSpan b, std::uint64_t c,
             std::ostream& out) {
  switch (arithmetic.scheme) {
    case numerics::Scheme::kBlocks: {
      std::vector<int> places(a.size());
      std::iota(places.begin(), places.end(), 0);
      explain_chain(arithmetic, places, a, b, c, out);
      return;
    }
    case numerics::Scheme::kFp8OnFp16Units:
      return explain_fp8_on_fp16_units(arithmetic, a, b, c, out);
    case numerics::Scheme::kM8n8k4OnFp32Units:
      return explain_m8n8k4_on_fp32_units(arithmetic, a, b, c, out);
    case numerics::Scheme::kFp64Chain:
      return explain_fp64(arithmetic, a, b, c, out);
    case numerics::Scheme::kInteger:
      return explain_integers(arithmetic, a, b, c, out);
    case numerics::Scheme::kBits:
      return explain_bits(arithmetic, a, b, c, out);
  }
}

}  // namespace tcsim::mma
