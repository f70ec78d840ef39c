#pragma once

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace tcsim::plot {

/// Whole decades that hold every value.
struct LogScale {
  int first = 0;
  int last = 1;

  /// Throws std::invalid_argument unless 0 < least <= most, both finite.
  static LogScale over(double least, double most) {
    if (!(least > 0 && least <= most && std::isfinite(most)))
      throw std::invalid_argument("a logarithmic axis needs numbers above zero");
    const int first = static_cast<int>(std::floor(std::log10(least)));
    return {first, std::max(first + 1, static_cast<int>(std::ceil(std::log10(most))))};
  }
  /// From 0 to 1.
  [[nodiscard]] double position(double value) const {
    return (std::log10(value) - first) / (last - first);
  }
  [[nodiscard]] double value(double position) const {
    return std::pow(10.0, first + position * (last - first));
  }
};

}  // namespace tcsim::plot
