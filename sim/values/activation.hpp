#pragma once

namespace tcsim::values {

/// x / (1 + exp(-x)).
double silu(double x);

/// The tanh form: x / (1 + exp(-2 sqrt(2 / pi) (x + 0.044715 x^3))).
double gelu(double x);

}  // namespace tcsim::values
