#include "sim/values/activation.hpp"

#include <cmath>
#include <numbers>

namespace tcsim::values {

double silu(double x) { return x / (1 + std::exp(-x)); }

double gelu(double x) {
  return x / (1 + std::exp(-2 * std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}

}  // namespace tcsim::values
