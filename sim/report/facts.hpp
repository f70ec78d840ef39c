#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "sim/gpu/simulation.hpp"

namespace tcsim::report {

struct RunInputs;

/// A number of the run that no counter holds; formulas of metrics name it without a dot.
struct FactDefinition {
  std::string_view name;
  std::string_view unit;  ///< "1" for a plain number
  std::string_view sentence;
  /// The value in a run; nothing where it does not apply.
  std::optional<double> (*value)(const RunInputs& inputs, const gpu::Outcome& outcome);
};

/// Every fact, in the order in which files print them.
std::span<const FactDefinition> fact_definitions();

}  // namespace tcsim::report
