#include "sim/values/pool_operation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tcsim::values {
namespace {

using kernels::PoolOperation;
using kernels::PoolProblem;

struct Window {
  double largest = -std::numeric_limits<double>::infinity();
  double sum = 0;
  double magnitude = 0;
  int pixels = 0;
};

std::size_t place_in_x(const PoolProblem& p, std::int64_t image, std::int64_t row,
                       std::int64_t column, std::int64_t channel) {
  return static_cast<std::size_t>(((image * p.h + row) * p.w + column) * p.c + channel);
}

/// The part of x that the window of element `index` of y covers.
Window window_of(const PoolProblem& p, const std::vector<double>& x, std::int64_t index) {
  const std::int64_t channel = index % p.c;
  const std::int64_t column = index / p.c % p.q() * p.stride_w - p.pad_w;
  const std::int64_t row = index / p.c / p.q() % p.p() * p.stride_h - p.pad_h;
  const std::int64_t image = index / p.c / p.q() / p.p();
  Window window;
  for (std::int64_t i = std::max<std::int64_t>(row, 0); i < std::min(row + p.r, p.h); ++i)
    for (std::int64_t j = std::max<std::int64_t>(column, 0); j < std::min(column + p.s, p.w); ++j) {
      const double value = x[place_in_x(p, image, i, j, channel)];
      window.largest = std::max(window.largest, value);
      window.sum += value;
      window.magnitude += std::abs(value);
      ++window.pixels;
    }
  return window;
}

void upsample(const PoolProblem& p, const std::vector<double>& x, const ElementVisit& visit) {
  const std::int64_t stride = thinning(p.y_elements(), 1, p.c);
  for (std::int64_t i = 0; i < p.y_elements(); i += stride) {
    const std::int64_t pixel = i / p.c;
    const std::int64_t row = pixel / p.q();
    visit(0, i, x[place_in_x(p, row / p.p(), row % p.p() / p.r, pixel % p.q() / p.s, i % p.c)], 0);
  }
}

void evaluate(const PoolProblem& p, const std::vector<double>& x, const ElementVisit& visit) {
  if (p.is_upsampling()) return upsample(p, x, visit);
  const auto taps = static_cast<double>(p.r * p.s);
  const std::int64_t stride = thinning(p.y_elements(), p.r * p.s, p.c);
  for (std::int64_t i = 0; i < p.y_elements(); i += stride) {
    const Window window = window_of(p, x, i);
    if (p.operation == PoolOperation::kMax) {
      visit(0, i, window.largest, 0);
      continue;
    }
    const double exact = window.sum / (p.counts_padding ? taps : window.pixels);
    visit(0, i, exact, rounding_to(p.element, exact) + 0x1p-22 * window.magnitude);
  }
}

}  // namespace

TensorOperation pool_operation(const PoolProblem& problem) {
  return {{{"x", problem.element, {problem.n, problem.h, problem.w, problem.c}}},
          {{"y", problem.element, {problem.n, problem.p(), problem.q(), problem.c}}},
          [problem](const TensorElements& inputs, const ElementVisit& visit) {
            evaluate(problem, inputs[0], visit);
          }};
}

}  // namespace tcsim::values
