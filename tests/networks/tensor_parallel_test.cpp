#include "workloads/networks/tensor_parallel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "sim/config/load.hpp"
#include "sim/networks/collective.hpp"
#include "sim/networks/network_file.hpp"
#include "tests/support/refusal.hpp"
#include "workloads/networks/counts.hpp"
#include "workloads/networks/sequence.hpp"

namespace tcsim::networks {
namespace {

const Layer& layer(const Network& network, const std::string& name) {
  return *std::ranges::find(network.layers, name, &Layer::name);
}

std::ptrdiff_t count(const Network& network, LayerKind kind) {
  return std::ranges::count(network.layers, kind, &Layer::kind);
}

std::string refusal(const std::string& name, int gpus) {
  return test::refusal<std::invalid_argument>([&] { tensor_parallel(load_network(name), gpus); });
}

TEST(TensorParallel, DividesTheProductsOfATransformerAsMegatronDoes) {
  const Network whole = load_network("llama3_70b");
  const Network part = tensor_parallel(whole, 8);
  EXPECT_EQ(layer(part, "layer.0.query").features, 8192 / 8);
  EXPECT_EQ(layer(part, "layer.0.key").features, 1024 / 8);
  EXPECT_EQ(layer(part, "layer.0.attention").heads, 8);
  EXPECT_EQ(layer(part, "layer.0.attention").kv_heads, 1);
  EXPECT_EQ(layer(part, "layer.0.project").features, 8192);  // by rows: of an eighth of the columns
  EXPECT_EQ(part.shape_of(layer(part, "layer.0.project").inputs.front()).c, 1024);
  EXPECT_EQ(layer(part, "layer.0.gate_and_up").features, 57344 / 8);
  EXPECT_EQ(layer(part, "layer.0.down").features, 8192);
  EXPECT_EQ(layer(part, "words").vocabulary, 128256 / 8);
  EXPECT_EQ(layer(part, "logits").features, 128256 / 8);
  EXPECT_EQ(part.layers.back().shape, whole.layers.back().shape);
  // Two sums a layer, one of the words; the scores are put together.
  EXPECT_EQ(count(part, LayerKind::kAllReduce), 2 * 80 + 1);
  EXPECT_EQ(count(part, LayerKind::kAllGather), 1);
  EXPECT_EQ(part.layers.back().kind, LayerKind::kAllGather);
}

TEST(TensorParallel, DividesBehindWhatTurnsOutWhole) {
  const Network whole = read_network("n.yaml",
                                     "name: n\n"
                                     "input: {tokens: 64, c: 64}\n"
                                     "layers:\n"
                                     "  - {name: a, op: linear, out: 64}\n"
                                     "  - {name: g, op: gelu}\n"
                                     "  - {name: b, op: linear, out: 256}\n"
                                     "  - {name: r, op: relu}\n"
                                     "  - {name: c, op: linear, out: 64}\n"
                                     "  - {name: s, op: sigmoid, from: g}\n"
                                     "  - {name: sum, op: add, from: [c, s]}\n");
  const Network part = tensor_parallel(whole, 2);
  EXPECT_EQ(layer(part, "a").features, 64);
  EXPECT_EQ(layer(part, "b").features, 128);
}

/// No product is done twice; norms, which every GPU does, have no multiply-adds in the count.
TEST(TensorParallel, GivesEachGpuItsShareOfTheProductsAndWeights) {
  for (const char* name : {"llama2_7b", "llama3_70b", "gpt3_175b"}) {
    const Network whole = load_network(name);
    const Network part = tensor_parallel(whole, 8);
    const std::int64_t rest = macs(whole) - 8 * macs(part);
    EXPECT_LE(std::abs(rest), macs(whole) / 1000) << name;  // words of GPT-3 are padded
    EXPECT_NEAR(static_cast<double>(8 * parameters(part)) / static_cast<double>(parameters(whole)),
                1, 0.0015)  // positions, norms and biases behind sums are on every GPU
        << name;
  }
}

TEST(TensorParallel, KeepsAHeadOfKeysForEveryGpu) {
  const Network part = tensor_parallel(load_network("llama3_70b"), 16);
  EXPECT_EQ(layer(part, "layer.0.attention").heads, 4);
  EXPECT_EQ(layer(part, "layer.0.attention").kv_heads, 1);
  EXPECT_EQ(layer(part, "layer.0.key").features, 128);
}

TEST(TensorParallel, DividesDecodeStepsAndJoinedProjectionsToo) {
  const Network part = tensor_parallel(decode_step(load_network("gpt2"), 512), 4);
  EXPECT_EQ(layer(part, "layer.3.qkv").features, 2304 / 4);
  EXPECT_EQ(layer(part, "layer.3.attention").heads, 3);
  EXPECT_EQ(layer(part, "layer.3.contract_all_reduce").shape.c, 768);
  const Network bert = tensor_parallel(load_network("bert_base"), 2);
  EXPECT_EQ(layer(bert, "words").vocabulary, 30522);  // it writes no words
  EXPECT_EQ(layer(bert, "pooler").features, 768);
  EXPECT_EQ(count(bert, LayerKind::kAllReduce), 24);
}

/// The scores are divided by words, so what they read is whole.
TEST(TensorParallel, DividesTheScoresOnce) {
  const Network whole =
      read_network("model.yaml",
                   "name: model\n"
                   "input: {tokens: 16}\n"
                   "layers:\n"
                   "  - {name: words, op: embedding, vocabulary: 1000, out: 128}\n"
                   "  - {name: fc, op: linear, out: 512}\n"
                   "  - {name: gelu, op: gelu}\n"
                   "  - {name: scores, op: linear, out: 1000}\n");
  const Network part = tensor_parallel(whole, 2);
  EXPECT_EQ(2 * macs(part, layer(part, "scores")), macs(whole, layer(whole, "scores")));
  EXPECT_EQ(part.layers.back().kind, LayerKind::kAllGather);
}

TEST(TensorParallel, OfALanguageModelIsOne) {
  const Network part = tensor_parallel(load_network("gpt2"), 2);
  ASSERT_NE(scores_of(part), nullptr);
  EXPECT_EQ(scores_of(part)->name, "logits");
  EXPECT_EQ(scores_of(tensor_parallel(load_network("bert_base"), 2)), nullptr);
}

TEST(TensorParallel, SaysWhatDoesNotDivide) {
  EXPECT_EQ(refusal("gpt2", 8), "layer.0.attention: 12 heads do not divide among 8 GPUs");
  EXPECT_THAT(refusal("resnet50", 2), testing::HasSubstr("nothing of it is divided"));
}

/// n - 1 of n parts go round twice; 12 links of 20 GB/s.
TEST(Collective, TakesTheTimeOfARingForLargeTensors) {
  const config::LinkParams a100 = config::load_machine("a100").nvlink;
  constexpr double kBytes = 1e9;
  const CollectiveTime reduce = collective_time(CollectiveKind::kAllReduce, a100, 8, kBytes);
  EXPECT_EQ(reduce.algorithm, "ring");
  EXPECT_EQ(reduce.protocol, "bulk");
  EXPECT_DOUBLE_EQ(reduce.time_us, 8.4 + 14 * 3.4 + kBytes * 14 / 8 / 240e3);
  const CollectiveTime gather = collective_time(CollectiveKind::kAllGather, a100, 8, kBytes);
  EXPECT_DOUBLE_EQ(gather.time_us, 8.4 + 7 * 3.4 + kBytes * 7 / 8 / 240e3);
}

TEST(Collective, TakesWordsWithFlagsForSmallTensors) {
  const config::LinkParams a100 = config::load_machine("a100").nvlink;
  const CollectiveTime two = collective_time(CollectiveKind::kAllReduce, a100, 2, 16384);
  EXPECT_EQ(two.protocol, "low latency");
  EXPECT_DOUBLE_EQ(two.time_us, 6.6 + 2 * 0.6 + 16384 / 240e3 * 4);
  const CollectiveTime eight = collective_time(CollectiveKind::kAllReduce, a100, 8, 16384);
  EXPECT_GT(eight.time_us, two.time_us);
}

TEST(Collective, TakesLinesWithFlagsForTensorsBetween) {
  const config::LinkParams a100 = config::load_machine("a100").nvlink;
  constexpr double kBytes = 4e6;
  const CollectiveTime eight = collective_time(CollectiveKind::kAllReduce, a100, 8, kBytes);
  EXPECT_EQ(eight.protocol, "lines");
  EXPECT_DOUBLE_EQ(eight.time_us, 14 + 14 * 1.9 + kBytes * 14 / 8 / (240e3 * 0.92));
  const config::LinkParams rtx3090 = config::load_machine("rtx3090").nvlink;
  for (const double bytes : {1e4, 1e5, 1e6, 1e7})
    EXPECT_NE(collective_time(CollectiveKind::kAllReduce, rtx3090, 2, bytes).protocol, "lines");
}

TEST(Collective, IsTheSwitchsWhereItAddsUp) {
  const config::LinkParams h100 = config::load_machine("h100").nvlink;
  constexpr double kBytes = 4e6;
  const CollectiveTime eight = collective_time(CollectiveKind::kAllReduce, h100, 8, kBytes);
  EXPECT_EQ(eight.algorithm, "switch");
  EXPECT_NEAR(eight.time_us, 23 + kBytes / (18 * 20.6e3 * 5 / 6), 1e-9);
  EXPECT_EQ(collective_time(CollectiveKind::kAllReduce, h100, 2, kBytes).algorithm, "ring");
}

/// NCCL's own model takes 235 GB/s for the most that a ring of A100s moves (src/graph/tuning.cc,
/// busBw of compute capability 8.0).
TEST(Collective, ReachesTheBandwidthThatNcclCountsOn) {
  constexpr double kBytes = 8e9;
  const double time_us =
      collective_time(CollectiveKind::kAllReduce, config::load_machine("a100").nvlink, 8, kBytes)
          .time_us;
  EXPECT_NEAR(kBytes / time_us / 1e3 * 2 * 7 / 8, 235, 0.03 * 235);
}

/// Each key of section nvlink acts on some collective operation.
TEST(Collective, EveryKeyOfTheLinksChangesATime) {
  const auto times = [](const std::vector<std::string>& overrides) {
    const config::LinkParams link = config::load_machine("a100", overrides).nvlink;
    std::vector<double> found;
    for (const double bytes : {16384.0, 4e6, 1e9})
      found.push_back(collective_time(CollectiveKind::kAllReduce, link, 8, bytes).time_us);
    return found;
  };
  for (const char* change :
       {"nvlink.links=6", "nvlink.link_gb_per_s=10", "nvlink.start_us=1", "nvlink.hop_us=0.1",
        "nvlink.line_start_us=1", "nvlink.line_hop_us=0.1", "nvlink.bulk_start_us=1",
        "nvlink.bulk_hop_us=0.1", "nvlink.switch_us=1"})
    EXPECT_NE(times({change}), times({})) << change;
}

}  // namespace
}  // namespace tcsim::networks
