#include "sim/values/attention_backward_operation.hpp"

#include <algorithm>
#include <cmath>

#include "sim/values/attention_operation.hpp"

namespace tcsim::values {
namespace {

using kernels::AttentionProblem;
using kernels::Element;

enum Input { kQ, kK, kV, kO, kLogSums, kOutputGradient };
enum Gradient : std::size_t { kQueryGradient, kKeyGradient, kValueGradient };

constexpr double kFp32 = 0x1p-22;  // a truncated sum, relative to its magnitudes

/// A number and how far the kernels may be from it.
struct Bounded {
  double exact = 0;
  double error = 0;
};

std::size_t place(std::int64_t index) { return static_cast<std::size_t>(index); }

/// One head of one batch: all products of rows, then the gradients.
class HeadGradients {
 public:
  HeadGradients(const AttentionProblem& problem, const TensorElements& inputs, std::int64_t batch,
                std::int64_t head)
      : p_(problem),
        inputs_(inputs),
        batch_(batch),
        head_(head),
        scale_(1 / std::sqrt(static_cast<double>(problem.dim))),
        probabilities_(place(problem.queries * problem.keys)),
        gradients_(probabilities_.size()) {
    for (std::int64_t query = 0; query < p_.queries; ++query) weigh(query);
  }

  void visit(const ElementVisit& visit) const {
    for (std::int64_t query = 0; query < p_.queries; ++query)
      for (std::int64_t i = 0; i < p_.dim; ++i)
        emit(visit, kQueryGradient, element(query, p_.queries, i), scale_,
             sum(gradients_, query * p_.keys, 1, p_.keys, kK, i));
    for (std::int64_t key = 0; key < p_.keys; ++key)
      for (std::int64_t i = 0; i < p_.dim; ++i) {
        emit(visit, kKeyGradient, element(key, p_.keys, i), scale_,
             sum(gradients_, key, p_.keys, p_.queries, kQ, i));
        emit(visit, kValueGradient, element(key, p_.keys, i), 1,
             sum(probabilities_, key, p_.keys, p_.queries, kOutputGradient, i));
      }
  }

 private:
  [[nodiscard]] std::int64_t element(std::int64_t row, std::int64_t rows, std::int64_t i) const {
    return ((batch_ * rows + row) * p_.heads + head_) * p_.dim + i;
  }

  /// Row `a` of tensor `first` times row `b` of `second`; the error is FP32's.
  [[nodiscard]] Bounded product(Input first, std::int64_t a, std::int64_t rows_a, Input second,
                                std::int64_t b, std::int64_t rows_b) const {
    Bounded result;
    for (std::int64_t i = 0; i < p_.dim; ++i) {
      const double term = inputs_[first][place(element(a, rows_a, i))] *
                          inputs_[second][place(element(b, rows_b, i))];
      result.exact += term;
      result.error += std::abs(term);
    }
    result.error *= kFp32 * static_cast<double>(p_.dim);
    return result;
  }

  /// Probabilities of one query and the gradients of its scores, as the MMAs take them.
  void weigh(std::int64_t query) {
    const double log_sum =
        inputs_[kLogSums][place((batch_ * p_.heads + head_) * p_.queries + query)];
    const Bounded delta = product(kO, query, p_.queries, kOutputGradient, query, p_.queries);
    const double unit = unit_roundoff(p_.element);
    const double smallest = rounding_to(p_.element, 0);
    const std::int64_t visible = p_.causal ? query + 1 : p_.keys;
    for (std::int64_t key = 0; key < visible; ++key) {
      const Bounded score = product(kQ, query, p_.queries, kK, key, p_.keys);
      const double exponent = score.exact * scale_ - log_sum;
      const double probability = std::exp(exponent);
      const double relative =
          1.01 * (score.error * scale_ +
                  kFp32 * (4 + 4 * std::abs(score.exact * scale_) + 4 * std::abs(log_sum)));
      const Bounded weight = product(kOutputGradient, query, p_.queries, kV, key, p_.keys);
      const double gradient = probability * (weight.exact - delta.exact);
      const double error = probability * (1 + relative) *
                               (weight.error + delta.error +
                                kFp32 * (std::abs(weight.exact) + std::abs(delta.exact))) +
                           relative * std::abs(gradient);
      probabilities_[place(query * p_.keys + key)] = {
          probability, (relative + unit) * probability * (1 + relative) + smallest};
      gradients_[place(query * p_.keys + key)] = {
          gradient, error + unit * (std::abs(gradient) + error) + smallest};
    }
  }

  /// Weights first, first + step, ... times column `i` of the rows of `other`.
  [[nodiscard]] Bounded sum(const std::vector<Bounded>& weights, std::int64_t first,
                            std::int64_t step, std::int64_t count, Input other,
                            std::int64_t i) const {
    Bounded result;
    double magnitude = 0;
    for (std::int64_t row = 0; row < count; ++row) {
      const Bounded& weight = weights[place(first + row * step)];
      const double value = inputs_[other][place(element(row, count, i))];
      result.exact += weight.exact * value;
      result.error += weight.error * std::abs(value);
      magnitude += (std::abs(weight.exact) + weight.error) * std::abs(value);
    }
    result.error += kFp32 * static_cast<double>(count) * magnitude;
    return result;
  }

  void emit(const ElementVisit& visit, Gradient gradient, std::int64_t index, double factor,
            const Bounded& sum) const {
    const double exact = sum.exact * factor;
    const double error = sum.error * factor + kFp32 * std::abs(exact);
    visit(gradient, index, exact, error + 1.01 * rounding_to(p_.element, std::abs(exact) + error));
  }

  const AttentionProblem& p_;
  const TensorElements& inputs_;
  std::int64_t batch_, head_;
  double scale_;
  std::vector<Bounded> probabilities_;  ///< [query][key], zero where hidden
  std::vector<Bounded> gradients_;      ///< of the scores, likewise
};

/// O and LSE from Q, K and V.
void run_forward(const TensorOperation& forward, TensorElements& inputs) {
  forward.evaluate({inputs[kQ], inputs[kK], inputs[kV]},
                   [&](std::size_t result, std::int64_t index, double exact, double) {
                     inputs[result == 0 ? kO : kLogSums][place(index)] = exact;
                   });
}

}  // namespace

TensorOperation attention_backward_operation(const AttentionProblem& problem) {
  AttentionProblem forward_problem = problem;
  forward_problem.pass = kernels::AttentionPass::kForward;
  const TensorOperation forward = attention_operation(forward_problem);
  const auto like = [](TensorShape shape, const char* name) {
    shape.name = name;
    return shape;
  };
  const TensorShape& q = forward.inputs[kQ];
  const TensorShape& k = forward.inputs[kK];
  TensorOperation operation;
  operation.inputs = {
      q, k, forward.inputs[kV], forward.results[0], forward.results[1], like(q, "dO")};
  operation.results = {like(q, "dQ"), like(k, "dK"), like(k, "dV")};
  operation.derive = [forward](TensorElements& inputs) { run_forward(forward, inputs); };
  operation.evaluate = [problem](const TensorElements& inputs, const ElementVisit& visit) {
    const std::int64_t heads = problem.batch * problem.heads;
    const std::int64_t stride =
        thinning(heads, 7 * problem.queries * problem.keys * problem.dim, problem.heads);
    for (std::int64_t i = 0; i < heads; i += stride)
      HeadGradients(problem, inputs, i / problem.heads, i % problem.heads).visit(visit);
  };
  return operation;
}

}  // namespace tcsim::values
