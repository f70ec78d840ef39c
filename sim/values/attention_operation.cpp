#include "sim/values/attention_operation.hpp"

#include <algorithm>
#include <cmath>

#include "models/numerics/arithmetic.hpp"
#include "sim/values/matrix.hpp"

namespace tcsim::values {
namespace {

using kernels::AttentionAlgorithm;
using kernels::AttentionProblem;
using kernels::Element;

/// INT8 probabilities are multiples of 1/127 of the row's largest.
constexpr double kHalfProbabilityStep = 0.5 / 127;

/// FP8 probabilities are stored 2^8 times as large, as multiples of 2^-9 or more.
constexpr double kFp8HalfStep = 0x1p-10 * 0x1p-8;

/// How far sums of FP8 products by wgmma, in order, deviate from exact ones. An instruction adds
/// its products and the previous sum. Each of these loses what lies below the last bit kept
/// relative to the largest, and so does the result.
class Fp8Sums {
 public:
  Fp8Sums() {
    constexpr auto kE4m3 = numerics::ElementType::kE4m3;
    const auto found = numerics::find_arithmetic({.generation = numerics::Generation::kHopper,
                                                  .kind = numerics::InstructionKind::kWgmma,
                                                  .a = kE4m3,
                                                  .b = kE4m3});
    products_ = found.value().block.products;
    lost_ = (products_ + 2) * std::ldexp(1.0, -found.value().block.grid_fraction_bits);
  }

  /// Error of the sum of all `products`.
  [[nodiscard]] double error(const std::vector<double>& products) const {
    double sum = 0;
    double error = 0;
    for (std::size_t first = 0; first < products.size();
         first += static_cast<std::size_t>(products_)) {
      const std::size_t end =
          std::min(first + static_cast<std::size_t>(products_), products.size());
      double largest = std::abs(sum) + error;
      for (std::size_t i = first; i < end; ++i) {
        largest = std::max(largest, std::abs(products[i]));
        sum += products[i];
      }
      error += lost_ * std::max(largest, std::abs(sum));
    }
    return error;
  }
  /// Error of the sum of `count` products whose magnitudes add up to 1.
  [[nodiscard]] double relative_error(std::int64_t count) const {
    return lost_ * std::ceil(static_cast<double>(count) / products_);
  }

 private:
  int products_ = 0;
  double lost_ = 0;  ///< relative to the largest, per instruction
};

/// A row of a head.
struct RowPlace {
  std::int64_t batch, head, row;
};

class AttentionDefinition {
 public:
  explicit AttentionDefinition(const AttentionProblem& problem)
      : p_(problem),
        result_(kernels::attention_result(problem.element)),
        step_(problem.element == Element::kInt8 ? kernels::kInt8Step : 1),
        is_fused_(problem.algorithm != AttentionAlgorithm::kUnfused),
        is_fp8_(problem.element == Element::kE4m3) {}

  [[nodiscard]] std::vector<TensorShape> inputs() const {
    std::vector<TensorShape> all{shape("Q", p_.queries, p_.heads), shape("K", p_.keys, p_.kv_heads),
                                 shape("V", p_.keys, p_.kv_heads)};
    if (p_.writes_cache) {
      all.push_back(shape("K_new", p_.queries, p_.kv_heads));
      all.push_back(shape("V_new", p_.queries, p_.kv_heads));
    }
    if (p_.has_block_scales) {
      all.push_back({"Q_scales", Element::kFp32, {p_.batch, p_.heads, p_.queries}});
      for (const char* name : {"K_scales", "V_scales"})
        all.push_back({name, Element::kFp32, {p_.batch, p_.kv_heads, kernels::scale_blocks(p_)}});
    }
    if (p_.has_head_scales)
      for (const char* name : {"Q_scales", "K_scales", "V_scales"})
        all.push_back({name, Element::kFp32, {p_.batch, p_.kv_heads}});
    return all;
  }

  [[nodiscard]] std::vector<TensorShape> results() const {
    std::vector<TensorShape> all{shape("O", p_.queries, p_.heads)};
    all.front().element = result_;
    if (is_fused_) all.push_back({"LSE", Element::kFp32, {p_.batch, p_.heads, p_.queries}});
    return all;
  }

  /// Replaces the drawn scales by values from 1/2 to 3/2 of the value that 1 has without scales.
  void derive(TensorElements& inputs) const {
    if (!p_.has_block_scales && !p_.has_head_scales) return;
    for (std::size_t i = kScales; i < inputs.size(); ++i)
      for (double& scale : inputs[i]) scale = step_ * (1 + scale / (2 + 2 * std::abs(scale)));
  }

