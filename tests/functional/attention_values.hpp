#pragma once

#include <span>
#include <string>
#include <vector>

#include "models/functional/global_memory.hpp"
#include "workloads/kernels/attention/attention.hpp"

namespace tcsim::functional::testing {

/// The definition of attention in double precision, on elements as they are stored.
struct AttentionReference {
  std::vector<double> output;     ///< [batch][query][head][dim]
  std::vector<double> magnitude;  ///< the same sums over probability * |v|
  std::vector<double> quantised;  ///< sums of |v| / 127 relative to the row's largest probability
  std::vector<double> log_sum;    ///< [batch][head][query]
  double largest_score = 0;
};
AttentionReference attention_reference(const kernels::AttentionProblem& problem,
                                       const GlobalMemory& memory);

/// Executes the generated kernels on normally distributed data and compares O with the definition.
/// Probabilities and O are rounded to the element type (unit roundoff u); the errors of scores from
/// the tensor core and EX2 are far smaller: |error| <= 2.5 u * magnitude + keys * 2^-25, the latter
/// for subnormal probabilities. Unfused, the scores s are rounded as well, which changes exp(s) by
/// a relative u |s|, and its row's sum. INT8 probabilities are off by half of 1/127 of the row's
/// largest each. LSE must be within 1e-4.
void expect_attention(const kernels::AttentionProblem& problem, const kernels::Target& target);

/// Elements as doubles.
std::vector<double> elements_of(std::span<const std::uint8_t> buffer, kernels::Element element);
/// Fills `buffer` with normally distributed elements.
void fill_normal(std::span<std::uint8_t> buffer, kernels::Element element, unsigned seed,
                 double deviation = 1);

}  // namespace tcsim::functional::testing
