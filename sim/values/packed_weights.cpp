#include "sim/values/packed_weights.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "models/numerics/convert.hpp"
#include "models/numerics/format.hpp"
#include "models/numerics/ieee_fma.hpp"
#include "sim/values/element.hpp"
#include "workloads/kernels/weight_order.hpp"

namespace tcsim::values {
namespace {

using kernels::GemmProblem;
using kernels::WeightOrder;
using numerics::ElementType;

std::uint64_t nearest_pattern(ElementType type, double value) {
  return numerics::convert(ElementType::kFp64, std::bit_cast<std::uint64_t>(value), type);
}

/// The integers of a buffer, without their bias.
class Integers {
 public:
  explicit Integers(const WeightOrder& order)
      : bits_(order.bits()), bias_(order.bias()), mask_((1U << order.bits()) - 1) {}

  [[nodiscard]] int at(std::span<const std::uint8_t> bytes, std::int64_t number) const {
    return static_cast<int>(bytes[place_of(number * bits_ / 8)] >> shift(number) & mask_) - bias_;
  }
  void put(std::span<std::uint8_t> bytes, std::int64_t number, int value) const {
    std::uint8_t& byte = bytes[place_of(number * bits_ / 8)];
    const auto stored = static_cast<unsigned>(value + bias_);
    byte = static_cast<std::uint8_t>((byte & ~(mask_ << shift(number))) | stored << shift(number));
  }

 private:
  [[nodiscard]] int shift(std::int64_t number) const {
    return static_cast<int>(number * bits_ % 8);
  }
  int bits_;
  int bias_;
  unsigned mask_;
};

/// The value of one integer, rounded as by the kernel's last multiplication.
std::uint64_t weight_pattern(ElementType type, int integer, std::uint64_t scale) {
  return numerics::ieee_multiply(type, nearest_pattern(type, integer), scale);
}

/// The scale of weights up to `largest` in magnitude.
std::uint64_t scale_pattern(ElementType type, int bits, double largest) {
  if (largest == 0) return nearest_pattern(type, 1);
  const double steps = (1 << (bits - 1)) - 1;
  const std::uint64_t pattern = nearest_pattern(type, largest / steps);
  const double scale = value_of(type, pattern);
  if (scale == 0) return 1;                          // the least subnormal
  return std::isinf(scale) ? pattern - 1 : pattern;  // the largest number
}

/// Calls action(batch, first of k, end of k) for each group along k.
template <typename Action>
void for_each_group(const Matrix& matrix, const WeightOrder& order, const Action& action) {
  for (std::int64_t batch = 0; batch < matrix.batch; ++batch)
    for (std::int64_t k = 0; k < matrix.rows; k += order.group())
      action(batch, k, std::min(k + order.group(), matrix.rows));
}

}  // namespace

Conversion store_weights(const Matrix& matrix, const GemmProblem& problem,
                         const WeightBuffers<std::uint8_t>& buffers) {
  const WeightOrder order(problem);
  const Integers integers(order);
  const ElementType type = type_of(problem.input);
  std::ranges::fill(buffers.integers, std::uint8_t{0});
  std::ranges::fill(buffers.scales, std::uint8_t{0});
  Conversion conversion;
  const auto weight = [&](std::int64_t batch, std::int64_t k, std::int64_t column) {
    return matrix.values[place_of((batch * matrix.rows + k) * matrix.columns + column)];
  };
  for_each_group(matrix, order, [&](std::int64_t batch, std::int64_t first, std::int64_t end) {
    const std::int64_t before = batch * order.bytes_of_batch() * 8 / order.bits();
    for (std::int64_t column = 0; column < matrix.columns; ++column) {
      double largest = 0;
      for (std::int64_t k = first; k < end; ++k)
        largest = std::max(largest, std::abs(weight(batch, k, column)));
      const std::uint64_t scale = scale_pattern(type, order.bits(), largest);
      put_pattern(buffers.scales, batch * order.scales_of_batch() + order.scale(first, column),
                  problem.input, scale);
      for (std::int64_t k = first; k < end; ++k) {
        const double real = weight(batch, k, column);
        const double steps = std::nearbyint(real / value_of(type, scale));
        const double most = order.bias();
        const int integer = static_cast<int>(std::clamp(steps, -most, most - 1));
        integers.put(buffers.integers, before + order.integer(k, column), integer);
        note(conversion, type, real, value_of(type, weight_pattern(type, integer, scale)));
      }
    }
  });
  return conversion;
}

std::vector<std::uint8_t> dense_weights(const GemmProblem& problem,
                                        const WeightBuffers<const std::uint8_t>& buffers) {
  const WeightOrder order(problem);
  const Integers integers(order);
  const ElementType type = type_of(problem.input);
  const bool along_k = problem.layout_b == kernels::Layout::kTransposed;
  std::vector<std::uint8_t> dense(
      place_of(problem.batch * problem.k * problem.n * kernels::element_bytes(problem.input)));
  for (std::int64_t batch = 0; batch < problem.batch; ++batch)
    for (std::int64_t k = 0; k < problem.k; ++k)
      for (std::int64_t column = 0; column < problem.n; ++column) {
        const int integer =
            integers.at(buffers.integers, batch * order.bytes_of_batch() * 8 / order.bits() +
                                              order.integer(k, column));
        const std::uint64_t scale =
            pattern_at(buffers.scales, batch * order.scales_of_batch() + order.scale(k, column),
                       problem.input);
        const std::int64_t inside = along_k ? column * problem.k + k : k * problem.n + column;
        put_pattern(dense, batch * problem.k * problem.n + inside, problem.input,
                    weight_pattern(type, integer, scale));
      }
  return dense;
}

std::optional<std::string> place_not_finite(const Matrix& matrix) {
  const auto bad =
      std::ranges::find_if_not(matrix.values, [](double value) { return std::isfinite(value); });
  if (bad == matrix.values.end()) return std::nullopt;
  return place_text(matrix, bad - matrix.values.begin());
}

}  // namespace tcsim::values
