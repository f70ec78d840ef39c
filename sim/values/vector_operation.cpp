#include "sim/values/vector_operation.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

#include "models/numerics/convert.hpp"
#include "sim/values/activation.hpp"

namespace tcsim::values {
namespace {

using kernels::VectorOperands;
using kernels::VectorOperation;
using kernels::VectorProblem;
using Row = std::span<const double>;

constexpr double kEpsilon = 1e-5;  // epsilon of the norms (vector.hpp)
constexpr double kSteps = 16;      // steps of INT8 per 1

double largest_magnitude(Row row) {
  double largest = 0;
  for (const double value : row) largest = std::max(largest, std::abs(value));
  return largest;
}

/// First a row's statistics, then element by element.
struct RowFactors {
  double centre = 0;
  double factor = 1;
};

RowFactors factors_of(VectorOperation operation, Row x) {
  const auto count = static_cast<double>(x.size());
  double sum = 0;
  if (operation == VectorOperation::kSoftmax) {
    const double largest = *std::ranges::max_element(x);
    for (const double value : x) sum += std::exp(value - largest);
    return {largest, 1 / sum};
  }
  double centre = 0;
  if (operation == VectorOperation::kLayerNorm) {
    for (const double value : x) centre += value / count;
  }
  for (const double value : x) sum += (value - centre) * (value - centre);
  return {centre, 1 / std::sqrt(sum / count + kEpsilon)};
}

/// The nearest E4M3 number.
double e4m3_of(double x) {
  using numerics::ElementType;
  return numerics::value_as_double(
      ElementType::kE4m3,
      numerics::convert_saturating(ElementType::kFp64, std::bit_cast<std::uint64_t>(x),
                                   ElementType::kE4m3));
}

class VectorDefinition {
 public:
  explicit VectorDefinition(const VectorProblem& problem)
      : p_(problem), traits_(kernels::vector_traits(problem.operation)) {}

  [[nodiscard]] std::vector<TensorShape> inputs() const {
    const std::int64_t columns =
        traits_.operands == VectorOperands::kHalvesOfX ? 2 * p_.cols : p_.cols;
    std::vector<TensorShape> all{{"X", traits_.input.value_or(p_.element), {p_.rows, columns}}};
    if (traits_.operands == VectorOperands::kXAndY)
      all.push_back({"Y", p_.element, {p_.rows, p_.cols}});
    if (traits_.has_gamma()) all.push_back({"G", p_.element, {p_.cols}});
    if (traits_.has_beta()) all.push_back({"B", p_.element, {p_.cols}});
    return all;
  }

  [[nodiscard]] TensorShape result() const {
    return {"D", traits_.output.value_or(p_.element), {p_.rows, p_.cols}};
  }

  void evaluate(const TensorElements& inputs, const ElementVisit& visit) const {
    const auto columns =
        static_cast<std::size_t>(inputs[0].size()) / static_cast<std::size_t>(p_.rows);
    for (std::int64_t r = 0; r < p_.rows; ++r) {
      const Row x = Row(inputs[0]).subspan(static_cast<std::size_t>(r) * columns, columns);
      const RowFactors factors = traits_.sums_rows ? factors_of(p_.operation, x) : RowFactors{};
      const double scale =
          1 + largest_magnitude(x) * (traits_.has_parameters() ? factors.factor : 1);
      for (std::int64_t c = 0; c < p_.cols; ++c) {
        const double other = second(inputs, x, r, c);
        const double third = inputs.size() > 2 ? inputs[2][static_cast<std::size_t>(c)] : 0;
        const double exact = element(x[static_cast<std::size_t>(c)], other, third, factors);
        visit(0, r * p_.cols + c, exact, allowed(exact, scale * (1 + std::abs(other))));
      }
    }
  }

 private:
  /// The second operand for column `c`: from Y, from gamma or beta, or from the second half of the
  /// row.
  [[nodiscard]] double second(const TensorElements& inputs, Row x, std::int64_t r,
                              std::int64_t c) const {
    const auto column = static_cast<std::size_t>(c);
    if (traits_.operands == VectorOperands::kHalvesOfX)
      return x[column + static_cast<std::size_t>(p_.cols)];
    if (inputs.size() < 2) return 0;
    return inputs[1][traits_.has_parameters() ? column : static_cast<std::size_t>(r * p_.cols + c)];
  }

  [[nodiscard]] double element(double x, double other, double third,
                               const RowFactors& factors) const {
    switch (p_.operation) {
      case VectorOperation::kSoftmax:
        return std::exp(x - factors.centre) * factors.factor;
      case VectorOperation::kLayerNorm:
      case VectorOperation::kRmsNorm:
        return (x - factors.centre) * factors.factor * other + third;
      case VectorOperation::kGelu:
        return gelu(x);
      case VectorOperation::kSilu:
        return silu(x);
      case VectorOperation::kSiluAndMul:
        return silu(x) * other;
      case VectorOperation::kTanh:
        return std::tanh(x);
      case VectorOperation::kSigmoid:
        return 1 / (1 + std::exp(-x));
      case VectorOperation::kScaleBias:
        return x * other + third;
      case VectorOperation::kAdd:
      case VectorOperation::kBias:
        return x + other;
      case VectorOperation::kQuantize:
        return std::nearbyint(std::clamp(x * kSteps, -128.0, 127.0));
      case VectorOperation::kQuantizeE4m3:
        return e4m3_of(x * kSteps);
      case VectorOperation::kDequantize:
        return x / kSteps;
      case VectorOperation::kRelu:
        return std::max(x, 0.0);
      case VectorOperation::kMultiply:
        return x * other;
      case VectorOperation::kAddRelu:
        return std::max(x + other, 0.0);
      case VectorOperation::kCopy:
      case VectorOperation::kToFp32:
      case VectorOperation::kFromFp32:
        return x;
    }
    return 0;
  }

  [[nodiscard]] double allowed(double exact, double scale) const {
    if (p_.operation == VectorOperation::kQuantize ||
        p_.operation == VectorOperation::kQuantizeE4m3)
      return 0;
    return 1.1 * unit_roundoff(p_.element) * std::abs(exact) + rounding_to(p_.element, 0) +
           0x1p-17 * scale;
  }

  VectorProblem p_;
  kernels::VectorTraits traits_;
};

}  // namespace

TensorOperation vector_operation(const VectorProblem& problem) {
  const VectorDefinition definition(problem);
  return {definition.inputs(),
          {definition.result()},
          [definition](const TensorElements& inputs, const ElementVisit& visit) {
            definition.evaluate(inputs, visit);
          }};
}

}  // namespace tcsim::values
