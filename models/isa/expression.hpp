#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace tcsim::isa {

/// Number of lanes of a warp.
inline constexpr int kLanes = 32;

/// The variables on which an address, a guard or an iteration count may depend. `kLoop0` is the
/// outermost loop's counter, from 0. `kUniform0` and the following are numbers that the program
/// itself computes (WarpProgram::uniforms).
enum class Variable : std::uint8_t {
  kCtaX,
  kCtaY,
  kCtaZ,
  kWarp,
  kLane,
  kLoop0,
  kLoop1,
  kLoop2,
  kLoop3,
  kUniform0,
  kCount = kUniform0 + 16
};
inline constexpr int kVariableCount = static_cast<int>(Variable::kCount);
inline constexpr int kMaxLoopDepth = 4;
inline constexpr int kMaxUniforms = kVariableCount - static_cast<int>(Variable::kUniform0);

/// The place in Bindings of the counter of a loop at `depth`.
constexpr std::size_t loop_place(int depth) {
  return static_cast<std::size_t>(Variable::kLoop0) + static_cast<std::size_t>(depth);
}
constexpr Variable uniform_variable(int number) {
  return static_cast<Variable>(static_cast<int>(Variable::kUniform0) + number);
}

/// coefficient * (((variable + offset) / divisor) % modulus); modulus 0 means no modulo. Division
/// truncates; variables are >= 0. The offset expresses how many k-tiles a pipeline works ahead:
/// stage (kLoop0 + 4) % 5.
struct Term {
  Variable variable;
  std::int64_t coefficient;
  std::uint32_t divisor = 1;
  std::uint32_t modulus = 0;
  std::uint32_t offset = 0;

  bool operator==(const Term&) const = default;
};

/// Values of the variables, indexed by Variable.
using Bindings = std::array<std::int64_t, kVariableCount>;

/// coefficient * ((clamp(constant + sum of terms, least, most) / divisor) % modulus); modulus 0
/// means no modulo. A Term divides one variable; a Quotient divides a sum of them: for example, to
/// get the image, row and column of the pixel to which a row of an implicit product belongs.
/// Division truncates.
struct Quotient {
  std::int64_t coefficient = 1;
  std::int64_t constant = 0;
  std::vector<Term> terms{};
  std::uint32_t divisor = 1;
  std::uint32_t modulus = 0;
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();

  bool operator==(const Quotient&) const = default;
};

/// constant + sum of terms + sum of quotients.
struct Expression {
  std::int64_t constant = 0;
  std::vector<Term> terms{};
  std::vector<Quotient> quotients{};

  bool operator==(const Expression&) const = default;
};

/// The value of `term` with its variable equal to `value`.
constexpr std::int64_t evaluate(const Term& term, std::int64_t value) {
  const std::int64_t sum = value + term.offset;
  const std::int64_t quotient = term.divisor == 1 ? sum : sum / term.divisor;
  return term.coefficient * (term.modulus == 0 ? quotient : quotient % term.modulus);
}

/// The sum of `terms`.
inline std::int64_t evaluate(const std::vector<Term>& terms, const Bindings& bindings) {
  std::int64_t sum = 0;
  for (const Term& term : terms)
    sum += evaluate(term, bindings[static_cast<std::size_t>(term.variable)]);
  return sum;
}

/// (clamp(sum) / divisor) % modulus of `quotient`, without its coefficient.
constexpr std::int64_t divide(const Quotient& quotient, std::int64_t sum) {
  sum = sum < quotient.least ? quotient.least : sum > quotient.most ? quotient.most : sum;
  const std::int64_t divided = quotient.divisor == 1 ? sum : sum / quotient.divisor;
  return quotient.modulus == 0 ? divided : divided % quotient.modulus;
}

bool divides_by_zero(const Expression& expression);

/// Requires that no division is by zero.
std::int64_t evaluate(const Expression& expression, const Bindings& bindings);

/// Sets the uniform variables to the values of `uniforms` in turn; an expression that names its own
/// uniform reads the value so far. If `taken` is given, it is the value of the first one.
void bind_uniforms(std::span<const Expression> uniforms, Bindings& bindings,
                   std::optional<std::int64_t> taken = {});

/// XOR swizzle of a byte offset: bits [base + shift, base + shift + bits) are XORed into bits
/// [base, base + bits). bits = 0 does not change the offset.
struct Swizzle {
  std::uint8_t bits = 0;
  std::uint8_t base = 0;
  std::uint8_t shift = 0;

  bool operator==(const Swizzle&) const = default;

  [[nodiscard]] constexpr std::int64_t apply(std::int64_t offset) const {
    const std::int64_t mask = ((std::int64_t{1} << bits) - 1) << base;
    return offset ^ ((offset >> shift) & mask);
  }
};

/// A byte offset into a buffer or into the CTA's shared memory.
struct Address {
  Expression offset{};
  Swizzle swizzle{};

  bool operator==(const Address&) const = default;
};

/// A lane takes part if every bound holds: expression < limit.
struct Bound {
  Expression expression;
  std::int64_t limit;

  bool operator==(const Bound&) const = default;
};
struct Guard {
  std::vector<Bound> bounds{};

  bool operator==(const Guard&) const = default;
};

/// True if the lane of `bindings` takes part.
bool holds(const Guard& guard, const Bindings& bindings);

}  // namespace tcsim::isa
