#include "models/numerics/fast_mma.hpp"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <vector>

#include "models/numerics/mma.hpp"
#include "tests/numerics/key_of.hpp"
#include "tests/numerics/patterns.hpp"

namespace tcsim::numerics {
namespace {

using enum ElementType;
using enum Generation;

struct Case {
  Generation generation;
  InstructionKind kind;
  ElementType input;
  ElementType accumulator;
};

std::vector<Case> covered_cases() {
  constexpr auto kMma = InstructionKind::kMma;
  constexpr auto kWgmma = InstructionKind::kWgmma;
  return {
      {kVolta, kMma, kFp16, kFp32},    {kVolta, kMma, kFp16, kFp16},
      {kTuring, kMma, kFp16, kFp16},   {kAmpere, kMma, kFp16, kFp32},
      {kAmpere, kMma, kFp16, kFp16},   {kAmpere, kMma, kBf16, kFp32},
      {kAmpere, kMma, kTf32, kFp32},   {kAda, kMma, kE4m3, kFp32},
      {kAda, kMma, kE5m2, kFp16},      {kHopper, kMma, kFp16, kFp32},
      {kHopper, kMma, kFp16, kFp16},   {kHopper, kWgmma, kFp16, kFp16},
      {kHopper, kMma, kBf16, kFp32},   {kHopper, kMma, kTf32, kFp32},
      {kHopper, kWgmma, kE4m3, kFp32}, {kHopper, kWgmma, kE5m2, kFp16},
  };
}

Arithmetic arithmetic_of(const Case& one) {
  return find_arithmetic(key_of(one.generation, one.kind, one.input, one.accumulator)).value();
}

/// `count` independent dot products on the diagonal of a square of products: the fast path computes
/// the square, and every entry is compared with the plain path.
void compare(const Arithmetic& arithmetic, std::uint64_t seed, int count, int length) {
  PatternSource source(seed);
  std::vector<std::uint32_t> a;
  std::vector<std::uint32_t> b;
  std::vector<std::uint32_t> c(static_cast<std::size_t>(count * count));
  std::vector<std::vector<std::uint64_t>> rows;
  std::vector<std::vector<std::uint64_t>> columns;
  for (int i = 0; i < count; ++i) {
    const DotOperands operands =
        source.adversarial(arithmetic.key.a, arithmetic.key.accumulator,
                           static_cast<std::size_t>(length), arithmetic.block.grid_fraction_bits);
    a.insert(a.end(), operands.a.begin(), operands.a.end());
    b.insert(b.end(), operands.b.begin(), operands.b.end());
    rows.push_back(operands.a);
    columns.push_back(operands.b);
    for (int j = 0; j < count; ++j)
      c[static_cast<std::size_t>(i * count + j)] = static_cast<std::uint32_t>(operands.c);
  }
  OperandPanel single;
  OperandPanel wide;
  single.load(arithmetic.key.a, a, count, length, length, 1);
  wide.load(arithmetic.key.b, b, count, length, length, 1);
  std::vector<std::uint32_t> d = c;
  fast_mma(arithmetic, single, wide, d, count);
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < count; ++j) {
      const auto at = static_cast<std::size_t>(i * count + j);
      ASSERT_EQ(d[at], mma(arithmetic, rows[i], columns[j], c[at]))
          << name(arithmetic.key.generation) << ' ' << name(arithmetic.key.a) << " c " << std::hex
          << c[at] << " row " << i << " column " << j << " seed " << seed;
    }
}

TEST(FastMma, EqualsThePlainPathOnRandomAndAdversarialOperands) {
  for (const Case& one : covered_cases()) {
    const Arithmetic arithmetic = arithmetic_of(one);
    for (std::uint64_t seed = 1; seed <= 12; ++seed)
      ASSERT_NO_FATAL_FAILURE(compare(arithmetic, seed, 40, arithmetic.block.products));
  }
}

TEST(FastMma, EqualsThePlainPathAcrossChainedAndPartialBlocks) {
  for (const Case& one : covered_cases()) {
    const Arithmetic arithmetic = arithmetic_of(one);
    for (const int length : {1, 3, 20, 48, 67})
      ASSERT_NO_FATAL_FAILURE(compare(arithmetic, static_cast<std::uint64_t>(length), 24, length));
  }
}

/// Every instruction set that this host can run, the portable fallback included.
TEST(FastMma, EveryInstructionSetGivesTheSameBits) {
  int targets = 0;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    for (const Case& one : covered_cases())
      ASSERT_NO_FATAL_FAILURE(compare(arithmetic_of(one), 99, 18, 40)) << hwy::TargetName(target);
    ++targets;
  }
  hwy::SetSupportedTargetsForTest(0);
  EXPECT_GE(targets, 1);
}

