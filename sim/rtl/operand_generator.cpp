#include "sim/rtl/operand_generator.hpp"

#include <algorithm>

namespace tcsim::rtl {

using numerics::ElementType;
using numerics::Format;

namespace {

/// The format of `type`; integers need none and get an arbitrary one.
const Format& float_format(ElementType type) {
  return numerics::format_of(numerics::is_integer(type) ? ElementType::kFp16 : type);
}

/// Calls `set` with element k of every row or column of `lines`, and with the element after it.
template <typename Set>
void for_element(const Pass& pass, std::vector<std::uint64_t>& lines, int k, Set set) {
  const auto length = static_cast<std::size_t>(pass.products);
  for (auto i = static_cast<std::size_t>(k); i < lines.size(); i += length)
    set(lines[i], lines[std::min(i + 1, lines.size() - 1)]);
}

}  // namespace

OperandGenerator::OperandGenerator(const UnitInfo& unit, const Operation& operation,
                                   std::uint64_t seed)
    : unit_(unit),
      operation_(operation),
      a_(float_format(operation.input)),
      b_(float_format(operation.b)),
      block_(arithmetic_of(unit, operation).block),
      random_(seed) {}

Pass OperandGenerator::next() {
  if (operation_.input == ElementType::kInt8) return integers();
  using Fill = void (OperandGenerator::*)(Pass&);
  static constexpr Fill kFills[] = {
      &OperandGenerator::uniform_bits, &OperandGenerator::ordinary,    &OperandGenerator::clustered,
      &OperandGenerator::cancellation, &OperandGenerator::subnormals,  &OperandGenerator::specials,
      &OperandGenerator::zeros,        &OperandGenerator::ties,        &OperandGenerator::overflow,
      &OperandGenerator::underflow,    &OperandGenerator::largest_sum,
  };
  static_assert(std::size(kFills) == static_cast<std::size_t>(Scenario::kCount));
  const int choice = random_.between(0, static_cast<int>(Scenario::kCount) - 1);
  scenario_ = static_cast<Scenario>(choice);
  Pass pass(unit_, operation_);
  (this->*kFills[choice])(pass);
  return pass;
}

Pass OperandGenerator::integers() {
  Pass pass(unit_, operation_);
  const bool extremes = random_.one_in(3);
  static constexpr std::uint64_t kExtremes[] = {0x80, 0x81, 0x7f, 0x00, 0xff, 0x01};
  const auto element = [&] {
    return extremes ? kExtremes[random_.between(0, 5)] : random_.bits() & 0xffU;
  };
  std::generate(pass.a.begin(), pass.a.end(), element);
  std::generate(pass.b.begin(), pass.b.end(), element);
  if (random_.one_in(8)) std::fill(pass.a.begin(), pass.a.end(), 0x80);
  if (random_.one_in(8)) std::fill(pass.b.begin(), pass.b.end(), random_.one_in(2) ? 0x80 : 0x7f);
  for (std::uint64_t& c : pass.c) {
    const int kind = random_.between(0, 3);
    c = random_.bits() & 0xffffffffU;
    if (kind == 0) c = 0x7fffffffU - (c & 0xffff);
    if (kind == 1) c = 0x80000000U + (c & 0xffff);
  }
  return pass;
}

/// A pattern of that value; an exponent below the smallest gives a subnormal or zero, one above the
/// largest gives the largest number. The bits that TF32 ignores are random.
std::uint64_t OperandGenerator::number(const Format& format, bool negative, int exponent,
                                       std::uint64_t fraction) {
  const int smallest = format.exponent_of_subnormals();
  exponent = std::min(exponent, format.largest_exponent());
  const std::uint64_t hidden = std::uint64_t{1} << format.fraction_bits;
  // E4M3: all ones in field and fraction are not a number.
  if (format.specials == numerics::SpecialRule::kNanOnly && fraction == hidden - 1 &&
      exponent == format.largest_exponent())
    --fraction;
  std::uint64_t field = 0;
  std::uint64_t digits = (hidden | fraction) >> std::min(63, std::max(0, smallest - exponent));
  if (exponent >= smallest) {
    const int biased = exponent + format.bias;
    field = static_cast<std::uint64_t>(biased);
    digits = fraction;
  }
  const std::uint64_t ignored =
      random_.bits() & ((std::uint64_t{1} << format.ignored_low_bits) - 1);
  return (negative ? format.sign_bit() : 0) |
         (field << format.fraction_bits | digits) << format.ignored_low_bits | ignored;
}

std::uint64_t OperandGenerator::number(const Format& format, int exponent) {
  return number(format, random_.one_in(2), exponent, fraction(format));
}

std::uint64_t OperandGenerator::fraction(const Format& format) {
  const std::uint64_t all = (std::uint64_t{1} << format.fraction_bits) - 1;
  switch (random_.between(0, 5)) {
    case 0:
      return 0;
    case 1:
      return all;
    case 2:
      return std::uint64_t{1} << random_.between(0, format.fraction_bits - 1);
    default:
      return random_.bits() & all;
  }
}

std::uint64_t OperandGenerator::uniform(ElementType type) {
  return random_.bits() & ((std::uint64_t{1} << numerics::bits(type)) - 1);
}

/// Zero, infinity, NaN or the largest number, which replaces an infinity if there is none. The bits
/// that TF32 ignores are random here, too: an infinity remains one whatever they are.
std::uint64_t OperandGenerator::special(const Format& format) {
  const std::uint64_t sign = random_.one_in(2) ? format.sign_bit() : 0;
  const std::uint64_t ignored =
      random_.bits() & ((std::uint64_t{1} << format.ignored_low_bits) - 1);
  const bool has_infinity = format.specials == numerics::SpecialRule::kInfinityAndNan;
  const auto largest = [&] {
    return number(format, sign != 0, format.largest_exponent(),
                  (std::uint64_t{1} << format.fraction_bits) - 1);
  };
  switch (random_.between(0, 6)) {
    case 0: {
      if (!has_infinity) return sign | format.canonical_nan;
      const std::uint64_t payload = std::uint64_t{1}
                                    << random_.between(0, format.fraction_bits - 1);
      return sign | format.infinity() | payload << format.ignored_low_bits | ignored;
    }
    case 1:
      return sign | ignored;
    case 2:
      return largest();
    default:
      return has_infinity ? sign | format.infinity() | ignored : largest();
  }
}

void OperandGenerator::set_products(Pass& pass, int k, int exponent) {
  const int a_exponent = std::clamp(exponent / 2 + random_.between(-4, 4),
                                    a_.exponent_of_subnormals(), a_.largest_exponent());
  for_element(pass, pass.a, k,
              [&](std::uint64_t& a, std::uint64_t& /*next*/) { a = number(a_, a_exponent); });
  for_element(pass, pass.b, k, [&](std::uint64_t& b, std::uint64_t& /*next*/) {
    b = number(b_, exponent - a_exponent);
  });
}

/// Like set_products, with powers of two.
void OperandGenerator::set_powers(Pass& pass, int k, int exponent) {
  const int a_exponent =
      std::clamp(exponent / 2, a_.exponent_of_subnormals(), a_.largest_exponent());
  for_element(pass, pass.a, k, [&](std::uint64_t& a, std::uint64_t& /*next*/) {
    a = number(a_, random_.one_in(2), a_exponent, 0);
  });
  for_element(pass, pass.b, k, [&](std::uint64_t& b, std::uint64_t& /*next*/) {
    b = number(b_, random_.one_in(2), exponent - a_exponent, 0);
  });
}

/// Sets elements from `first_k` on to zero.
void OperandGenerator::clear(Pass& pass, int first_k) {
  const std::uint64_t sign = a_.sign_bit();  // also the sign bit of b
  for (auto* patterns : {&pass.a, &pass.b})
    for (std::size_t i = 0; i < patterns->size(); ++i)
      if (static_cast<int>(i % pass.products) >= first_k)
        (*patterns)[i] = random_.one_in(2) ? sign : 0;
}

/// Makes products 2m and 2m + 1 cancel in every element, for the first `pairs` m.
void OperandGenerator::cancel_pairs(Pass& pass, int pairs) {
  const std::uint64_t sign = b_.sign_bit();
  for (int m = 0; m < pairs; ++m) {
    for_element(pass, pass.a, 2 * m, [](std::uint64_t& a, std::uint64_t& next) { next = a; });
    for_element(pass, pass.b, 2 * m,
                [sign](std::uint64_t& b, std::uint64_t& next) { next = b ^ sign; });
  }
}

void OperandGenerator::set_c(Pass& pass, int exponent) {
  const Format& format = numerics::format_of(operation_.accumulator);
  for (std::uint64_t& c : pass.c) c = number(format, exponent);
}

/// An exponent near `maximum` or near the last digit of its grid.
int OperandGenerator::near_grid(int maximum) {
  const int grid = block_.grid_fraction_bits;
  switch (random_.between(0, 3)) {
    case 0:
      return maximum - random_.between(0, 2);
    case 1:
      return maximum - random_.between(0, grid);
    default:
      return maximum - grid + random_.between(-3, 2);
  }
}

void OperandGenerator::uniform_bits(Pass& pass) {
  for (auto& pattern : pass.a) pattern = uniform(operation_.input);
  for (auto& pattern : pass.b) pattern = uniform(operation_.b);
  for (auto& pattern : pass.c) pattern = uniform(operation_.accumulator);
}

void OperandGenerator::ordinary(Pass& pass) {
  const int exponent = random_.between(-12, 8);
  for (int k = 0; k < pass.products; ++k) set_products(pass, k, exponent + random_.between(-3, 3));
  set_c(pass, exponent + random_.between(-6, 6));
}

void OperandGenerator::clustered(Pass& pass) {
  const int maximum =
      random_.between(a_.exponent_of_subnormals() + b_.exponent_of_subnormals() + 20,
                      a_.largest_exponent() + b_.largest_exponent());
  for (int k = 0; k < pass.products; ++k) set_products(pass, k, near_grid(maximum));
  if (random_.one_in(2)) set_products(pass, 0, maximum);
  set_c(pass, near_grid(maximum));
}

void OperandGenerator::cancellation(Pass& pass) {
  const int maximum = random_.between(-10, a_.largest_exponent() + b_.largest_exponent());
  for (int k = 0; k < pass.products; ++k)
    set_products(pass, k, maximum - block_.grid_fraction_bits + random_.between(-3, 6));
  set_c(pass, maximum - block_.grid_fraction_bits + random_.between(-3, 6));
  const int pairs = pass.products < 2 ? 0 : random_.between(1, pass.products / 2);
  for (int m = 0; m < pairs; ++m) set_products(pass, 2 * m, maximum - random_.between(0, 2));
  cancel_pairs(pass, pairs);
  if (!random_.one_in(3)) return;
  // c against one product, both powers of two; the remainder stays or vanishes.
  set_powers(pass, 0, std::min(maximum, 10));
  const Format& accumulator = numerics::format_of(operation_.accumulator);
  for (std::size_t element = 0; element < pass.c.size(); ++element) {
    const auto a = numerics::decode(a_, pass.row(static_cast<int>(element))[0]);
    const auto b = numerics::decode(b_, pass.column(static_cast<int>(element))[0]);
    pass.c[element] = number(accumulator, a.negative == b.negative, a.exponent + b.exponent, 0);
  }
  if (random_.one_in(2)) clear(pass, 1);
}

void OperandGenerator::subnormals(Pass& pass) {
  const Format& accumulator = numerics::format_of(operation_.accumulator);
  const auto small = [&](const Format& of) {
    return number(of, of.exponent_of_subnormals() - random_.between(-1, of.fraction_bits));
  };
  const bool both = random_.one_in(2);
  for (auto& pattern : pass.a) pattern = small(a_);
  for (auto& pattern : pass.b)
    pattern = both ? small(b_) : number(b_, random_.between(0, b_.largest_exponent()));
  for (auto& pattern : pass.c) pattern = random_.one_in(3) ? 0 : small(accumulator);
  if (random_.one_in(3)) clear(pass, random_.between(0, 1));
}

void OperandGenerator::specials(Pass& pass) {
  ordinary(pass);
  const int rarity = pass.products * random_.between(1, 8);
  for (auto& pattern : pass.a)
    if (random_.one_in(rarity)) pattern = special(a_);
  for (auto& pattern : pass.b)
    if (random_.one_in(rarity)) pattern = special(b_);
  // One infinity in a row or column against zeros, so that their product occurs often enough.
  const int k = random_.between(0, pass.products - 1);
  if (random_.one_in(8)) {
    const bool infinite_a = random_.one_in(2);
    auto& infinite = infinite_a ? pass.a : pass.b;
    auto& zero = infinite_a ? pass.b : pass.a;
    const Format& format = infinite_a ? a_ : b_;
    if (format.specials == numerics::SpecialRule::kInfinityAndNan) {
      infinite[static_cast<std::size_t>(k)] = format.infinity();
      for_element(pass, zero, k,
                  [](std::uint64_t& element, std::uint64_t& /*next*/) { element = 0; });
    }
  }
  for (auto& pattern : pass.c)
    if (random_.one_in(4)) pattern = special(numerics::format_of(operation_.accumulator));
}

void OperandGenerator::zeros(Pass& pass) {
  const Format& accumulator = numerics::format_of(operation_.accumulator);
  const int rarity = random_.between(1, 4);  // 1: only zeros
  const auto sparse = [&](const Format& of) {
    if (rarity > 1 && random_.one_in(rarity))
      return number(of, random_.between(of.exponent_of_subnormals(), of.largest_exponent()));
    return random_.one_in(2) ? of.sign_bit() : std::uint64_t{0};
  };
  for (auto& pattern : pass.a) pattern = sparse(a_);
  for (auto& pattern : pass.b) pattern = sparse(b_);
  for (auto& pattern : pass.c) pattern = sparse(accumulator);
  if (!random_.one_in(8)) return;
  // Every product and c are -0.
  for (auto& pattern : pass.a) pattern = a_.sign_bit();
  for (auto& pattern : pass.b) pattern = number(b_, /*negative=*/false, 0, 0);
  for (auto& pattern : pass.c) pattern = accumulator.sign_bit();
}

void OperandGenerator::ties(Pass& pass) {
  const Format& accumulator = numerics::format_of(operation_.accumulator);
  const bool at_top = random_.one_in(4);
  const int exponent = at_top ? accumulator.largest_exponent() : random_.between(-4, 12);
  for (auto& c : pass.c)
    c = at_top ? number(accumulator, random_.one_in(2), exponent,
                        (std::uint64_t{1} << accumulator.fraction_bits) - 1)
               : number(accumulator, exponent);
  const int half = exponent - block_.result.kept_fraction_bits - 1;
  clear(pass, 0);
  set_powers(pass, 0, half);
  if (random_.one_in(2)) set_powers(pass, 1, half - random_.between(1, 20));
  if (random_.one_in(3)) set_powers(pass, 2, half + random_.between(-1, 1));
}

void OperandGenerator::overflow(Pass& pass) {
  const Format& accumulator = numerics::format_of(operation_.accumulator);
  const int largest = accumulator.largest_exponent();
  for (int k = 0; k < pass.products; ++k) set_products(pass, k, largest - random_.between(-2, 6));
  set_c(pass, largest - random_.between(0, 3));
  if (random_.one_in(3)) clear(pass, random_.between(1, 2));
  if (random_.one_in(2)) cancel_pairs(pass, pass.products / 2);
}

void OperandGenerator::underflow(Pass& pass) {
  const Format& accumulator = numerics::format_of(operation_.accumulator);
  const int last_digit = accumulator.exponent_of_subnormals() - accumulator.fraction_bits;
  const int centre = last_digit + random_.between(-8, 12);
  for (int k = 0; k < pass.products; ++k) set_products(pass, k, centre + random_.between(-2, 2));
  for (auto& c : pass.c)
    c = random_.one_in(3)
            ? number(accumulator, last_digit + random_.between(0, accumulator.fraction_bits))
            : 0;
  if (random_.one_in(2)) clear(pass, random_.between(1, 2));
}

void OperandGenerator::largest_sum(Pass& pass) {
  const Format& accumulator = numerics::format_of(operation_.accumulator);
  const auto all_ones = [](const Format& of) { return (std::uint64_t{1} << of.fraction_bits) - 1; };
  const bool negative = random_.one_in(2);
  const int a_exponent = random_.between(-6, 6);
  const int b_exponent = random_.between(-6, 6);
  for (auto& pattern : pass.a) pattern = number(a_, negative, a_exponent, all_ones(a_));
  for (auto& pattern : pass.b) pattern = number(b_, false, b_exponent, all_ones(b_));
  for (auto& pattern : pass.c)
    pattern = number(accumulator, negative, a_exponent + b_exponent, all_ones(accumulator));
}

}  // namespace tcsim::rtl
