#include "sim/mma/calculator.hpp"

#include <fmt/ostream.h>

#include <vector>

#include "models/numerics/mma.hpp"
#include "sim/errors/errors.hpp"
#include "sim/mma/explain.hpp"
#include "sim/mma/hex.hpp"
#include "sim/mma/number_text.hpp"

namespace tcsim::mma {

namespace {

using Patterns = std::vector<std::uint64_t>;

Patterns parse_operand(const std::string& option, const std::string& text,
                       numerics::ElementType type) {
  if (text.empty()) throw UsageError(fmt::format("mma: {}: missing", option));
  auto parsed = parse_hex(text, numerics::bits(type));
  if (const auto* error = std::get_if<HexError>(&parsed))
    throw UsageError(fmt::format("mma: {}:{}: {} of {}", option, error->offset + 1, error->reason,
                                 numerics::name(type)));
  return std::get<Patterns>(std::move(parsed));
}

}  // namespace

void calculate(const CalculatorOptions& options, std::ostream& out) {
  const numerics::Arithmetic arithmetic = find_arithmetic(options.arithmetic);
  const numerics::ArithmeticKey& key = arithmetic.key;
  const Patterns a = parse_operand("--a", options.a, key.a);
  const Patterns b = parse_operand("--b", options.b, key.b);
  const Patterns c =
      options.c.empty() ? Patterns{0} : parse_operand("--c", options.c, key.accumulator);
  if (a.size() != b.size())
    throw UsageError(fmt::format("mma: --b has {} elements, --a has {}", b.size(), a.size()));
  if (c.size() != 1) throw UsageError(fmt::format("mma: --c has {} elements; give one", c.size()));
  if (options.explain) explain(arithmetic, a, b, c[0], out);
  const std::uint64_t d = numerics::mma(arithmetic, a, b, c[0]);
  fmt::print(out, "D = {} = {}\n", to_hex(d, numerics::bits(key.accumulator)),
             to_decimal(key.accumulator, d));
}

}  // namespace tcsim::mma