  void evaluate(const TensorElements& tensors, const ElementVisit& visit) const {
    evaluate_rows(tensors, thinning(rows(), 2 * p_.keys * p_.dim, p_.queries), visit);
  }
  /// One row of every `stride`.
  void evaluate_rows(const TensorElements& tensors, std::int64_t stride,
                     const ElementVisit& visit) const {
    const TensorElements inputs = p_.writes_cache ? with_new_tokens(tensors) : tensors;
    for (std::int64_t i = 0; i < rows(); i += stride)
      row(inputs, {i / p_.queries / p_.heads, i / p_.queries % p_.heads, i % p_.queries}, visit);
  }

 private:
  static constexpr std::size_t kScales = 3;  ///< first input with scales: of Q, K, V

  /// Sums over the visible keys for one element of O.
  struct ElementSums {
    double exact = 0;
    double weight = 0;         ///< probabilities times magnitudes of V
    double largest = 0;        ///< magnitude of V
    double sum_of_values = 0;  ///< magnitudes of V
  };

  [[nodiscard]] std::int64_t rows() const { return p_.batch * p_.heads * p_.queries; }

  /// The value of 1 in a row of Q, and in a key's row of K (`tensor` 1) and V (2).
  [[nodiscard]] double query_scale(const TensorElements& inputs, const RowPlace& at) const {
    if (p_.has_head_scales) return head_scale(inputs, 0, at.batch, kv_head_of(at));
    if (!p_.has_block_scales) return step_;
    const std::int64_t row = (at.batch * p_.heads + at.head) * p_.queries + at.row;
    return inputs[kScales][static_cast<std::size_t>(row)];
  }
  [[nodiscard]] double key_scale(const TensorElements& inputs, std::size_t tensor,
                                 const RowPlace& key) const {
    if (p_.has_head_scales) return head_scale(inputs, tensor, key.batch, key.head);
    if (!p_.has_block_scales) return step_;
    const std::int64_t block = (key.batch * p_.kv_heads + key.head) * kernels::scale_blocks(p_) +
                               key.row / kernels::kScaleKeys;
    return inputs[kScales + tensor][static_cast<std::size_t>(block)];
  }

  [[nodiscard]] double head_scale(const TensorElements& inputs, std::size_t tensor,
                                  std::int64_t batch, std::int64_t kv_head) const {
    return inputs[kScales + tensor][static_cast<std::size_t>(batch * p_.kv_heads + kv_head)];
  }
  [[nodiscard]] std::int64_t kv_head_of(const RowPlace& query) const {
    return query.head / (p_.heads / p_.kv_heads);
  }

  /// Q, K and V after the last tokens of K and V have been written.
  [[nodiscard]] TensorElements with_new_tokens(const TensorElements& tensors) const {
    TensorElements inputs(tensors.begin(), tensors.begin() + 3);
    const std::int64_t row = p_.kv_heads * p_.dim;
    for (const std::size_t cache : {std::size_t{1}, std::size_t{2}})
      for (std::int64_t batch = 0; batch < p_.batch; ++batch)
        std::copy_n(tensors[cache + 2].begin() + batch * p_.queries * row, p_.queries * row,
                    inputs[cache].begin() + ((batch + 1) * p_.keys - p_.queries) * row);
    return inputs;
  }

  [[nodiscard]] TensorShape shape(const char* name, std::int64_t rows, std::int64_t heads) const {
    if (is_fused_) return {name, p_.element, {p_.batch, rows, heads, p_.dim}};
    return {name, p_.element, {p_.batch, heads, rows, p_.dim}};
  }

  /// First element of a row of a tensor of `rows` rows and `heads` heads.
  [[nodiscard]] std::int64_t first(const RowPlace& at, std::int64_t rows,
                                   std::int64_t heads) const {
    if (is_fused_) return ((at.batch * rows + at.row) * heads + at.head) * p_.dim;
    return ((at.batch * heads + at.head) * rows + at.row) * p_.dim;
  }

