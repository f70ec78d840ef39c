#include "sim/mma/explain_block.hpp"

#include <fmt/ostream.h>

#include <cmath>
#include <string>

#include "sim/mma/hex.hpp"
#include "sim/mma/number_text.hpp"
#include "sim/text/counted.hpp"

namespace tcsim::mma {

namespace {

using numerics::BlockTrace;
using numerics::ExactValue;
using numerics::SpecialCase;
using numerics::ValueClass;

constexpr const char* kRow = "  {:<6} {:<17} {:>22} {:>8} {:>6}  {:<22} {}\n";

/// Exact for every term: at most 24 significant bits within the exponents of a double.
std::string value_text(const ExactValue& value) {
  if (value.value_class == ValueClass::kNan) return "nan";
  const char* sign = value.negative ? "-" : "";
  if (value.value_class == ValueClass::kInfinity) return fmt::format("{}inf", sign);
  return fmt::format(
      "{}{}", sign,
      std::ldexp(static_cast<double>(value.magnitude), value.exponent - value.fraction_bits));
}

std::string dropped_text(const numerics::AlignedTerm& aligned) {
  if (aligned.dropped_bits == 0) return "nothing";
  if (aligned.dropped == 0) return fmt::format("{} zero bits", aligned.dropped_bits);
  return fmt::format("{:#x} in {} bits", aligned.dropped, aligned.dropped_bits);
}

void print_term(const std::string& label, const std::string& patterns, const BlockTrace& trace,
                int index, std::ostream& out) {
  const ExactValue& term = trace.terms[static_cast<std::size_t>(index)];
  const auto& aligned = trace.aligned[static_cast<std::size_t>(index)];
  if (trace.special != SpecialCase::kNone) {
    fmt::print(out, kRow, label, patterns, value_text(term), "-", "-", "-", "-");
  } else if (term.value_class == ValueClass::kZero) {
    fmt::print(out, kRow, label, patterns, value_text(term), "zero", "-", "-", 0);
  } else {
    fmt::print(out, kRow, label, patterns, value_text(term), term.exponent, aligned.shift,
               dropped_text(aligned), aligned.value);
  }
}

const char* special_text(SpecialCase special) {
  switch (special) {
    case SpecialCase::kNanOperand:
      return "an operand is NaN: canonical NaN";
    case SpecialCase::kInfinityTimesZero:
      return "infinity times zero: canonical NaN";
    case SpecialCase::kOppositeInfinities:
      return "infinite terms of both signs: canonical NaN";
    case SpecialCase::kInfinity:
      return "infinite terms of one sign: that infinity";
    case SpecialCase::kNone:
      break;
  }
  return "";
}

std::string rounding_text(const numerics::BlockParams& params, const BlockTrace& trace) {
  const bool nearest = params.result.mode == numerics::RoundingMode::kNearestEven;
  std::string text = fmt::format("{} to {} digits", nearest ? "nearest even" : "truncated",
                                 params.result.kept_fraction_bits + 1);
  if (trace.rounded.overflow) return text + ": overflow to infinity";
  if (trace.sum == 0) return text + ": an exact zero is +0";
  const int exponent_of_subnormals =
      numerics::format_of(params.result.type).exponent_of_subnormals();
  if (!params.result.subnormals && trace.rounded.exponent < exponent_of_subnormals)
    return text + ": below the normal numbers, flushed to zero";
  text += fmt::format(": {:#x} x 2^{}", trace.rounded.significand,
                      trace.rounded.exponent - params.result.kept_fraction_bits);
  if (!trace.rounded.inexact) return text + ", exact";
  return text + (trace.rounded.rounded_up ? ", rounded up" : ", rest cut off");
}

void print_sum(const BlockHeading& heading, const BlockTrace& trace, std::ostream& out) {
  const char* floor = trace.floor_decided ? " (the floor: every term lies below it)" : "";
  fmt::print(out, "  maximum exponent {}{}, unit 2^{}\n", trace.maximum_exponent, floor,
             trace.unit_exponent);
  fmt::print(out, "  sum {} x 2^{}\n", trace.sum, trace.unit_exponent);
  fmt::print(out, "  {}\n", rounding_text(heading.params, trace));
}

}  // namespace

void explain_block(const BlockHeading& heading, const BlockTrace& trace,
                   std::span<const std::uint64_t> a, std::span<const std::uint64_t> b,
                   std::uint64_t c, std::ostream& out) {
  const numerics::BlockParams& params = heading.params;
  const int a_bits = numerics::bits(params.a_type);
  const int b_bits = numerics::bits(params.b_type);
  const int c_bits = numerics::bits(params.result.type);
  fmt::print(out, "block of {} (up to {}), {} fraction bits below the maximum exponent\n",
             text::counted(trace.product_count, "product"), params.products,
             params.grid_fraction_bits);
  fmt::print(out, kRow, "term", "patterns", "value", "exponent", "shift", "dropped", "aligned");
  for (int i = 0; i < trace.product_count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    print_term(fmt::format("k={}", heading.positions[at]),
               to_hex(a[at], a_bits) + " " + to_hex(b[at], b_bits), trace, i, out);
  }
  print_term("c", to_hex(c, c_bits), trace, trace.product_count, out);
  if (trace.special != SpecialCase::kNone)
    fmt::print(out, "  {}\n", special_text(trace.special));
  else
    print_sum(heading, trace, out);
  fmt::print(out, "  result {} = {}\n\n", to_hex(trace.pattern, c_bits),
             to_decimal(params.result.type, trace.pattern));
}

}  // namespace tcsim::mma
