#pragma once

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace tcsim::measure {

struct Spread {
  double median = 0;
  double min = 0;
  double max = 0;
};

/// Requires at least one value.
inline Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  const double median =
      values.size() % 2 != 0 ? values[half] : (values[half - 1] + values[half]) / 2;
  return {median, values.front(), values.back()};
}

/// Five significant digits, without an exponent for the magnitudes measured here.
inline std::string number(double value) {
  char text[64];
  std::snprintf(text, sizeof text, value >= 1e5 ? "%.0f" : "%.5g", value);
  return text;
}

}  // namespace tcsim::measure
