#pragma once

#include <string_view>
#include <vector>

#include "sim/rtl/operand_generator.hpp"

namespace tcsim::rtl {

/// Passes of one operation, mixed with the unit's other operations so that types of neighbours in
/// the pipeline differ: a quarter of the passes are others, if there are any.
class MixedOperands {
 public:
  MixedOperands(const UnitInfo& unit, const Operation& operation, std::uint64_t seed);

  Pass next();
  /// The scenario of the last pass.
  std::string_view scenario() const;

 private:
  std::vector<OperandGenerator> generators_;  ///< The operation first, then the others.
  Random random_;
  Scenario scenario_ = Scenario::kUniformBits;
};

}  // namespace tcsim::rtl
