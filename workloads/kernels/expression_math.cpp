#include "workloads/kernels/expression_math.hpp"

#include <algorithm>
#include <bit>

namespace tcsim::kernels {
namespace {

bool same_shape(const isa::Term& a, const isa::Term& b) {
  return a.variable == b.variable && a.divisor == b.divisor && a.modulus == b.modulus &&
         a.offset == b.offset;
}

}  // namespace

isa::Expression constant(std::int64_t value) { return {.constant = value}; }

void add_term(isa::Expression& sum, const isa::Term& term) {
  if (term.coefficient == 0) return;
  const auto equal = std::ranges::find_if(
      sum.terms, [&](const isa::Term& other) { return same_shape(other, term); });
  if (equal == sum.terms.end()) {
    sum.terms.push_back(term);
    return;
  }
  equal->coefficient += term.coefficient;
  if (equal->coefficient == 0) sum.terms.erase(equal);
}

void add_scaled(isa::Expression& sum, const isa::Expression& part, std::int64_t factor) {
  sum.constant += factor * part.constant;
  for (isa::Term term : part.terms) {
    term.coefficient *= factor;
    add_term(sum, term);
  }
  for (isa::Quotient quotient : part.quotients) {
    quotient.coefficient *= factor;
    if (quotient.coefficient != 0) sum.quotients.push_back(std::move(quotient));
  }
}

void add_quotient(isa::Expression& sum, std::int64_t coefficient, const isa::Expression& part,
                  std::int64_t divisor, std::int64_t modulus) {
  if (modulus == 1) return;
  if (divisor == 1 && modulus == 0) return add_scaled(sum, part, coefficient);
  isa::Quotient quotient{.coefficient = coefficient,
                         .constant = part.constant,
                         .terms = part.terms,
                         .divisor = static_cast<std::uint32_t>(divisor),
                         .modulus = static_cast<std::uint32_t>(modulus)};
  if (part.terms.empty()) {
    sum.constant += coefficient * isa::divide(quotient, part.constant);
    return;
  }
  const isa::Term& only = part.terms.front();
  if (part.terms.size() > 1 || only.coefficient != 1 || only.modulus != 0) {
    sum.quotients.push_back(std::move(quotient));
    return;
  }
  // ((v + o) / d + c) / e = (v + o + c d) / (d e)
  add_term(sum, {.variable = only.variable,
                 .coefficient = coefficient,
                 .divisor = static_cast<std::uint32_t>(only.divisor * divisor),
                 .modulus = static_cast<std::uint32_t>(modulus),
                 .offset = static_cast<std::uint32_t>(only.offset + part.constant * only.divisor)});
}

void add_field(isa::Expression& sum, const BitField& field) {
  if (field.count == 0) return;
  const bool reaches_top =
      field.variable == isa::Variable::kLane && field.low + field.count == kLaneBits;
  add_term(sum, {.variable = field.variable,
                 .coefficient = field.weight,
                 .divisor = 1U << field.low,
                 .modulus = reaches_top ? 0U : 1U << field.count});
}

void ThreadDeal::add_field(isa::Expression& sum, int round, int low, int count,
                           std::int64_t weight) const {
  if (count == 0) return;
  const int high = low + count;
  const int thread_bits = kLaneBits + log2_exact(warps);
  const auto part = [&](isa::Variable variable, int first, int last) {
    const int from = std::max(low, first);
    const int to = std::min(high, last);
    if (from < to)
      kernels::add_field(sum, {variable, from - first, to - from, weight << (from - low)});
  };
  part(isa::Variable::kLane, 0, kLaneBits);
  part(isa::Variable::kWarp, kLaneBits, thread_bits);
  const std::int64_t vector = std::int64_t{round} << thread_bits;
  sum.constant += weight * ((vector >> low) & ((std::int64_t{1} << count) - 1));
}

void ThreadDeal::bound(isa::Guard& guard, int round, int vectors) const {
  const int left = vectors - round * threads();
  if (left >= threads()) return;
  isa::Expression thread;
  // Whole warps need only one test.
  const bool is_uniform = left % isa::kLanes == 0;
  add_term(thread, {.variable = isa::Variable::kWarp, .coefficient = is_uniform ? 1 : isa::kLanes});
  if (!is_uniform) add_term(thread, {.variable = isa::Variable::kLane, .coefficient = 1});
  guard.bounds.push_back({std::move(thread), is_uniform ? left / isa::kLanes : left});
}

int bits_below(std::int64_t count) {
  return log2_exact(static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(count))));
}

int log2_exact(std::int64_t power_of_two) {
  return std::countr_zero(static_cast<std::uint64_t>(power_of_two));
}

bool is_power_of_two(std::int64_t value) {
  return value > 0 && std::has_single_bit(static_cast<std::uint64_t>(value));
}

}  // namespace tcsim::kernels
