#include "sim/gpu/rate_history.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/gpu/students_t.hpp"

namespace tcsim::gpu {

bool RateHistory::inform(Rates& rates, double tolerance) {
  if (!tell_rates()) return false;
  const auto count = static_cast<double>(rates_.size());
  const double mean = std::accumulate(rates_.begin(), rates_.end(), 0.0) / count;
  double squares = 0;
  for (const double each : rates_) squares += (each - mean) * (each - mean);
  const double half_width = students_t(count) * std::sqrt(squares / (count - 1) * (1 + 1 / count));
  const double apart = std::abs(rates.cycles - mean);
  if (apart > tolerance * mean) rates_.clear();
  if (std::max(apart, half_width) > tolerance * mean) return false;
  rates.half_width = std::max(apart, half_width);
  rates.trend = 0;
  rates.drift = kDriftOnceSeen;
  return true;
}

}  // namespace tcsim::gpu
