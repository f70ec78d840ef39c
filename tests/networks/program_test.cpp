#include "workloads/networks/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "sim/networks/network_file.hpp"
#include "tests/support/refusal.hpp"
#include "workloads/networks/counts.hpp"
#include "workloads/networks/placement.hpp"

namespace tcsim::networks {
namespace {

std::vector<std::string> texts(const Program& program) {
  std::vector<std::string> all;
  for (const Step& step : program.steps)
    all.push_back(step.layer + " " + step.part + " " +
                  step.work.text.substr(0, step.work.text.find(':')));
  return all;
}

double macs_of(const Program& program, const std::string& part) {
  double sum = 0;
  for (const Step& step : program.steps)
    if (step.part == part) sum += step.macs;
  return sum;
}

Network small() {
  return read_network("small.yaml",
                      "name: small\n"
                      "input: {h: 8, w: 8, c: 16}\n"
                      "layers:\n"
                      "  - {name: conv, op: conv, k: 16, rs: 3, pad: 1, bias: false}\n"
                      "  - {name: bn, op: batch_norm}\n"
                      "  - {name: relu, op: relu}\n"
                      "  - {name: add, op: add, from: [relu, input]}\n"
                      "  - {name: add_relu, op: relu}\n"
                      "  - {name: softmax, op: softmax}\n"
                      "  - {name: fc, op: linear, out: 8}\n");
}

TEST(Lowering, FusesWhatFollowsAConvolution) {
  EXPECT_EQ(texts(lower(small(), {.batch = 2})),
            (std::vector<std::string>{"conv forward conv", "add forward add_relu",
                                      "softmax forward softmax", "fc forward gemm"}));
}

/// The step of `layer` in the forward pass.
std::string words_of(const Program& program, const std::string& layer) {
  for (const Step& step : program.steps)
    if (step.layer == layer && step.part == "forward") return step.work.text;
  return "";
}

Network perceptron() {
  return read_network("perceptron.yaml",
                      "name: perceptron\n"
                      "input: {tokens: 16, c: 64}\n"
                      "layers:\n"
                      "  - {name: up, op: linear, out: 128}\n"
                      "  - {name: gelu, op: gelu}\n"
                      "  - {name: down, op: linear, out: 64, bias: false}\n"
                      "  - {name: sum, op: add, from: [input, down]}\n"
                      "  - {name: relu, op: relu}\n");
}

TEST(Lowering, FusesWhatFollowsALinearLayer) {
  const Program program = lower(perceptron(), {});
  EXPECT_EQ(texts(program), (std::vector<std::string>{"up forward gemm", "down forward gemm"}));
  EXPECT_TRUE(words_of(program, "up").ends_with(",bias=1,act=gelu")) << words_of(program, "up");
  EXPECT_TRUE(words_of(program, "down").ends_with(",residual=1,act=relu"));
  const std::vector<Binding>& bindings = program.steps[1].bindings;
  const auto residual = std::ranges::find(bindings, "C", &Binding::buffer);
  ASSERT_NE(residual, bindings.end());
  EXPECT_EQ(residual->tensor, program.steps[0].bindings[0].tensor);  // the input
}

TEST(Lowering, FusesNothingBehindATensorThatTwoLayersRead) {
  const Network network = read_network("fork.yaml",
                                       "name: fork\n"
                                       "input: {tokens: 16, c: 64}\n"
                                       "layers:\n"
                                       "  - {name: up, op: linear, out: 64}\n"
                                       "  - {name: sum, op: add, from: [up, input]}\n"
                                       "  - {name: relu, op: relu, from: [up]}\n"
                                       "  - {name: last, op: mul, from: [sum, relu]}\n");
  EXPECT_EQ(texts(lower(network, {})),
            (std::vector<std::string>{"up forward gemm", "sum forward add", "relu forward relu",
                                      "last forward mul"}));
}

Network residual_block() {
  return read_network("block.yaml",
                      "name: block\n"
                      "input: {h: 8, w: 8, c: 16}\n"
                      "layers:\n"
                      "  - {name: conv, op: conv, k: 16, rs: 3, pad: 1, bias: false}\n"
                      "  - {name: bn, op: batch_norm}\n"
                      "  - {name: sum, op: add, from: [bn, input]}\n"
                      "  - {name: relu, op: relu}\n"
                      "  - {name: narrow, op: conv, k: 16, rs: 3, pad: 1, groups: channels}\n"
                      "  - {name: last, op: add, from: [narrow, relu]}\n");
}

TEST(Lowering, FusesASumBehindAConvolution) {
  const Program program = lower(residual_block(), {.batch = 2});
  EXPECT_EQ(texts(program), (std::vector<std::string>{"conv forward conv", "narrow forward conv",
                                                      "last forward add"}));
  EXPECT_NE(words_of(program, "conv").find(",post=scale+bias+residual+relu,fused=1,"),
            std::string::npos);
  const std::vector<Binding>& bindings = program.steps[0].bindings;
  const auto residual = std::ranges::find(bindings, "z", &Binding::buffer);
  ASSERT_NE(residual, bindings.end());
  EXPECT_EQ(residual->tensor, bindings[0].tensor);  // the input
  const Program apart = lower(residual_block(), {.batch = 2, .precision = Precision::kAmp});
  EXPECT_TRUE(words_of(apart, "sum").starts_with("add_relu:"));
}

/// The second part is FP32 and becomes FP16: the third lies behind as many bytes as the first has.
TEST(Lowering, JoinsPartsOfOneElement) {
  const Network network = read_network("join.yaml",
                                       "name: join\n"
                                       "input: {tokens: 4, c: 64}\n"
                                       "layers:\n"
                                       "  - {name: half, op: linear, out: 64}\n"
                                       "  - {name: whole, op: softmax}\n"
                                       "  - {name: join, op: concat, from: [half, whole, half]}\n");
  const Program program = lower(network, {.precision = Precision::kAmp});
  std::int64_t farthest = 0;
  for (const Step& step : program.steps)
    if (step.layer == "join")
      for (const Binding& binding : step.bindings) farthest = std::max(farthest, binding.offset);
  EXPECT_EQ(farthest, 2 * 4 * 64 * 2);
}

TEST(Lowering, GivesEveryActivationAKernelOfItsOwn) {
  for (const char* word : {"relu", "gelu", "silu", "tanh", "sigmoid"}) {
    const Network network = read_network(
        "one.yaml", "name: one\ninput: {tokens: 4, c: 8}\nlayers:\n  - {name: x, op: " +
                        std::string(word) + "}\n");
    EXPECT_TRUE(words_of(lower(network, {}), "x").starts_with(std::string(word) + ":"));
  }
}

TEST(Lowering, AveragesPixelsAloneIfAsked) {
  const Network network =
      read_network("one.yaml",
                   "name: one\ninput: {h: 8, w: 8, c: 3}\nlayers:\n"
                   "  - {name: pool, op: avg_pool, rs: 3, stride: 2, pad: 1, count_pad: false}\n");
  EXPECT_NE(words_of(lower(network, {}), "pool").find(",count_pad=0,"), std::string::npos);
}

TEST(Lowering, KeepsSumsOfTwoTypesApart) {
  const Program program = lower(perceptron(), {.precision = Precision::kAmp});
  EXPECT_TRUE(words_of(program, "down").ends_with(",batch=1"));
  EXPECT_TRUE(words_of(program, "sum").starts_with("add_relu:"));
}

TEST(Lowering, TrainingFusesTheBiasAlone) {
  const Program program = lower(perceptron(), {.is_training = true});
  EXPECT_TRUE(words_of(program, "up").ends_with(",bias=1"));
  EXPECT_TRUE(words_of(program, "gelu").starts_with("gelu:"));
}

TEST(Lowering, PoolsAreKernelsOfTheirOwn) {
  const Program program = lower(load_network("resnet50"), {.batch = 4});
  EXPECT_EQ(words_of(program, "pool1"),
            "max_pool:n=4,h=112,w=112,c=64,r=3,s=3,stride_h=2,stride_w=2,pad_h=1,pad_w=1,"
            "dtype=fp16");
}

TEST(Lowering, CastsAsAutocastDoes) {
  // Weights and the input are FP32; the addition takes an FP16 and an FP32 operand; softmax is on
  // the list of FP32, linear on that of FP16.
  EXPECT_EQ(texts(lower(small(), {.precision = Precision::kAmp})),
            (std::vector<std::string>{
                "conv cast from_fp32", "conv cast from_fp32", "conv forward conv",
                "add cast to_fp32", "add forward add_relu", "softmax forward softmax",
                "fc cast from_fp32", "fc cast from_fp32", "fc forward gemm"}));
}

TEST(Lowering, QuantizesOperandsOfProducts) {
  EXPECT_EQ(texts(lower(small(), {.precision = Precision::kInt8})),
            (std::vector<std::string>{"conv quantize quantize", "conv forward conv",
                                      "add forward add_relu", "softmax forward softmax",
                                      "fc quantize quantize", "fc forward gemm"}));
}

/// One scale per tensor: the integers are the same for every product. Autocast casts each time.
TEST(Lowering, QuantizesATensorOnceForAllThatReadIt) {
  const Network network = read_network("three.yaml",
                                       "name: three\n"
                                       "input: {tokens: 16, c: 64}\n"
                                       "layers:\n"
                                       "  - {name: norm, op: rms_norm}\n"
                                       "  - {name: q, op: linear, out: 64}\n"
                                       "  - {name: k, op: linear, out: 32, from: norm}\n"
                                       "  - {name: join, op: concat, from: [q, k]}\n"
                                       "  - {name: out, op: linear, out: 64}\n");
  EXPECT_EQ(
      texts(lower(network, {.precision = Precision::kInt8})),
      (std::vector<std::string>{"norm forward rms_norm", "q quantize quantize", "q forward gemm",
                                "k forward gemm", "join forward copy", "join forward copy",
                                "out quantize quantize", "out forward gemm"}));
  const auto of_part = [&](Precision precision, const char* part) {
    const Program program = lower(network, {.precision = precision});
    return std::ranges::count(program.steps, part, &Step::part);
  };
  EXPECT_EQ(of_part(Precision::kFp8, "quantize"), 2);
  EXPECT_EQ(of_part(Precision::kAmp, "cast"), 3 + 2);
}

TEST(Lowering, QuantizesToFp8WhatTmaTakes) {
  const auto program_of = [](const char* features) {
    return lower(read_network("one.yaml", std::string("name: one\ninput: {tokens: 16, c: 64}\n"
                                                      "layers:\n  - {name: fc, op: linear, out: ") +
                                              features + "}\n"),
                 {.precision = Precision::kFp8});
  };
  EXPECT_EQ(texts(program_of("24")),
            (std::vector<std::string>{"fc quantize quantize_e4m3", "fc forward gemm"}));
  EXPECT_EQ(texts(program_of("25")), (std::vector<std::string>{"fc forward gemm"}));
}

TEST(Lowering, PacksTheWeightsOfLinearLayers) {
  const Program program = lower(perceptron(), {.weights = {4, 32}});
  EXPECT_EQ(texts(program), (std::vector<std::string>{"up forward gemm", "down forward gemm"}));
  EXPECT_TRUE(words_of(program, "up").ends_with(",weights=int4,group=32,bias=1,act=gelu"))
      << words_of(program, "up");
  const auto bytes_of = [&](const char* buffer) {
    const std::vector<Binding>& bindings = program.steps[0].bindings;
    const auto bound = std::ranges::find(bindings, buffer, &Binding::buffer);
    const Tensor& tensor = program.tensors[static_cast<std::size_t>(bound->tensor)];
    EXPECT_TRUE(tensor.is_permanent);
    return tensor.bytes;
  };
  EXPECT_EQ(bytes_of("B"), 64 * 128 / 2);
  EXPECT_EQ(bytes_of("scale_b"), 2 * 128 * 2);
  // Two matrices, their scales, and a bias.
  EXPECT_EQ(block_sums(program, place(program)).weights, 2 * (4096 + 512) + 512);
}

TEST(Lowering, LeavesTheScoresOfAVocabularyUnpacked) {
  const Network network =
      read_network("model.yaml",
                   "name: model\n"
                   "input: {tokens: 16}\n"
                   "layers:\n"
                   "  - {name: words, op: embedding, vocabulary: 256, out: 64}\n"
                   "  - {name: fc, op: linear, out: 64, bias: false}\n"
                   "  - {name: head, op: linear, out: 256, bias: false}\n");
  const Program program = lower(network, {.weights = {8, 0}});
  EXPECT_TRUE(words_of(program, "fc").ends_with(",weights=int8"));
  EXPECT_EQ(words_of(program, "head").find("weights"), std::string::npos);
}

TEST(Lowering, PacksNoWeightsOfOtherTypesOrGradients) {
  EXPECT_THROW((void)lower(perceptron(), {.precision = Precision::kInt8, .weights = {4, 0}}),
               std::invalid_argument);
  EXPECT_THROW((void)lower(perceptron(), {.is_training = true, .weights = {4, 0}}),
               std::invalid_argument);
}

TEST(Lowering, TrainingTakesThreeTimesTheProducts) {
  const Network network = load_network("resnet50");
  const Program program = lower(network, {.batch = 4, .is_training = true});
  const auto forward = static_cast<double>(macs(network)) * 4;
  const auto first = static_cast<double>(macs(network, network.layers.front())) * 4;
  EXPECT_DOUBLE_EQ(macs_of(program, "forward"), forward);
  EXPECT_DOUBLE_EQ(macs_of(program, "wgrad"), forward);
  EXPECT_DOUBLE_EQ(macs_of(program, "dgrad"), forward - first);  // pictures need no gradient
}

TEST(Lowering, TrainingNeedsNoGradientOfTheInput) {
  const Network network = read_network("first.yaml",
                                       "name: first\n"
                                       "input: {tokens: 16, c: 64}\n"
                                       "layers:\n"
                                       "  - {name: relu, op: relu}\n"
                                       "  - {name: norm, op: layer_norm, from: input}\n"
                                       "  - {name: gate, op: mul, from: [relu, input]}\n"
                                       "  - {name: add, op: add, from: [gate, norm]}\n"
                                       "  - {name: fc, op: linear, out: 8}\n");
  const Program program = lower(network, {.is_training = true});
  const auto backward = [&](const std::string& layer) {
    return std::ranges::count_if(program.steps, [&](const Step& step) {
      return step.layer == layer && step.part == "backward";
    });
  };
  EXPECT_EQ(backward("gate"), 1);  // towards relu
  EXPECT_EQ(backward("relu"), 0);
  EXPECT_EQ(backward("norm"), 1);  // for its weights
}

/// Multiply-adds of a sample that fused kernels of causal attention leave out.
double masked_macs(const Network& network) {
  double masked = 0;
  for (const Layer& layer : network.layers) {
    if (!is_causal_attention(layer)) continue;
    auto both = static_cast<double>(macs(network, layer));
    if (layer.kind == LayerKind::kLatentAttention)
      both = static_cast<double>(layer.shape.rows() * layer.heads * (2 * layer.dim + layer.rope) *
                                 keys_of(network, layer));
    masked += both / 2;
  }
  return masked;
}

TEST(Lowering, EveryShippedNetworkHasItsMultiplyAdds) {
  for (const std::string& name : network_names()) {
    const Network network = load_network(name);
    for (const Precision precision :
         {Precision::kFp32, Precision::kBf16, Precision::kAmp, Precision::kInt8}) {
      SCOPED_TRACE(name);
      const Program program = lower(network, {.batch = 3, .precision = precision});
      const bool is_fused = precision != Precision::kFp32;
      const double masked = is_fused ? masked_macs(network) : 0;
      EXPECT_DOUBLE_EQ(macs_of(program, "forward"),
                       3 * (static_cast<double>(macs(network)) - masked));
    }
  }
}

Network growing() {
  return read_network("growing.yaml",
                      "name: growing\n"
                      "input: {h: 8, w: 8, c: 16}\n"
                      "layers:\n"
                      "  - {name: conv, op: conv, k: 16, rs: 3, dil: 2, pad: 2}\n"
                      "  - {name: norm, op: group_norm, groups: 4}\n"
                      "  - {name: up, op: upsample, rs: 2}\n"
                      "  - {name: back, op: conv_transpose, k: 8, rs: 2, stride: 2}\n"
                      "  - {name: mean, op: global_avg_pool}\n"
                      "  - {name: add, op: add, from: [back, mean]}\n"
                      "  - {name: relu, op: relu}\n");
}

TEST(Lowering, GivesImagesThatGrowTheirKernels) {
  const Program program = lower(growing(), {.batch = 2});
  EXPECT_EQ(texts(program),
            (std::vector<std::string>{
                "conv forward conv", "norm forward avg_pool", "norm forward scale_bias",
                "up forward upsample", "back forward conv", "back forward bias",
                "mean forward avg_pool", "add forward bias", "relu forward relu"}));
  const auto& back = std::get<workload::ConvWork>(program.steps[4].work.work).problem;
  EXPECT_EQ(back.pass, kernels::ConvPass::kDataGradient);
  EXPECT_EQ((std::array{back.h, back.c, back.k, back.p()}),
            (std::array<std::int64_t, 4>{32, 8, 16, 16}));
  EXPECT_EQ(program.steps[4].macs, 2.0 * 16 * 16 * 16 * 2 * 2 * 8);
  EXPECT_EQ(std::get<workload::ConvWork>(program.steps[0].work.work).problem.dil_h, 2);
}

TEST(Lowering, RefusesWhatNoKernelDoes) {
  EXPECT_EQ(
      test::refusal<std::invalid_argument>([&] { return lower(growing(), {.is_training = true}); }),
      "norm: gradients of group_norm are not computed");
  for (const Precision precision : {Precision::kInt8, Precision::kFp8, Precision::kTf32})
    EXPECT_THAT(test::refusal<std::invalid_argument>(
                    [&] { return lower(small(), {.precision = precision, .is_training = true}); }),
                testing::EndsWith("; train with amp, fp16, bf16 or fp32"));
  EXPECT_NO_THROW((void)lower(small(), {.precision = Precision::kFp32, .is_training = true}));
}

TEST(Placement, ReusesTheBlocksOfDeadTensors) {
  const Program program = lower(load_network("vgg16"), {.batch = 1});
  const Placement placement = place(program);
  std::int64_t all = 0;
  std::int64_t permanent = 0;
  for (const Tensor& tensor : program.tensors) {
    all += tensor.bytes;
    if (tensor.is_permanent) permanent += tensor.bytes;
  }
  std::int64_t placed = 0;
  for (const std::int64_t bytes : placement.bytes) placed += bytes;
  // The two largest, which one step needs, are 12.8 of 30.5 MB; a block twice as large is taken.
  EXPECT_LT(placed - permanent, (all - permanent) * 3 / 5);
}

/// The 90.2 MB of what gate_and_up leaves are free when down, whose weights are as large, begins.
TEST(Placement, GivesWeightsNoMemoryThatActivationsHadBefore) {
  const Program program = lower(load_network("llama_block_prefill"), {.batch = 1});
  const Placement placement = place(program);
  std::vector<int> owners(placement.bytes.size(), 0);
  std::vector<bool> has_weights(placement.bytes.size(), false);
  for (std::size_t tensor = 0; tensor < program.tensors.size(); ++tensor) {
    if (placement.block_of[tensor] < 0) continue;
    const auto block = static_cast<std::size_t>(placement.block_of[tensor]);
    ++owners[block];
    if (program.tensors[tensor].is_permanent) has_weights[block] = true;
  }
  for (std::size_t block = 0; block < owners.size(); ++block)
    EXPECT_TRUE(!has_weights[block] || owners[block] == 1) << "block " << block;
}

TEST(Placement, KeepsLivingTensorsApart) {
  const Program program = lower(load_network("resnet18"), {.batch = 1, .is_training = true});
  const Placement placement = place(program);
  std::vector<int> owner(placement.bytes.size(), -1);
  std::vector<std::size_t> last(program.tensors.size(), 0);
  for (std::size_t step = 0; step < program.steps.size(); ++step)
    for (const Binding& binding : program.steps[step].bindings)
      last[static_cast<std::size_t>(binding.tensor)] = step;
  for (std::size_t step = 0; step < program.steps.size(); ++step) {
    for (const Binding& binding : program.steps[step].bindings) {
      const int block = placement.block_of[static_cast<std::size_t>(binding.tensor)];
      int& holder = owner[static_cast<std::size_t>(block)];
      if (holder >= 0 && holder != binding.tensor) {
        const auto before = static_cast<std::size_t>(holder);
        EXPECT_FALSE(program.tensors[before].is_permanent);
        EXPECT_LT(last[before], step);
      }
      holder = binding.tensor;
    }
  }
}

}  // namespace
}  // namespace tcsim::networks
