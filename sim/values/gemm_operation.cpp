#include "sim/values/gemm_operation.hpp"

#include <algorithm>
#include <cmath>

#include "models/isa/cycle.hpp"
#include "sim/values/activation.hpp"
#include "sim/values/exact_sum.hpp"
#include "sim/values/matrix.hpp"
#include "sim/values/operand_store.hpp"
#include "sim/values/packed_weights.hpp"
#include "sim/values/row_blocks.hpp"

namespace tcsim::values {
namespace {

using kernels::Activation;
using kernels::Element;
using kernels::GemmProblem;
using kernels::Layout;

double activated(Activation activation, double x) {
  switch (activation) {
    case Activation::kNone:
      return x;
    case Activation::kRelu:
      return std::max(x, 0.0);
    case Activation::kGelu:
      return gelu(x);
    case Activation::kSilu:
      return silu(x);
  }
  return x;
}

constexpr std::size_t kInputB = 1;

/// Quantises B, n x k, and writes its integers and scales.
WrittenTensor packed_b(const GemmProblem& problem, const std::vector<double>& elements,
                       functional::GlobalMemory& memory) {
  Matrix b{problem.batch, problem.k, problem.n, {}};
  b.values.reserve(elements.size());
  for (std::int64_t batch = 0; batch < problem.batch; ++batch)
    for (std::int64_t k = 0; k < problem.k; ++k)
      for (std::int64_t n = 0; n < problem.n; ++n)
        b.values.push_back(elements[place_of((batch * problem.n + n) * problem.k + k)]);
  const Conversion conversion =
      store_weights(b, problem, {memory.buffer("B"), memory.buffer("scale_b")});
  const auto dense = dense_weights(problem, {memory.buffer("B"), memory.buffer("scale_b")});
  const Placement as_it_lies{problem.input, /*row_major=*/true};
  return {conversion, load(dense, as_it_lies, 1, 1, std::ssize(elements)).values};
}

class ProductDefinition {
 public:
  ProductDefinition(const GemmProblem& problem, int slices)
      : p_(problem), matrices_(matrices_of_rows(problem)), slices_(slices) {}

  [[nodiscard]] std::vector<TensorShape> inputs() const {
    const bool a_along_k = p_.layout_a == Layout::kNormal;
    const bool b_along_k = p_.layout_b == Layout::kTransposed;
    std::vector<TensorShape> all{
        matrix("A", p_.input, p_.batch, a_along_k ? p_.m : p_.k, a_along_k ? p_.k : p_.m),
        matrix("B", p_.input, p_.matrices_b(), b_along_k ? p_.n : p_.k, b_along_k ? p_.k : p_.n)};
    if (p_.block_scales) {
      all.push_back({"scale_a", Element::kFp32, {p_.batch, blocks_of(p_.k), p_.factor_rows()}});
      all.push_back(
          {"scale_b", Element::kFp32, {p_.matrices_b(), blocks_of(p_.n), blocks_of(p_.k)}});
    }
    if (p_.epilogue.scale) all.push_back({"scale", Element::kFp32, {p_.matrices_b(), p_.n}});
    if (p_.epilogue.bias) all.push_back({"bias", Element::kFp32, {p_.matrices_b(), p_.n}});
    if (p_.epilogue.residual) all.push_back(matrix("C", p_.output, p_.batch, p_.m, p_.n));
    return all;
  }

  [[nodiscard]] TensorShape result() const { return matrix("D", p_.output, p_.batch, p_.m, p_.n); }

  /// False for rows that masks exclude.
  [[nodiscard]] bool has(std::int64_t index) const {
    return matrices_[place_of(index / p_.n)] != kUndefined;
  }

  void evaluate(const TensorElements& inputs, const ElementVisit& visit) const {
    const std::int64_t elements = p_.batch * p_.m * p_.n;
    const std::int64_t stride = thinning(elements, p_.k, p_.n);
    for (std::int64_t i = 0; i < elements; i += stride) element(inputs, i, visit);
  }

 private:
  [[nodiscard]] TensorShape matrix(const char* name, Element element, std::int64_t count,
                                   std::int64_t rows, std::int64_t columns) const {
    if (count == 1) return {name, element, {rows, columns}};
    return {name, element, {count, rows, columns}};
  }

