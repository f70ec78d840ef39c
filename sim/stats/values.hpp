#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "sim/stats/scope.hpp"

namespace tcsim::stats {

/// The numbers that formulas may use. Counters are called "scope.counter", for example
/// "sub_core.mma_instructions", and hold the sum over all instances of the scope; "scope.instances"
/// is their number. Facts of the run (clock, peak, useful operations) have names without a dot. If
/// a fact has no value, every formula that needs it is not applicable.
class Values {
 public:
  explicit Values(const Scope& root);

  void set_fact(const std::string& name, std::optional<double> value);

  /// The value of `name`, or nothing if it is not applicable to this run. Throws InternalError if
  /// nobody provides it or two scopes of that name do: a missing counter is a defect of the model
  /// or of the formula, never a zero.
  [[nodiscard]] std::optional<double> at(std::string_view name) const;

 private:
  void add(const Scope& scope);

  std::map<std::string, std::optional<double>, std::less<>> values_;
  std::set<std::string, std::less<>> ambiguous_;  ///< provided by more than one scope
};

}  // namespace tcsim::stats
