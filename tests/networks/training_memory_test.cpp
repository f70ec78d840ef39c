// What weights and their gradients take of a board's memory.

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/networks/network_file.hpp"
#include "workloads/networks/counts.hpp"
#include "workloads/networks/placement.hpp"
#include "workloads/networks/program.hpp"

namespace tcsim::networks {
namespace {

/// 5.3 million weights, few activations.
Network language_model(const std::string& head) {
  return read_network("model.yaml",
                      "name: model\n"
                      "input: {tokens: 16}\n"
                      "layers:\n"
                      "  - {name: words, op: embedding, vocabulary: 6144, out: 256}\n"
                      "  - {name: up, op: linear, out: 4096, bias: false}\n"
                      "  - {name: relu, op: relu}\n"
                      "  - {name: down, op: linear, out: 256, bias: false}\n"
                      "  - {name: logits, op: linear, out: 6144, bias: false" +
                          head + "}\n");
}

BlockSums sums_of(const Program& program) { return block_sums(program, place(program)); }

const Binding& bound_to(const Step& step, const std::string& buffer) {
  return *std::ranges::find(step.bindings, buffer, &Binding::buffer);
}

const Step& step_of(const Program& program, const std::string& layer, const std::string& part) {
  return *std::ranges::find_if(
      program.steps, [&](const Step& step) { return step.layer == layer && step.part == part; });
}

TEST(TrainingMemory, IsWeightsAndGradientsInTheTypeOfTheWeights) {
  const Network network = language_model("");
  const auto weights = static_cast<double>(parameters(network));
  constexpr double kFewActivations = 3e6;
  for (const auto& [precision, bytes] :
       {std::pair{Precision::kFp32, 4.0}, {Precision::kBf16, 2.0}}) {
    const Program program = lower(network, {.precision = precision, .is_training = true});
    const BlockSums sums = sums_of(program);
    EXPECT_EQ(sums.weights, weights * bytes);
    EXPECT_GE(sums.activations, weights * bytes);
    EXPECT_LE(sums.activations, weights * bytes + kFewActivations);
    const auto& update = std::get<kernels::VectorProblem>(program.steps.back().work.work);
    EXPECT_EQ(update.cols, parameters(network));
    EXPECT_EQ(kernels::element_bytes(update.element), bytes);
  }
}

/// The optimiser comes after all gradients.
TEST(TrainingMemory, KeepsGradientsUntilTheOptimizer) {
  const Program program =
      lower(language_model(""), {.precision = Precision::kFp32, .is_training = true});
  const std::vector<Binding>& kept = program.steps.back().bindings;
  EXPECT_EQ(kept.size(), 4U);
  for (const char* layer : {"up", "down", "logits"}) {
    const int gradient = bound_to(step_of(program, layer, "wgrad"), "D").tensor;
    EXPECT_NE(std::ranges::find(kept, gradient, &Binding::tensor), kept.end()) << layer;
  }
}

/// Weights are FP32 in amp, products and their results FP16.
TEST(TrainingMemory, HoldsGradientsInFp32UnderAutocast) {
  const Program program =
      lower(language_model(""), {.precision = Precision::kAmp, .is_training = true});
  const auto& steps = program.steps;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].part != "wgrad") continue;
    ASSERT_LT(i + 1, steps.size());
    EXPECT_TRUE(steps[i + 1].work.text.starts_with("to_fp32:")) << steps[i + 1].work.text;
  }
  const auto weights = static_cast<double>(parameters(language_model("")));
  EXPECT_EQ(sums_of(program).weights, 4 * weights);
  // FP32 gradients, and FP16 copies of weights until their gradients are there.
  EXPECT_LE(sums_of(program).activations, (4 + 2) * weights + 4e6);
}

TEST(TiedWeights, AreTheTableOfTheEmbedding) {
  const Network network = language_model(", tied: true");
  const auto weights = static_cast<double>(parameters(network));
  for (const Precision precision : {Precision::kFp32, Precision::kTf32, Precision::kAmp}) {
    const Program program = lower(network, {.precision = precision});
    EXPECT_EQ(sums_of(program).weights, 4 * weights);
  }
  const Program program = lower(network, {});
  EXPECT_EQ(bound_to(step_of(program, "words", "forward"), "X").tensor,
            bound_to(step_of(program, "logits", "forward"), "B").tensor);
  EXPECT_EQ(sums_of(lower(language_model(""), {})).weights, 2 * (weights + 6144 * 256));
}

/// The products read integers, the embedding reals.
TEST(TiedWeights, AreHeldTwiceWhereTheirTypesDiffer) {
  const Network network = language_model(", tied: true");
  const Program program = lower(network, {.precision = Precision::kInt8});
  const double table = 6144.0 * 256;
  const double scales = 4.0 * (4096 + 256 + 6144);
  EXPECT_EQ(sums_of(program).weights,
            2 * table + static_cast<double>(parameters(network)) + scales);
}

TEST(TiedWeights, HaveOneGradient) {
  const Program program = lower(language_model(", tied: true"), {.is_training = true});
  EXPECT_EQ(bound_to(step_of(program, "words", "backward"), "D").tensor,
            bound_to(step_of(program, "logits", "wgrad"), "D").tensor);
  EXPECT_EQ(program.steps.back().bindings.size(), 3U);
}

}  // namespace
}  // namespace tcsim::networks
