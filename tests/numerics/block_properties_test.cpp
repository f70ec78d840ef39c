// Properties of a block that follow from the algorithm, tried on generated operands.

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "models/numerics/convert.hpp"
#include "models/numerics/mma.hpp"
#include "tests/numerics/key_of.hpp"
#include "tests/numerics/patterns.hpp"

namespace tcsim::numerics {
namespace {

using enum ElementType;

struct Case {
  Generation generation;
  ElementType input;
  ElementType accumulator;
};

constexpr Case kCases[] = {
    {Generation::kVolta, kFp16, kFp32},  {Generation::kAmpere, kFp16, kFp16},
    {Generation::kAmpere, kBf16, kFp32}, {Generation::kAmpere, kTf32, kFp32},
    {Generation::kHopper, kFp16, kFp32}, {Generation::kHopper, kFp16, kFp16},
    {Generation::kAda, kE4m3, kFp32},
};

BlockParams generated_params() {
  const Case one = *rc::gen::elementOf(std::vector<Case>(std::begin(kCases), std::end(kCases)));
  return find_arithmetic(key_of(one.generation, InstructionKind::kMma, one.input, one.accumulator))
      .value()
      .block;
}

DotOperands generated_operands(const BlockParams& params) {
  PatternSource source(*rc::gen::arbitrary<std::uint64_t>());
  const int skipped_kinds = *rc::gen::inRange(0, 8);
  DotOperands operands;
  for (int i = 0; i <= skipped_kinds; ++i)
    operands =
        source.adversarial(params.a_type, params.result.type,
                           static_cast<std::size_t>(params.products), params.grid_fraction_bits);
  return operands;
}

bool is_nan(const BlockParams& params, std::uint64_t pattern) {
  return pattern == format_of(params.result.type).canonical_nan;
}

RC_GTEST_PROP(BlockProperties, TheOrderOfTheTermsDoesNotMatter, ()) {
  const BlockParams params = generated_params();
  const DotOperands operands = generated_operands(params);
  std::vector<std::size_t> order(operands.a.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 shuffle_source(*rc::gen::arbitrary<std::uint64_t>());
  std::shuffle(order.begin(), order.end(), shuffle_source);
  DotOperands shuffled = operands;
  for (std::size_t i = 0; i < order.size(); ++i) {
    shuffled.a[i] = operands.a[order[i]];
    shuffled.b[i] = operands.b[order[i]];
  }
  RC_ASSERT(block(params, operands.a, operands.b, operands.c) ==
            block(params, shuffled.a, shuffled.b, shuffled.c));
}

RC_GTEST_PROP(BlockProperties, FactorsCommute, ()) {
  const BlockParams params = generated_params();
  const DotOperands operands = generated_operands(params);
  RC_ASSERT(block(params, operands.a, operands.b, operands.c) ==
            block(params, operands.b, operands.a, operands.c));
}

RC_GTEST_PROP(BlockProperties, NegatingEveryTermNegatesTheResult, ()) {
  const BlockParams params = generated_params();
  const DotOperands operands = generated_operands(params);
  DotOperands negated = operands;
  for (std::uint64_t& pattern : negated.a) pattern ^= format_of(params.a_type).sign_bit();
  const std::uint64_t sign = format_of(params.result.type).sign_bit();
  negated.c ^= sign;
  const BlockTrace trace = trace_block(params, operands.a, operands.b, operands.c);
  const std::uint64_t minus_d = block(params, negated.a, negated.b, negated.c);
  const bool exact_zero = trace.special == SpecialCase::kNone && trace.sum == 0;  // +0 both ways
  const bool unsigned_result = exact_zero || is_nan(params, trace.pattern);
  RC_ASSERT(minus_d == (unsigned_result ? trace.pattern : trace.pattern ^ sign));
}

/// Numbers whose exponents stay clear of every limit, so that doubling a and c doubles all terms.
RC_GTEST_PROP(BlockProperties, ScalingByTwoScalesTheResultAwayFromLimits, ()) {
  const BlockParams params = generated_params();
  const bool narrow = params.a_type == kE4m3;
  PatternSource source(*rc::gen::arbitrary<std::uint64_t>());
  const auto size = static_cast<std::size_t>(params.products);
  DotOperands operands{std::vector<std::uint64_t>(size), std::vector<std::uint64_t>(size), 0};
  for (std::size_t k = 0; k < size; ++k) {
    operands.a[k] = source.with_exponent(params.a_type, narrow ? -2 : -4, 2);
    operands.b[k] = source.with_exponent(params.b_type, narrow ? -2 : -4, 2);
  }
  operands.c = source.with_exponent(params.result.type, -4, 4);
  DotOperands doubled = operands;
  const Format& input = format_of(params.a_type);
  const Format& output = format_of(params.result.type);
  const std::uint64_t input_step = std::uint64_t{1}
                                   << (input.fraction_bits + input.ignored_low_bits);
  const std::uint64_t output_step = std::uint64_t{1} << output.fraction_bits;
  for (std::uint64_t& pattern : doubled.a) pattern += input_step;
  doubled.c += output_step;
  const std::uint64_t d = block(params, operands.a, operands.b, operands.c);
  const std::uint64_t field = (d & ~output.sign_bit()) / output_step;
  RC_PRE(field > 1);  // zero and numbers that may be subnormal have their own rules
  RC_ASSERT(block(params, doubled.a, doubled.b, doubled.c) == d + output_step);
}

/// With the grid held by a cancelling pair, a larger magnitude of one term never gives less.
RC_GTEST_PROP(BlockProperties, TruncationIsMonotoneOnAFixedGrid, ()) {
  const BlockParams params = generated_params();
  const Format& input = format_of(params.a_type);
  const std::uint64_t one = std::uint64_t(input.bias)
                            << (input.fraction_bits + input.ignored_low_bits);
  const std::uint64_t step = std::uint64_t{1} << input.ignored_low_bits;
  const std::uint64_t first =
      *rc::gen::inRange<std::uint64_t>(0, one / step) * step;  // magnitudes below 1
  const std::uint64_t second = *rc::gen::inRange<std::uint64_t>(0, one / step) * step;
  const auto result = [&](std::uint64_t magnitude) {
    return block(params, std::vector<std::uint64_t>{one, one | input.sign_bit(), magnitude},
                 std::vector<std::uint64_t>{one, one, one}, 0);
  };
  RC_ASSERT(result(std::min(first, second)) <= result(std::max(first, second)));
}

/// Zero products change nothing, wherever they stand.
RC_GTEST_PROP(BlockProperties, ZeroProductsHaveNoEffect, ()) {
  const BlockParams params = generated_params();
  DotOperands operands = generated_operands(params);
  operands.a.pop_back();
  operands.b.pop_back();
  const std::uint64_t without = block(params, operands.a, operands.b, operands.c);
  operands.a.push_back(0);
  PatternSource source(*rc::gen::arbitrary<std::uint64_t>());
  operands.b.push_back(source.with_exponent(params.b_type, -200, 200));
  RC_ASSERT(block(params, operands.a, operands.b, operands.c) == without);
}

}  // namespace
}  // namespace tcsim::numerics