  void row(const TensorElements& inputs, const RowPlace& at, const ElementVisit& visit) const {
    const std::vector<double>& q = inputs[0];
    const std::vector<double>& k = inputs[1];
    const std::vector<double>& v = inputs[2];
    const std::int64_t kv_head = kv_head_of(at);
    const bool is_causal = p_.causal && p_.queries > 1;
    const std::int64_t visible = is_causal ? at.row + 1 + p_.keys - p_.queries : p_.keys;
    const std::int64_t query = first(at, p_.queries, p_.heads);
    const double query_factor = query_scale(inputs, at) / std::sqrt(static_cast<double>(p_.dim));
    std::vector<double> scores;
    double magnitude = 0;
    double largest_score = 0;
    double sum_error = 0;
    std::vector<double> products(place_of(p_.dim));
    for (std::int64_t key = 0; key < visible; ++key) {
      const RowPlace key_place{at.batch, kv_head, key};
      const std::int64_t from = first(key_place, p_.keys, p_.kv_heads);
      const double scale = query_factor * key_scale(inputs, 1, key_place);
      double sum = 0;
      double sum_of_magnitudes = 0;
      for (std::int64_t i = 0; i < p_.dim; ++i) {
        const double product = q[place_of(query + i)] * k[place_of(from + i)];
        sum += product;
        sum_of_magnitudes += std::abs(product);
        products[place_of(i)] = product;
      }
      if (is_fp8_) sum_error = std::max(sum_error, fp8_sums_.error(products) * scale);
      scores.push_back(sum * scale);
      magnitude = std::max(magnitude, sum_of_magnitudes * scale);
      largest_score = std::max(largest_score, std::abs(scores.back()));
    }
    const double maximum = *std::ranges::max_element(scores);
    double total = 0;
    for (double& score : scores) total += score = std::exp(score - maximum);
    const double score_error = score_error_of(magnitude, largest_score) + sum_error;
    std::vector<ElementSums> sums(place_of(p_.dim));
    for (std::int64_t key = 0; key < visible; ++key) {
      const RowPlace key_place{at.batch, kv_head, key};
      const std::int64_t from = first(key_place, p_.keys, p_.kv_heads);
      const double scale = key_scale(inputs, 2, key_place);
      const double probability = scores[place_of(key)] / total;
      for (std::int64_t i = 0; i < p_.dim; ++i) {
        const double value = scale * v[place_of(from + i)];
        ElementSums& of = sums[place_of(i)];
        of.exact += probability * value;
        of.weight += probability * std::abs(value);
        of.largest = std::max(of.largest, std::abs(value));
        of.sum_of_values += std::abs(value);
      }
    }
    for (std::int64_t i = 0; i < p_.dim; ++i) {
      const auto& [exact, weight, largest, sum_of_values] = sums[place_of(i)];
      const double subnormal = static_cast<double>(visible) * 0x1p-25 * largest / total;
      double allowed = is_fp8_ ? fp8_error(weight, score_error, visible)
                               : (2.5 * unit_roundoff(p_.element) + 2 * score_error) * weight;
      if (p_.element == Element::kFp16) allowed += subnormal;
      if (p_.element == Element::kInt8) allowed += kHalfProbabilityStep * sum_of_values / total;
      if (is_fp8_) allowed += kFp8HalfStep * sum_of_values / total;
      visit(0, query + i, exact, allowed + rounding_to(result_, exact));
    }
    if (!is_fused_) return;
    const double log_sum = maximum + std::log(total);
    visit(1, (at.batch * p_.heads + at.head) * p_.queries + at.row, log_sum,
          score_error + 1e-5 * (1 + std::abs(log_sum)));
  }

  /// Error of an element of O before its rounding: each probability is rounded, and the tensor core
  /// adds up the products with V, whose magnitudes add up to `weight`.
  [[nodiscard]] double fp8_error(double weight, double score_error, std::int64_t visible) const {
    const double rounded = unit_roundoff(p_.element);
    return weight *
           (rounded + (1 + rounded) * (2 * score_error + fp8_sums_.relative_error(visible)));
  }

  /// Absolute error of a score, which is the relative error of its exponential.
  [[nodiscard]] double score_error_of(double magnitude, double largest_score) const {
    constexpr double kTruncated = 0x1p-22;  // a truncated sum
    const auto steps = static_cast<double>(p_.dim);
    double error = kTruncated * (steps * magnitude + 4 * largest_score + 4);
    if (!is_fused_ && p_.element != Element::kInt8) error += unit_roundoff(result_) * largest_score;
    return error;
  }

  AttentionProblem p_;
  Element result_;  ///< element type of O
  double step_;     ///< value of 1 in an input
  bool is_fused_;
  bool is_fp8_;
  Fp8Sums fp8_sums_;
};

}  // namespace

TensorOperation attention_operation(const AttentionProblem& problem) {
  const AttentionDefinition definition(problem);
  TensorOperation operation{definition.inputs(), definition.results(),
                            [definition](const TensorElements& inputs, const ElementVisit& visit) {
                              definition.evaluate(inputs, visit);
                            }};
  operation.derive = [definition](TensorElements& inputs, const functional::Poll&) {
    definition.derive(inputs);
  };
  return operation;
}

void evaluate_all_rows(const AttentionProblem& problem, const TensorElements& inputs,
                       const ElementVisit& visit) {
  AttentionDefinition(problem).evaluate_rows(inputs, 1, visit);
}

}  // namespace tcsim::values