/// Sixteen products just below 4 and c just below 2 need 33 bits with F = 25.
TEST(FastMma, TheLargestPossibleSumDoesNotWrap) {
  const Arithmetic arithmetic = arithmetic_of({kHopper, InstructionKind::kMma, kFp16, kFp32});
  for (const std::uint32_t sign : {0U, 0x8000U}) {
    const std::vector<std::uint32_t> a(16, 0x3fffU | sign);
    const std::vector<std::uint32_t> b(16, 0x3fffU);
    const std::uint32_t c = 0x3fffffffU | sign << 16;
    OperandPanel single;
    OperandPanel wide;
    single.load(kFp16, a, 1, 16, 16, 1);
    wide.load(kFp16, b, 1, 16, 16, 1);
    std::vector<std::uint32_t> d{c};
    fast_mma(arithmetic, single, wide, d, 1);
    const std::vector<std::uint64_t> a_plain(a.begin(), a.end());
    const std::vector<std::uint64_t> b_plain(b.begin(), b.end());
    EXPECT_EQ(d[0], mma(arithmetic, a_plain, b_plain, c));
  }
}

TEST(FastMma, EqualsThePlainPathWithParametersOfNoGeneration) {
  int compared = 0;
  for (const ElementType input : {kFp16, kBf16, kTf32, kE4m3})
    for (const int products : {1, 5, 16, 32})
      for (const int grid : {7, 14, 20, 24, 25})
        for (const int kept : {13, 20, 23}) {
          Arithmetic arithmetic = arithmetic_of({kAda, InstructionKind::kMma, input, kFp32});
          arithmetic.block.products = products;
          arithmetic.block.grid_fraction_bits = grid;
          arithmetic.block.result.kept_fraction_bits = kept;
          if (!fast_path_covers(arithmetic)) continue;
          ASSERT_NO_FATAL_FAILURE(compare(arithmetic, 7, 24, 40));
          ++compared;
        }
  EXPECT_GT(compared, 100);
}

TEST(FastMma, LeavesToThePlainPathWhatItsLanesCannotHold) {
  const auto changed = [](auto change) {
    Arithmetic arithmetic = find_arithmetic({}).value();
    change(arithmetic);
    return fast_path_covers(arithmetic);
  };
  EXPECT_TRUE(changed([](Arithmetic& of) { of.block.products = 16; }));
  EXPECT_TRUE(changed([](Arithmetic& of) { of.block.grid_fraction_bits = 20; }));
  EXPECT_FALSE(changed([](Arithmetic& of) { of.block.products = 33; }));
  EXPECT_FALSE(changed([](Arithmetic& of) { of.block.grid_fraction_bits = 26; }));
  EXPECT_FALSE(changed([](Arithmetic& of) { of.block.grid_fraction_bits = 19; }));
  EXPECT_FALSE(changed([](Arithmetic& of) { of.order = BlockOrder::kDescending; }));
  EXPECT_FALSE(changed([](Arithmetic& of) { of.block.result.subnormals = false; }));
  EXPECT_FALSE(changed([](Arithmetic& of) { of.block.result.mode = RoundingMode::kNearestEven; }));
}

TEST(FastMma, CoversBlocksThatLeaveZeroProductsOutOnly) {
  ArithmeticKey key;
  EXPECT_TRUE(fast_path_covers(find_arithmetic(key).value()));
  UndecidedBehavior other;
  other.zero_product_raises_maximum = true;
  EXPECT_FALSE(fast_path_covers(find_arithmetic(key, other).value()));
  key.m8n8k4 = true;
  EXPECT_FALSE(fast_path_covers(find_arithmetic(key).value()));
  key.a = key.b = key.accumulator = kFp64;
  EXPECT_FALSE(fast_path_covers(find_arithmetic(key).value()));
}

}  // namespace
}  // namespace tcsim::numerics
