#include "sim/rtl/coverage.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>

namespace tcsim::rtl {

namespace {

using numerics::BlockTrace;
using numerics::ElementType;
using numerics::SpecialCase;
using numerics::ValueClass;

constexpr std::array<BinInfo, static_cast<std::size_t>(Bin::kCount)> kInfo = {{
    {"alignment", "product at the maximum"},
    {"alignment", "product shifted by 1..F-1"},
    {"alignment", "product shifted by F"},
    {"alignment", "product shifted by F+1"},
    {"alignment", "product shifted by F+2..31"},
    {"alignment", "product shifted by 32 or more"},
    {"alignment", "c at the maximum"},
    {"alignment", "c shifted by 1..F-1"},
    {"alignment", "c shifted by F"},
    {"alignment", "c shifted by F+1"},
    {"alignment", "c shifted by F+2..31"},
    {"alignment", "c shifted by 32 or more"},
    {"maximum", "a product decides"},
    {"maximum", "c decides"},
    {"maximum", "the floor decides"},
    {"maximum", "no term at all"},
    {"maximum", "c is zero"},
    {"maximum", "zero times a number"},
    {"special", "NaN in a"},
    {"special", "NaN in b"},
    {"special", "NaN in c"},
    {"special", "infinity times zero"},
    {"special", "zero times infinity"},
    {"special", "infinities of both signs"},
    {"special", "+infinity"},
    {"special", "-infinity"},
    {"special", "infinite c alone"},
    {"special", "infinity with ignored bits set"},
    {"sum", "carry above the maximum"},
    {"sum", "beyond 4 L units of the maximum"},
    {"sum", "deep cancellation"},
    {"sum", "exact cancellation"},
    {"sum", "only negative zeros"},
    {"rounding", "exact"},
    {"rounding", "truncated"},
    {"rounding", "down"},
    {"rounding", "up"},
    {"rounding", "tie to even, down"},
    {"rounding", "tie to even, up"},
    {"rounding", "carry into the exponent"},
    {"range", "overflow to +infinity"},
    {"range", "overflow to -infinity"},
    {"range", "largest number kept"},
    {"range", "term above the range, finite result"},
    {"range", "subnormal operand"},
    {"range", "subnormal c"},
    {"range", "subnormal result"},
    {"range", "subnormal result, inexact"},
    {"range", "underflow to +0"},
    {"range", "underflow to -0"},
    {"integer", "wraps above"},
    {"integer", "wraps below"},
    {"integer", "-128 times -128"},
    {"integer", "sum within 32 bits"},
    {"handshake", "operands held by the unit"},
    {"handshake", "result held by the consumer"},
    {"handshake", "full pipeline held"},
    {"handshake", "bubble between operations"},
    {"handshake", "drained"},
}};

bool between(Bin bin, Bin first, Bin last) { return first <= bin && bin <= last; }

bool is_subnormal(const numerics::ExactValue& value) {
  return value.value_class == ValueClass::kFinite && value.magnitude < std::uint64_t{1}
                                                                           << value.fraction_bits;
}

/// The range of exponents that the terms of an operation can have.
struct TermExponents {
  int least_product;
  int largest_product;
  int least_c;
  int largest_c;
  int last_digit;  ///< of the smallest product
};

TermExponents term_exponents(const Operation& operation) {
  const numerics::Format& a = numerics::format_of(operation.input);
  const numerics::Format& b = numerics::format_of(operation.b);
  const numerics::Format& c = numerics::format_of(operation.accumulator);
  const int least = a.exponent_of_subnormals() + b.exponent_of_subnormals();
  return {least, a.largest_exponent() + b.largest_exponent(), c.exponent_of_subnormals(),
          c.largest_exponent(), least - a.fraction_bits - b.fraction_bits};
}

bool has_infinity(ElementType type) {
  return numerics::format_of(type).specials == numerics::SpecialRule::kInfinityAndNan;
}

/// Whether products of the largest significands, and c, sum to more than 4 in each of them.
bool fills_sum(const Operation& operation, int products) {
  const auto largest = [](ElementType type) {
    return 2 - std::ldexp(1.0, -numerics::format_of(type).fraction_bits);
  };
  return products * largest(operation.input) * largest(operation.b) +
             largest(operation.accumulator) >
         4.0 * products;
}

constexpr int kShifter = 32;  // the shift from which on nothing is left of a term

}  // namespace

const BinInfo& info(Bin bin) { return kInfo[static_cast<std::size_t>(bin)]; }

bool Coverage::applies(Bin bin) const {
  if (between(bin, Bin::kInputHeld, Bin::kDrained)) return true;
  const bool integer = operation_.input == ElementType::kInt8;
  if (between(bin, Bin::kWrapsAbove, Bin::kIntegerInside)) return integer;
  if (integer) return false;
  const bool truncates = params_.result.mode == numerics::RoundingMode::kTruncate;
  const bool subnormals = params_.result.subnormals;
  const TermExponents exponents = term_exponents(operation_);
  const numerics::Format& result = numerics::format_of(operation_.accumulator);
  // Products of FP16 and FP8 are far inside the range of FP32 and cannot reach its ends; a
  // subnormal result is then c itself.
  const bool overflows = exponents.largest_product + 1 >= result.largest_exponent();
  const bool underflows =
      exponents.last_digit < result.exponent_of_subnormals() - result.fraction_bits;
  switch (bin) {
    case Bin::kProductShiftBelow:
    case Bin::kCShiftBelow:
      return params_.grid_fraction_bits + 2 < kShifter;
    case Bin::kProductShiftBeyondShifter:
      return std::max(exponents.largest_product, exponents.largest_c) - exponents.least_product >=
             kShifter;
    case Bin::kCShiftBeyondShifter:
      return exponents.largest_product - exponents.least_c >= kShifter;
    case Bin::kInfinityTimesZero:
      return has_infinity(operation_.input);
    case Bin::kZeroTimesInfinity:
      return has_infinity(operation_.b);
    case Bin::kOppositeInfinities:
      return has_infinity(operation_.input) || has_infinity(operation_.b);
    case Bin::kSumTopBit:
      return fills_sum(operation_, params_.products);
    case Bin::kInfinityWithIgnoredBits:
      return operation_.input == ElementType::kTf32;
    case Bin::kTruncated:
      return truncates;
    case Bin::kRoundedDown:
    case Bin::kRoundedUp:
    case Bin::kTieToEvenDown:
    case Bin::kTieToEvenUp:
    case Bin::kRoundingCarries:
      return !truncates;
    case Bin::kMaximumByFloor:
      return exponents.least_product < params_.exponent_floor;
    case Bin::kPlusOverflow:
    case Bin::kMinusOverflow:
    case Bin::kLargestKept:
    case Bin::kTermAboveRange:
      return overflows;
    case Bin::kSubnormalOperand:
    case Bin::kSubnormalC:
    case Bin::kSubnormalResult:
      return subnormals;
    case Bin::kSubnormalInexact:
      return underflows && subnormals;
    case Bin::kUnderflowToPlusZero:
      return underflows;
    case Bin::kUnderflowToMinusZero:
      return underflows && (params_.underflow_keeps_sign || !subnormals);
    default:
      return true;
  }
}

std::vector<Bin> Coverage::missed() const {
  std::vector<Bin> bins;
  for (int i = 0; i < kBins; ++i)
    if (applies(static_cast<Bin>(i)) && hits_[static_cast<std::size_t>(i)] == 0)
      bins.push_back(static_cast<Bin>(i));
  return bins;
}

void Coverage::observe_patterns(const Pass& pass) {
  if (operation_.input != ElementType::kTf32) return;
  const numerics::Format& format = numerics::format_of(ElementType::kTf32);
  const std::uint64_t ignored = (std::uint64_t{1} << format.ignored_low_bits) - 1;
  for (const std::uint64_t pattern : pass.a)
    if ((pattern & ~(format.sign_bit() | ignored)) == format.infinity() && (pattern & ignored) != 0)
      hit(Bin::kInfinityWithIgnoredBits);
}

void Coverage::observe(const BlockTrace& trace) {
  observe_special(trace);
  if (trace.special != SpecialCase::kNone) return;
  observe_alignment(trace);
  observe_sum(trace);
  observe_rounding(trace);
  observe_range(trace);
}

void Coverage::observe_alignment(const BlockTrace& trace) {
  const int grid = params_.grid_fraction_bits;
  bool any_term = false;
  bool product_decides = false;
  for (int i = 0; i < trace.term_count(); ++i) {
    const bool is_c = i == trace.product_count;
    if (trace.terms[i].value_class == ValueClass::kZero) {
      const bool zero_a = !is_c && trace.a[i].value_class == ValueClass::kZero;
      if (is_c)
        hit(Bin::kZeroC);
      else if (zero_a != (trace.b[i].value_class == ValueClass::kZero))
        hit(Bin::kZeroTimesNonzero);
      continue;
    }
    any_term = true;
    const int shift = trace.aligned[i].shift;
    if (shift == 0 && !is_c) product_decides = true;
    const int bucket = shift == 0          ? 0
                       : shift < grid      ? 1
                       : shift <= grid + 1 ? 2 + shift - grid
                       : shift < kShifter  ? 4
                                           : 5;
    const Bin first = is_c ? Bin::kCShiftZero : Bin::kProductShiftZero;
    hit(static_cast<Bin>(static_cast<int>(first) + bucket));
  }
  if (!any_term)
    hit(Bin::kNoTerm);
  else if (trace.floor_decided)
    hit(Bin::kMaximumByFloor);
  else
    hit(product_decides ? Bin::kMaximumByProduct : Bin::kMaximumByC);
}

void Coverage::observe_special(const BlockTrace& trace) {
  const numerics::ExactValue& c = trace.terms[trace.product_count];
  bool infinite_product = false;
  for (int k = 0; k < trace.product_count; ++k) {
    const ValueClass a = trace.a[k].value_class;
    const ValueClass b = trace.b[k].value_class;
    if (a == ValueClass::kNan) hit(Bin::kNanInA);
    if (b == ValueClass::kNan) hit(Bin::kNanInB);
    if (trace.special == SpecialCase::kInfinityTimesZero) {
      if (a == ValueClass::kInfinity && b == ValueClass::kZero) hit(Bin::kInfinityTimesZero);
      if (a == ValueClass::kZero && b == ValueClass::kInfinity) hit(Bin::kZeroTimesInfinity);
    }
    infinite_product = infinite_product || trace.terms[k].value_class == ValueClass::kInfinity;
  }
  if (c.value_class == ValueClass::kNan) hit(Bin::kNanInC);
  if (trace.special == SpecialCase::kOppositeInfinities) hit(Bin::kOppositeInfinities);
  if (trace.special != SpecialCase::kInfinity) return;
  if (!infinite_product) hit(Bin::kInfiniteCAlone);
  const std::uint64_t sign = numerics::format_of(operation_.accumulator).sign_bit();
  hit((trace.pattern & sign) != 0 ? Bin::kMinusInfinity : Bin::kPlusInfinity);
}

void Coverage::observe_sum(const BlockTrace& trace) {
  const auto magnitude = static_cast<std::uint64_t>(std::abs(trace.sum));
  const auto end = trace.terms.begin() + trace.term_count();
  const bool all_zero = std::all_of(trace.terms.begin(), end, [](const auto& term) {
    return term.value_class == ValueClass::kZero;
  });
  const bool all_negative =
      std::all_of(trace.terms.begin(), end, [](const auto& term) { return term.negative; });
  if (all_zero && all_negative) hit(Bin::kOnlyNegativeZeros);
  if (all_zero) return;
  if (magnitude >> (params_.grid_fraction_bits + 2) != 0) hit(Bin::kCarryAboveMaximum);
  const auto products = static_cast<std::uint64_t>(trace.product_count);
  if (magnitude >= 4 * products << params_.grid_fraction_bits) hit(Bin::kSumTopBit);
  if (magnitude == 0) hit(Bin::kExactCancellation);
  if (magnitude != 0 && magnitude < 8 && !trace.floor_decided) hit(Bin::kDeepCancellation);
}

void Coverage::observe_rounding(const BlockTrace& trace) {
  const numerics::Rounded& rounded = trace.rounded;
  if (!rounded.inexact) {
    hit(Bin::kExact);
    return;
  }
  if (params_.result.mode == numerics::RoundingMode::kTruncate) {
    hit(Bin::kTruncated);
    return;
  }
  const auto magnitude = static_cast<std::uint64_t>(std::abs(trace.sum));
  const int leading = static_cast<int>(std::bit_width(magnitude)) - 1 + trace.unit_exponent;
  const int smallest = numerics::format_of(operation_.accumulator).exponent_of_subnormals();
  const int dropped =
      std::max(leading, smallest) - params_.result.kept_fraction_bits - trace.unit_exponent;
  const bool tie = dropped > 0 && dropped < 64 &&
                   (magnitude & ((std::uint64_t{1} << dropped) - 1)) == std::uint64_t{1}
                                                                            << (dropped - 1);
  if (tie)
    hit(rounded.rounded_up ? Bin::kTieToEvenUp : Bin::kTieToEvenDown);
  else
    hit(rounded.rounded_up ? Bin::kRoundedUp : Bin::kRoundedDown);
  if (rounded.rounded_up && rounded.exponent > std::max(leading, smallest))
    hit(Bin::kRoundingCarries);
}

void Coverage::observe_range(const BlockTrace& trace) {
  const numerics::Format& format = numerics::format_of(operation_.accumulator);
  const numerics::Rounded& rounded = trace.rounded;
  const bool negative = trace.sum < 0;
  for (int k = 0; k < trace.product_count; ++k)
    if (is_subnormal(trace.a[k]) || is_subnormal(trace.b[k])) hit(Bin::kSubnormalOperand);
  if (is_subnormal(trace.terms[trace.product_count])) hit(Bin::kSubnormalC);
  if (rounded.overflow) hit(negative ? Bin::kMinusOverflow : Bin::kPlusOverflow);
  if (!rounded.overflow && rounded.inexact &&
      (trace.pattern & ~format.sign_bit()) == format.infinity() - 1)
    hit(Bin::kLargestKept);
  if (!rounded.overflow && trace.maximum_exponent > format.largest_exponent())
    hit(Bin::kTermAboveRange);
  const std::uint64_t hidden = std::uint64_t{1} << params_.result.kept_fraction_bits;
  if (rounded.significand != 0 && rounded.significand < hidden) {
    hit(Bin::kSubnormalResult);
    if (rounded.inexact) hit(Bin::kSubnormalInexact);
  }
  if (trace.sum != 0 && (trace.pattern & ~format.sign_bit()) == 0)
    hit(negative ? Bin::kUnderflowToMinusZero : Bin::kUnderflowToPlusZero);
}

void Coverage::observe_integer(const ElementModel& model) {
  std::int64_t sum = 0;
  for (const std::int64_t term : model.integer_terms) sum += term;
  const auto product_end = model.integer_terms.end() - 1;
  if (std::find(model.integer_terms.begin(), product_end, 16384) != product_end)
    hit(Bin::kExtremeProduct);
  if (sum > INT32_MAX)
    hit(Bin::kWrapsAbove);
  else
    hit(sum < INT32_MIN ? Bin::kWrapsBelow : Bin::kIntegerInside);
}

}  // namespace tcsim::rtl
