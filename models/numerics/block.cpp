#include "models/numerics/block.hpp"

#include <cassert>
#include <cstdlib>

namespace tcsim::numerics {

namespace {

ExactValue decode(const Format& format, std::uint64_t pattern, bool subnormals) {
  const ExactValue value = decode(format, pattern);
  const bool subnormal =
      value.value_class == ValueClass::kFinite && value.magnitude >> value.fraction_bits == 0;
  if (subnormals || !subnormal) return value;
  return decode(format, value.negative ? format.sign_bit() : 0);
}

void decode_and_multiply(const BlockParams& params, std::span<const std::uint64_t> a,
                         std::span<const std::uint64_t> b, std::uint64_t c, BlockTrace& trace) {
  const Format& a_format = format_of(params.a_type);
  const Format& b_format = format_of(params.b_type);
  trace.product_count = static_cast<int>(a.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    trace.a[k] = decode(a_format, a[k], params.result.subnormals);
    trace.b[k] = decode(b_format, b[k], params.result.subnormals);
    trace.terms[k] = multiply(trace.a[k], trace.b[k]);
  }
  trace.terms[a.size()] = decode(format_of(params.result.type), c, params.result.subnormals);
}

SpecialCase special_case(const BlockTrace& trace) {
  bool nan_operand = trace.terms[trace.product_count].value_class == ValueClass::kNan;
  bool nan_product = false;
  bool infinity[2] = {false, false};
  for (int i = 0; i < trace.term_count(); ++i) {
    const ExactValue& term = trace.terms[i];
    if (term.value_class == ValueClass::kInfinity) infinity[term.negative ? 1 : 0] = true;
    nan_product = nan_product || term.value_class == ValueClass::kNan;
    if (i < trace.product_count)
      nan_operand = nan_operand || trace.a[i].value_class == ValueClass::kNan ||
                    trace.b[i].value_class == ValueClass::kNan;
  }
  if (nan_operand) return SpecialCase::kNanOperand;
  if (nan_product) return SpecialCase::kInfinityTimesZero;
  if (infinity[0] && infinity[1]) return SpecialCase::kOppositeInfinities;
  return infinity[0] || infinity[1] ? SpecialCase::kInfinity : SpecialCase::kNone;
}

std::uint64_t special_pattern(const BlockTrace& trace, const Format& format) {
  if (trace.special != SpecialCase::kInfinity) return format.canonical_nan;
  for (int i = 0; i < trace.term_count(); ++i)
    if (trace.terms[i].value_class == ValueClass::kInfinity && trace.terms[i].negative)
      return format.sign_bit() | format.infinity();
  return format.infinity();
}

void align_and_sum(const BlockParams& params, BlockTrace& trace) {
  const auto term_count = static_cast<std::size_t>(trace.term_count());
  const std::span<const ExactValue> terms(trace.terms.data(), term_count);
  const int below_every_exponent = -10000;
  trace.maximum_exponent =
      maximum_exponent(terms, params.exponent_floor, params.zero_product_raises_maximum);
  trace.floor_decided =
      maximum_exponent(terms, below_every_exponent, params.zero_product_raises_maximum) <
      params.exponent_floor;
  trace.unit_exponent = trace.maximum_exponent - params.grid_fraction_bits;
  for (std::size_t i = 0; i < term_count; ++i) {
    trace.aligned[i] = align(terms[i], trace.maximum_exponent, params.grid_fraction_bits);
    trace.sum += trace.aligned[i].value;
  }
}

}  // namespace

BlockTrace trace_block(const BlockParams& params, std::span<const std::uint64_t> a,
                       std::span<const std::uint64_t> b, std::uint64_t c) {
  assert(a.size() == b.size());
  assert(a.size() <= static_cast<std::size_t>(params.products));
  assert(params.products <= kMaxBlockProducts);
  BlockTrace trace;
  decode_and_multiply(params, a, b, c, trace);
  trace.special = special_case(trace);
  const Format& format = format_of(params.result.type);
  if (trace.special != SpecialCase::kNone) {
    trace.pattern = special_pattern(trace, format);
    return trace;
  }
  align_and_sum(params, trace);
  const bool negative = trace.sum < 0;  // an exactly zero sum is +0, whatever the signs
  trace.rounded = round_and_pack(negative, static_cast<std::uint64_t>(std::abs(trace.sum)),
                                 trace.unit_exponent, params.result);
  trace.pattern = trace.rounded.pattern;
  if (!params.underflow_keeps_sign && trace.rounded.significand == 0) trace.pattern = 0;
  return trace;
}

}  // namespace tcsim::numerics
