#pragma once

#include <string_view>
#include <vector>

#include "sim/rtl/operand_generator.hpp"

namespace tcsim::rtl {

/// Passes of one operation with some of the unit's other operations among them, so that the types
/// of neighbours in the pipeline differ: a quarter of the passes, where there are others.
class MixedOperands {
 public:
  MixedOperands(const UnitInfo& unit, const Operation& operation, std::uint64_t seed);

  Pass next();
  /// What the last pass was after.
  std::string_view scenario() const;

 private:
  std::vector<OperandGenerator> generators_;  ///< The operation first, then the others.
  Random random_;
  Scenario scenario_ = Scenario::kUniformBits;
};

}  // namespace tcsim::rtl
