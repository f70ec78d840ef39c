#include "tests/functional/attention_values.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "models/functional/execute.hpp"
#include "models/isa/launch.hpp"
#include "models/numerics/convert.hpp"
#include "sim/values/element.hpp"
#include "sim/values/operand_store.hpp"

namespace tcsim::functional::testing {
namespace {

using kernels::AttentionAlgorithm;
using kernels::AttentionProblem;
using kernels::Element;

/// What 1 in Q, K and V stands for.
double step_of(const AttentionProblem& p) {
  return p.element == Element::kInt8 ? kernels::kInt8Step : 1;
}

/// First element of a row of Q or O.
std::int64_t query_element(const AttentionProblem& p, std::int64_t batch, std::int64_t head,
                           std::int64_t query) {
  if (p.algorithm == AttentionAlgorithm::kUnfused)
    return ((batch * p.heads + head) * p.queries + query) * p.dim;
  return ((batch * p.queries + query) * p.heads + head) * p.dim;
}

/// One row of the definition.
class ScoreRow {
 public:
  ScoreRow(const AttentionProblem& p, const std::vector<double>& q, const std::vector<double>& k,
           std::int64_t batch, std::int64_t head, std::int64_t query)
      : p_(p), batch_(batch), kv_head_(head / (p.heads / p.kv_heads)) {
    const std::int64_t visible = p.causal ? query + 1 + p.keys - p.queries : p.keys;
    const double* row = &q[at(query_element(p, batch, head, query))];
    for (std::int64_t key = 0; key < visible; ++key) {
      double sum = 0;
      for (std::int64_t i = 0; i < p.dim; ++i) sum += row[i] * k[key_element(key) + at(i)];
      scores_.push_back(sum * step_of(p) * step_of(p) / std::sqrt(static_cast<double>(p.dim)));
    }
    const double largest = *std::ranges::max_element(scores_);
    for (const double score : scores_) largest_score_ = std::max(largest_score_, std::fabs(score));
    double total = 0;
    for (double& score : scores_) total += score = std::exp(score - largest);
    for (double& score : scores_) score /= total;
    largest_probability_ = 1 / total;
    log_sum_ = largest + std::log(total);
  }

  [[nodiscard]] double log_sum() const { return log_sum_; }
  [[nodiscard]] double largest_score() const { return largest_score_; }
  [[nodiscard]] double largest_probability() const { return largest_probability_; }
  /// Sum of |v| over visible keys.
  [[nodiscard]] double values_of(const std::vector<double>& v, std::int64_t column) const {
    double sum = 0;
    for (std::size_t key = 0; key < scores_.size(); ++key)
      sum += std::fabs(v[key_element(static_cast<std::int64_t>(key)) + at(column)]);
    return sum;
  }
  template <typename Function>
  [[nodiscard]] double weighted(const std::vector<double>& v, std::int64_t column,
                                Function function) const {
    double sum = 0;
    for (std::size_t key = 0; key < scores_.size(); ++key)
      sum += scores_[key] * function(v[key_element(static_cast<std::int64_t>(key)) + at(column)]);
    return sum;
  }

 private:
  static std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }
  [[nodiscard]] std::size_t key_element(std::int64_t key) const {
    if (p_.algorithm == AttentionAlgorithm::kUnfused)
      return at(((batch_ * p_.kv_heads + kv_head_) * p_.keys + key) * p_.dim);
    return at(((batch_ * p_.keys + key) * p_.kv_heads + kv_head_) * p_.dim);
  }

  const AttentionProblem& p_;
  std::int64_t batch_;
  std::int64_t kv_head_;
  std::vector<double> scores_;
  double log_sum_ = 0;
  double largest_score_ = 0;
  double largest_probability_ = 0;
};

/// The places of a sequence's new tokens in the cache.
std::span<std::uint8_t> new_tokens(const AttentionProblem& p, std::span<std::uint8_t> cache,
                                   std::int64_t batch) {
  const std::int64_t row = 2 * p.kv_heads * p.dim;
  return cache.subspan(static_cast<std::size_t>(((batch + 1) * p.keys - p.queries) * row),
                       static_cast<std::size_t>(p.queries * row));
}

/// What the launch has to write is not a number before.
void hide_new_tokens(const AttentionProblem& p, GlobalMemory& memory) {
  for (const char* name : {"K", "V"})
    for (std::int64_t batch = 0; batch < p.batch; ++batch)
      std::ranges::fill(new_tokens(p, memory.buffer(name), batch), 0xff);
}

void expect_new_tokens(const AttentionProblem& p, GlobalMemory& memory) {
  for (const std::string name : {"K", "V"})
    for (std::int64_t batch = 0; batch < p.batch; ++batch) {
      const auto found = new_tokens(p, memory.buffer(name), batch);
      const auto want = memory.buffer(name + "_new").subspan(batch * found.size(), found.size());
      EXPECT_TRUE(std::ranges::equal(found, want)) << name << " of sequence " << batch;
    }
}

}  // namespace

