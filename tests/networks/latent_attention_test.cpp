// Layer `latent_attention`: keys and values of all heads come from one vector of a token.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/networks/network_file.hpp"
#include "tests/support/refusal.hpp"
#include "workloads/networks/counts.hpp"
#include "workloads/networks/placement.hpp"
#include "workloads/networks/program.hpp"
#include "workloads/networks/sequence.hpp"
#include "workloads/networks/tensor_parallel.hpp"

namespace tcsim::networks {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Four heads of 32 columns and 16 rotated ones; latent vectors of 64 columns.
Network latent(const std::string& query_columns = "192") {
  return read_network(
      "latent.yaml",
      "name: latent\n"
      "input: {tokens: 128, c: 256}\n"
      "layers:\n"
      "  - {name: query, op: linear, out: " +
          query_columns +
          ", bias: false}\n"
          "  - {name: down, op: linear, out: 80, bias: false, from: input}\n"
          "  - {name: norm, op: rms_norm}\n"
          "  - {name: attention, op: latent_attention, heads: 4, dim: 32, rope: 16, causal: true, "
          "from: [query, norm]}\n"
          "  - {name: project, op: linear, out: 256, bias: false}\n");
}

std::vector<std::string> steps_of(const Program& program, const std::string& layer) {
  std::vector<std::string> all;
  for (const Step& step : program.steps)
    if (step.layer == layer) all.push_back(step.work.text.substr(0, step.work.text.find(':')));
  return all;
}

double macs_of(const Program& program) {
  double sum = 0;
  for (const Step& step : program.steps) sum += step.macs;
  return sum;
}

TEST(LatentAttention, MakesKeysAndValuesOfAWholeSequence) {
  const Network network = latent();
  const Layer& layer = network.layers[3];
  EXPECT_EQ(layer.shape, (Shape{128, 1, 128}));
  EXPECT_EQ(parameters(network, layer), 64 * 2 * 4 * 32);
  EXPECT_EQ(macs(network, layer), 128 * 64 * 2 * 4 * 32 + 128 * 128 * 4 * (32 + 16 + 32));
  const Program program = lower(network, {.batch = 3});
  EXPECT_THAT(steps_of(program, "attention"), ElementsAre("gemm", "copy", "copy", "attn"));
  const double masked = 128.0 * 128 * 4 * (32 + 16 + 32) / 2;  // by the fused kernel
  EXPECT_DOUBLE_EQ(macs_of(program), 3.0 * (static_cast<double>(macs(network)) - masked));
  const Program unfused = lower(network, {.batch = 3, .has_fused_attention = false});
  EXPECT_THAT(steps_of(unfused, "attention"),
              ElementsAre("gemm", "copy", "gemm", "softmax", "gemm"));
  EXPECT_DOUBLE_EQ(macs_of(unfused), 3.0 * static_cast<double>(macs(network)));
}

TEST(LatentAttention, DecodesOverACacheOfLatentVectors) {
  const Network network = decode_step(latent(), 1000);
  const Program program = lower(network, {.batch = 2});
  EXPECT_THAT(steps_of(program, "attention"),
              ElementsAre("gemm", "copy", "copy", "gemm", "softmax", "gemm", "gemm"));
  EXPECT_DOUBLE_EQ(macs_of(program), 2.0 * static_cast<double>(macs(network)));
  const BlockSums sums = block_sums(program, place(program));
  EXPECT_NEAR(sums.cache, 2 * 1000 * 80 * 2, 512);
  EXPECT_NEAR(sums.weights, 2.0 * static_cast<double>(parameters(network)), 512);
}

TEST(LatentAttention, PacksItsWeightsInADecodeStepToo) {
  const Network network = decode_step(latent(), 1000);
  const Program program = lower(network, {.batch = 2, .weights = {4, 32}});
  double integers_and_scales = 0;
  for (const Step& step : program.steps) {
    const auto* problem = std::get_if<kernels::GemmProblem>(&step.work.work);
    if (step.layer != "attention" || problem == nullptr) continue;
    EXPECT_EQ(problem->weights.are_packed(), problem->batch == 4) << step.work.text;
    for (const Binding& binding : step.bindings)
      if (problem->batch == 4 && (binding.buffer == "B" || binding.buffer == "scale_b"))
        integers_and_scales +=
            static_cast<double>(program.tensors[static_cast<std::size_t>(binding.tensor)].bytes);
  }
  const auto weights = static_cast<double>(parameters(network, network.layers[3]));
  EXPECT_EQ(integers_and_scales, weights / 2 + weights / 32 * 2);
}

TEST(LatentAttention, QuantizesItsProductsInADecodeStepToo) {
  const Network network = decode_step(latent(), 1000);
  const Program program = lower(network, {.batch = 2, .precision = Precision::kFp8});
  EXPECT_THAT(steps_of(program, "attention"),
              ElementsAre("quantize_e4m3", "gemm", "copy", "copy", "gemm", "softmax", "gemm",
                          "quantize_e4m3", "gemm"));
  const auto quantized = std::ranges::find_if(program.steps, [](const Step& step) {
    return step.layer == "attention" && step.part == "quantize";
  });
  // Without rotated columns.
  EXPECT_EQ(std::get<kernels::VectorProblem>(quantized->work.work).cols, 4 * 32);
  EXPECT_DOUBLE_EQ(macs_of(program), 2.0 * static_cast<double>(macs(network)));
}

TEST(LatentAttention, IsDividedByHeads) {
  const Network part = tensor_parallel(latent(), 4);
  const auto layer = [&](const char* name) {
    return *std::ranges::find(part.layers, name, &Layer::name);
  };
  EXPECT_EQ(layer("query").features, 48);
  EXPECT_EQ(layer("down").features, 80);
  EXPECT_EQ(layer("attention").heads, 1);
  EXPECT_EQ(part.layers.back().kind, LayerKind::kAllReduce);
}

TEST(LatentAttention, NamesShapesThatDoNotFit) {
  EXPECT_THAT(test::refusal([&] { return latent("200"); }),
              HasSubstr("its queries need 192 columns, not 200"));
}

}  // namespace
}  // namespace tcsim::networks
