#include "sim/values/attention_backward_operation.hpp"

#include <cmath>

#include "sim/values/attention_operation.hpp"
#include "sim/values/matrix.hpp"

namespace tcsim::values {
namespace {

using kernels::AttentionProblem;
using kernels::Element;

enum Input { kQ, kK, kV, kO, kLogSums, kOutputGradient };
enum Gradient : std::size_t { kQueryGradient, kKeyGradient, kValueGradient };

constexpr double kTruncatedSum = 0x1p-22;  // a truncated sum, relative to its magnitudes

/// A number and how far the kernels' result may deviate from it.
struct BoundedGradient {
  double exact = 0;
  double error = 0;
};

/// One head of one batch: all products of rows, then sums of gradients.
class HeadGradients {
 public:
  HeadGradients(const AttentionProblem& problem, const TensorElements& inputs, std::int64_t batch,
                std::int64_t head)
      : p_(problem),
        inputs_(inputs),
        batch_(batch),
        head_(head),
        scale_(1 / std::sqrt(static_cast<double>(problem.dim))),
        probabilities_(place_of(problem.queries * problem.keys)),
        gradients_(probabilities_.size()) {
    for (std::int64_t query = 0; query < p_.queries; ++query) weigh(query);
  }

  /// Index of element `i` of a row of `tensor`.
  [[nodiscard]] std::int64_t element(Input tensor, std::int64_t row, std::int64_t i) const {
    const bool of_keys = tensor == kK || tensor == kV;
    const std::int64_t rows = of_keys ? p_.keys : p_.queries;
    const std::int64_t heads = of_keys ? p_.kv_heads : p_.heads;
    const std::int64_t head = of_keys ? head_ / group() : head_;
    return ((batch_ * rows + row) * heads + head) * p_.dim + i;
  }

  /// The head's sums for the three gradients; those of keys are parts of the sum over a group.
  [[nodiscard]] BoundedGradient query_sum(std::int64_t query, std::int64_t i) const {
    return sum(gradients_, {query * p_.keys, 1, p_.keys}, kK, i);
  }
  [[nodiscard]] BoundedGradient key_sum(std::int64_t key, std::int64_t i) const {
    return sum(gradients_, {key, p_.keys, p_.queries}, kQ, i);
  }
  [[nodiscard]] BoundedGradient value_sum(std::int64_t key, std::int64_t i) const {
    return sum(probabilities_, {key, p_.keys, p_.queries}, kOutputGradient, i);
  }

 private:
  [[nodiscard]] std::int64_t group() const { return p_.heads / p_.kv_heads; }

  /// Row `a` of tensor `first` times row `b` of `second`, with FP32's error.
  [[nodiscard]] BoundedGradient product(Input first, std::int64_t a, Input second,
                                        std::int64_t b) const {
    BoundedGradient result;
    for (std::int64_t i = 0; i < p_.dim; ++i) {
      const double term = inputs_[first][place_of(element(first, a, i))] *
                          inputs_[second][place_of(element(second, b, i))];
      result.exact += term;
      result.error += std::abs(term);
    }
    result.error *= kTruncatedSum * static_cast<double>(p_.dim);
    return result;
  }

  /// Probabilities of one query and the gradients of its scores, in the form that the MMAs read.
  void weigh(std::int64_t query) {
    const double log_sum =
        inputs_[kLogSums][place_of((batch_ * p_.heads + head_) * p_.queries + query)];
    const BoundedGradient delta = product(kO, query, kOutputGradient, query);
    const double unit = unit_roundoff(p_.element);
    const double smallest = rounding_to(p_.element, 0);
    const std::int64_t visible = p_.causal ? query + 1 : p_.keys;
    for (std::int64_t key = 0; key < visible; ++key) {
      const BoundedGradient score = product(kQ, query, kK, key);
      const double exponent = score.exact * scale_ - log_sum;
      const double probability = std::exp(exponent);
      const double relative =
          1.01 * (score.error * scale_ +
                  kTruncatedSum * (4 + 4 * std::abs(score.exact * scale_) + 4 * std::abs(log_sum)));
      const BoundedGradient weight = product(kOutputGradient, query, kV, key);
      const double gradient = probability * (weight.exact - delta.exact);
      const double error = probability * (1 + relative) *
                               (weight.error + delta.error +
                                kTruncatedSum * (std::abs(weight.exact) + std::abs(delta.exact))) +
                           relative * std::abs(gradient);
      probabilities_[place_of(query * p_.keys + key)] = {
          probability, (relative + unit) * probability * (1 + relative) + smallest};
      gradients_[place_of(query * p_.keys + key)] = {
          gradient, error + unit * (std::abs(gradient) + error) + smallest};
    }
  }