std::vector<double> elements_of(std::span<const std::uint8_t> buffer, Element element) {
  std::vector<double> values;
  const auto count = std::ssize(buffer) / kernels::element_bytes(element);
  for (std::int64_t i = 0; i < count; ++i)
    values.push_back(
        values::value_of(values::type_of(element), values::pattern_at(buffer, i, element)));
  return values;
}

void fill_normal(std::span<std::uint8_t> buffer, Element element, unsigned seed, double deviation) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, deviation);
  values::Matrix matrix{1, 1, std::ssize(buffer) / kernels::element_bytes(element), {}};
  for (std::int64_t i = 0; i < matrix.columns; ++i) matrix.values.push_back(normal(random));
  values::store(matrix, {element, true}, buffer);
}

AttentionReference attention_reference(const AttentionProblem& p, const GlobalMemory& memory) {
  const auto q = elements_of(memory.buffer("Q"), p.element);
  const auto k = elements_of(memory.buffer("K"), p.element);
  auto v = elements_of(memory.buffer("V"), p.element);
  for (double& value : v) value *= step_of(p);
  AttentionReference reference;
  const auto size = static_cast<std::size_t>(p.batch * p.queries * p.heads * p.dim);
  reference.output.resize(size);
  reference.magnitude.resize(size);
  reference.quantised.resize(size);
  for (std::int64_t batch = 0; batch < p.batch; ++batch)
    for (std::int64_t head = 0; head < p.heads; ++head)
      for (std::int64_t query = 0; query < p.queries; ++query) {
        const ScoreRow row(p, q, k, batch, head, query);
        reference.log_sum.push_back(row.log_sum());
        reference.largest_score = std::max(reference.largest_score, row.largest_score());
        for (std::int64_t i = 0; i < p.dim; ++i) {
          const auto at = static_cast<std::size_t>(query_element(p, batch, head, query) + i);
          reference.output[at] = row.weighted(v, i, [](double x) { return x; });
          reference.magnitude[at] = row.weighted(v, i, [](double x) { return std::fabs(x); });
          reference.quantised[at] = row.values_of(v, i) * row.largest_probability() / 127;
        }
      }
  return reference;
}

void expect_attention(const AttentionProblem& p, const kernels::Target& target) {
  const auto stream = kernels::make_attention(p, target);
  SCOPED_TRACE(stream.front().name + " b=" + std::to_string(p.batch) +
               " heads=" + std::to_string(p.heads) + "/" + std::to_string(p.kv_heads) +
               " queries=" + std::to_string(p.queries) + " keys=" + std::to_string(p.keys));
  GlobalMemory memory(stream);
  for (int i = 0; i < memory.buffers(); ++i) std::ranges::fill(memory.buffer(i), 0xff);
  const double one = 1 / step_of(p);
  fill_normal(memory.buffer("Q"), p.element, 1, 2 * one);
  fill_normal(memory.buffer("K"), p.element, 2, one);
  fill_normal(memory.buffer("V"), p.element, 3, one);
  if (p.writes_cache) {
    hide_new_tokens(p, memory);
    fill_normal(memory.buffer("K_new"), p.element, 4, one);
    fill_normal(memory.buffer("V_new"), p.element, 5, one);
  }
  const auto generation = *numerics::arithmetic_of(target.architecture);
  const auto result = execute(stream, generation, memory);
  ASSERT_TRUE(result.has_value()) << result.refusal().reason;
  EXPECT_EQ(result.value().racing_bytes, 0) << to_string(result.value().races.front());
  if (p.writes_cache) expect_new_tokens(p, memory);
  const AttentionReference want = attention_reference(p, memory);
  const double roundoff = p.element == Element::kBf16 ? 0x1p-8 : 0x1p-11;
  const auto got = elements_of(memory.buffer("O"), kernels::attention_result(p.element));
  const bool rounds_scores =
      p.algorithm == AttentionAlgorithm::kUnfused && p.element != Element::kInt8;
  const double roundings = rounds_scores ? 2.5 + 2 * want.largest_score : 2.5;
  double worst = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double bound = roundings * roundoff * want.magnitude[i] +
                         static_cast<double>(p.keys) * 0x1p-25 +
                         (p.element == Element::kInt8 ? want.quantised[i] / 2 : 0);
    const double error = std::fabs(got[i] - want.output[i]);
    worst = std::max(worst, std::isnan(error) ? INFINITY : error / bound);
  }
  EXPECT_LE(worst, 1) << "error over its bound";
  if (p.algorithm == kernels::AttentionAlgorithm::kUnfused) return;
  const auto sums = elements_of(memory.buffer("LSE"), Element::kFp32);
  for (std::size_t i = 0; i < sums.size(); ++i) ASSERT_NEAR(sums[i], want.log_sum[i], 1e-4) << i;
}

}  // namespace tcsim::functional::testing