  static std::int64_t blocks_of(std::int64_t elements) {
    return ceil_div(elements, kernels::kScaledBlock);
  }
  /// Product of the block scales of A and B; 1 without them.
  [[nodiscard]] double factor(const TensorElements& inputs, std::int64_t batch,
                              std::int64_t matrix_b, std::int64_t m, std::int64_t n,
                              std::int64_t k) const {
    if (!p_.block_scales) return 1;
    const std::int64_t blocks = blocks_of(p_.k);
    const std::int64_t block = k / kernels::kScaledBlock;
    const double a = inputs[2][place_of((batch * blocks + block) * p_.factor_rows() + m)];
    const double b =
        inputs[3]
              [place_of((matrix_b * blocks_of(p_.n) + n / kernels::kScaledBlock) * blocks + block)];
    return a * b;
  }

  void element(const TensorElements& inputs, std::int64_t index, const ElementVisit& visit) const {
    const std::int64_t n = index % p_.n;
    const std::int64_t m = index / p_.n % p_.m;
    const std::int64_t batch = index / p_.n / p_.m;
    const std::int64_t matrix_b = matrices_[place_of(index / p_.n)];
    if (!has(index)) return;
    ExactSum sum;
    double magnitude = 0;
    const double* next_a = &inputs[0][place_of(element_of_a(p_, batch, m, 0))];
    const double* next_b = &inputs[1][place_of(element_of_b(p_, matrix_b, 0, n))];
    const std::int64_t step_a = p_.layout_a == Layout::kNormal ? 1 : p_.m;
    const std::int64_t step_b = p_.layout_b == Layout::kNormal ? p_.n : 1;
    for (std::int64_t k = 0; k < p_.k; ++k, next_a += step_a, next_b += step_b) {
      const double a = *next_a * factor(inputs, batch, matrix_b, m, n, k);
      const double b = *next_b;
      sum.add_product(a, b);
      magnitude += std::abs(a * b);
    }
    double allowed = error_of(magnitude);
    allowed += 1.01 * (slices_ - 1) * rounding_to(p_.output, magnitude + allowed);
    double value = sum.value();
    double largest = std::abs(value);
    std::size_t next = p_.block_scales ? 4 : 2;
    if (p_.epilogue.scale) {
      const double factor = inputs[next++][place_of(matrix_b * p_.n + n)];
      value *= factor;
      allowed *= std::abs(factor);
    }
    const auto add = [&](double term) {
      value += term;
      largest = std::max({largest, std::abs(term), std::abs(value)});
    };
    if (p_.epilogue.bias) add(inputs[next++][place_of(matrix_b * p_.n + n)]);
    if (p_.epilogue.residual) add(inputs[next][place_of(index)]);
    constexpr double kSteepest = 1.13;  // slope of GELU; the others are less steep
    allowed = kSteepest * allowed + arithmetic_error(largest);
    const StoredNumber stored =
        stored_number(p_.output, activated(p_.epilogue.activation, value), allowed);
    visit(0, index, stored.exact, stored.allowed);
  }

  /// Error of a whole sum whose magnitudes add up to `magnitude`. FP8 sums keep 13 fraction bits
  /// from one product of the tensor cores to the next, each with 32 of k (numerics.md).
  [[nodiscard]] double error_of(double magnitude) const {
    const double error = sum_error(p_.accumulate, magnitude, static_cast<double>(p_.k + 1));
    if (!kernels::is_fp8(p_.input)) return error;
    constexpr double kFp8 = 0x1p-13;
    constexpr int kFp8Depth = 32;
    const std::int64_t passes = p_.k / kFp8Depth + 2;
    return std::max(error, 2 * kFp8 * static_cast<double>(passes) * magnitude);
  }

  /// Error of the FP32 arithmetic after the sum, for numbers up to `largest`.
  [[nodiscard]] double arithmetic_error(double largest) const {
    if (!p_.epilogue.changes_values()) return 0;
    return p_.epilogue.activation > Activation::kRelu ? 0x1p-17 * (1 + largest) : 0x1p-22 * largest;
  }

  GemmProblem p_;
  std::vector<std::int64_t> matrices_;  ///< matrix of B for each row of D
  int slices_;                          ///< whose sums are added in D, one after another
};

}  // namespace

TensorOperation gemm_operation(const GemmProblem& problem, int slices) {
  const ProductDefinition definition(problem, slices);
  TensorOperation operation{
      .inputs = definition.inputs(),
      .results = {definition.result()},
      .evaluate = [definition](const TensorElements& inputs,
                               const ElementVisit& visit) { definition.evaluate(inputs, visit); },
      .defines = [definition](std::size_t, std::int64_t index) { return definition.has(index); }};
  if (problem.weights.are_packed())
    operation.write = [problem](std::size_t input, const std::vector<double>& elements,
                                functional::GlobalMemory& memory) -> std::optional<WrittenTensor> {
      if (input != kInputB) return std::nullopt;
      return packed_b(problem, elements, memory);
    };
  return operation;
}

}  // namespace tcsim::values
