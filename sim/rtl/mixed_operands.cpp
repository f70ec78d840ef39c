#include "sim/rtl/mixed_operands.hpp"

#include <iterator>

namespace tcsim::rtl {

namespace {

constexpr std::string_view kScenarioNames[] = {"uniform bits",
                                               "ordinary numbers",
                                               "clustered exponents",
                                               "cancellation",
                                               "subnormals",
                                               "specials",
                                               "zeros",
                                               "ties",
                                               "overflow",
                                               "underflow",
                                               "largest sums"};
static_assert(std::size(kScenarioNames) == static_cast<std::size_t>(Scenario::kCount));

}  // namespace

MixedOperands::MixedOperands(const UnitInfo& unit, const Operation& operation, std::uint64_t seed)
    : random_(seed + 3) {
  generators_.emplace_back(unit, operation, seed);
  for (const Operation& other : unit.operations)
    if (!(other == operation)) generators_.emplace_back(unit, other, seed);
}

Pass MixedOperands::next() {
  const int others = static_cast<int>(generators_.size()) - 1;
  const int choice = others > 0 && random_.one_in(4) ? random_.between(1, others) : 0;
  OperandGenerator& generator = generators_[static_cast<std::size_t>(choice)];
  Pass pass = generator.next();
  scenario_ = generator.scenario();
  return pass;
}

std::string_view MixedOperands::scenario() const {
  return kScenarioNames[static_cast<std::size_t>(scenario_)];
}

}  // namespace tcsim::rtl