  /// Weights first, first + step, ...
  struct Walk {
    std::int64_t first, step, count;
  };

  /// The weights times column `i` of the rows of `other`; the chain is as long as that of a group.
  [[nodiscard]] BoundedGradient sum(const std::vector<BoundedGradient>& weights, const Walk& walk,
                                    Input other, std::int64_t i) const {
    BoundedGradient result;
    double magnitude = 0;
    for (std::int64_t row = 0; row < walk.count; ++row) {
      const BoundedGradient& weight = weights[place_of(walk.first + row * walk.step)];
      const double value = inputs_[other][place_of(element(other, row, i))];
      result.exact += weight.exact * value;
      result.error += weight.error * std::abs(value);
      magnitude += (std::abs(weight.exact) + weight.error) * std::abs(value);
    }
    result.error += kTruncatedSum * static_cast<double>(walk.count * group()) * magnitude;
    return result;
  }

  const AttentionProblem& p_;
  const TensorElements& inputs_;
  std::int64_t batch_, head_;
  double scale_;
  std::vector<BoundedGradient> probabilities_;  ///< [query][key], zero where hidden
  /// gradients of the scores, [query][key], zero where hidden
  std::vector<BoundedGradient> gradients_;
};

/// The heads that share one head of K and V.
class GroupGradients {
 public:
  GroupGradients(const AttentionProblem& problem, const TensorElements& inputs, std::int64_t batch,
                 std::int64_t kv_head)
      : p_(problem), scale_(1 / std::sqrt(static_cast<double>(problem.dim))) {
    const std::int64_t group = problem.heads / problem.kv_heads;
    for (std::int64_t i = 0; i < group; ++i)
      heads_.emplace_back(problem, inputs, batch, kv_head * group + i);
  }

  void visit(const ElementVisit& visit) const {
    for (const HeadGradients& head : heads_)
      for (std::int64_t query = 0; query < p_.queries; ++query)
        for (std::int64_t i = 0; i < p_.dim; ++i)
          emit(visit, kQueryGradient, head.element(kQ, query, i), scale_, head.query_sum(query, i));
    for (std::int64_t key = 0; key < p_.keys; ++key)
      for (std::int64_t i = 0; i < p_.dim; ++i) {
        BoundedGradient of_key;
        BoundedGradient of_value;
        for (const HeadGradients& head : heads_) {
          add(of_key, head.key_sum(key, i));
          add(of_value, head.value_sum(key, i));
        }
        emit(visit, kKeyGradient, heads_.front().element(kK, key, i), scale_, of_key);
        emit(visit, kValueGradient, heads_.front().element(kV, key, i), 1, of_value);
      }
  }

 private:
  static void add(BoundedGradient& sum, const BoundedGradient& part) {
    sum.exact += part.exact;
    sum.error += part.error;
  }

  void emit(const ElementVisit& visit, Gradient gradient, std::int64_t index, double factor,
            const BoundedGradient& sum) const {
    const double exact = sum.exact * factor;
    const double error = sum.error * factor + kTruncatedSum * std::abs(exact);
    visit(gradient, index, exact, error + 1.01 * rounding_to(p_.element, std::abs(exact) + error));
  }

  const AttentionProblem& p_;
  double scale_;
  std::vector<HeadGradients> heads_;
};

/// O and LSE from Q, K and V by `forward`, all of them: every gradient depends on its row.
void run_forward(const AttentionProblem& forward, TensorElements& inputs,
                 const functional::Poll& poll) {
  evaluate_all_rows(forward, {inputs[kQ], inputs[kK], inputs[kV]},
                    [&](std::size_t result, std::int64_t index, double exact, double) {
                      if (result == 1) poll();
                      inputs[result == 0 ? kO : kLogSums][place_of(index)] = exact;
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
  operation.derive = [forward_problem](TensorElements& inputs, const functional::Poll& poll) {
    run_forward(forward_problem, inputs, poll);
  };
  operation.evaluate = [problem](const TensorElements& inputs, const ElementVisit& visit) {
    const std::int64_t groups = problem.batch * problem.kv_heads;
    const std::int64_t work =
        7 * problem.queries * problem.keys * problem.dim * (problem.heads / problem.kv_heads);
    const std::int64_t stride = thinning(groups, work, problem.kv_heads);
    for (std::int64_t i = 0; i < groups; i += stride)
      GroupGradients(problem, inputs, i / problem.kv_heads, i % problem.kv_heads).visit(visit);
  };
  return operation;
}

}  // namespace tcsim::values
