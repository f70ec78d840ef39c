#pragma once

#include <string>
#include <vector>

#include "sim/plot/chart.hpp"

namespace tcsim::sweep {

/// Positions of values on an axis: in proportion if all are numbers, evenly if one is a word.
class Positions {
 public:
  /// `values`: at least one, each once. With `from_zero`, the axis of numbers that are all >= 0
  /// starts at 0. Throws std::invalid_argument as plot::Scale::over.
  Positions(std::vector<std::string> values, bool from_zero);

  [[nodiscard]] bool numeric() const { return numeric_; }
  /// From 0 to 1. Requires one of the values.
  [[nodiscard]] double of(const std::string& value) const;
  /// Requires numeric().
  [[nodiscard]] const plot::Scale& scale() const { return scale_; }
  [[nodiscard]] const std::vector<std::string>& values() const { return values_; }

 private:
  std::vector<std::string> values_;
  bool numeric_ = false;
  plot::Scale scale_;
};

}  // namespace tcsim::sweep
