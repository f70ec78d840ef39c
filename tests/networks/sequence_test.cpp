#include "workloads/networks/sequence.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "sim/networks/network_file.hpp"
#include "tests/support/refusal.hpp"
#include "workloads/networks/counts.hpp"
#include "workloads/networks/placement.hpp"
#include "workloads/networks/program.hpp"

namespace tcsim::networks {
namespace {

Network writer() {
  return read_network("writer.yaml",
                      "name: writer\n"
                      "input: {tokens: 16}\n"
                      "layers:\n"
                      "  - {name: words, op: embedding, vocabulary: 100, out: 64}\n"
                      "  - {name: qkv, op: linear, out: 192}\n"
                      "  - {name: attention, op: attention, heads: 2, causal: true}\n"
                      "  - {name: logits, op: linear, out: 100}\n");
}

std::string text_of(const Program& program, const std::string& layer) {
  for (const Step& step : program.steps)
    if (step.layer == layer) return step.work.text;
  return "";
}

TEST(Sequence, HasAsManyTokensAsAsked) {
  const Network network = with_tokens(writer(), 48);
  EXPECT_EQ(network.layers.back().shape, (Shape{48, 1, 100}));
  EXPECT_EQ(macs(network, network.layers[1]), 3 * macs(writer(), writer().layers[1]));
  EXPECT_EQ(parameters(network), parameters(writer()));
}

TEST(Sequence, OfAnImageIsRefused) {
  const Network image = read_network("image.yaml",
                                     "name: image\ninput: {h: 8, w: 8, c: 4}\n"
                                     "layers:\n  - {name: relu, op: relu}\n");
  EXPECT_THROW(with_tokens(image, 8), std::invalid_argument);
}

TEST(Sequence, NamesALayerThatHasAnotherLength) {
  const Network fixed = read_network("fixed.yaml",
                                     "name: fixed\ninput: {tokens: 16, c: 64}\n"
                                     "layers:\n  - {name: seen, op: reshape, h: 4, w: 4, c: 64}\n");
  EXPECT_NO_THROW(with_tokens(fixed, 16));
  const std::string message = test::refusal<std::invalid_argument>([&] { with_tokens(fixed, 17); });
  EXPECT_TRUE(message.starts_with("seen: ")) << message;
}

Network writer_of_the_next_word() {
  return read_network("writer.yaml",
                      "name: writer\n"
                      "input: {tokens: 16}\n"
                      "layers:\n"
                      "  - {name: words, op: embedding, vocabulary: 100, out: 64}\n"
                      "  - {name: norm, op: rms_norm}\n"
                      "  - {name: last, op: last_token}\n"
                      "  - {name: logits, op: linear, out: 100}\n");
}

TEST(LastToken, IsWhatTheNextWordIsWrittenFrom) {
  const Network network = with_tokens(writer_of_the_next_word(), 32);
  EXPECT_EQ(network.layers.back().shape, (Shape{1, 1, 100}));
  const Program program = lower(network, {.batch = 2});
  EXPECT_NE(text_of(program, "logits").find("gemm:m=2,n=100,k=64"), std::string::npos);
  const Binding& read = program.steps.back().bindings.front();
  const auto norm = std::ranges::find(program.steps, "norm", &Step::layer);
  const auto written = std::ranges::find(norm->bindings, read.tensor, &Binding::tensor);
  ASSERT_NE(written, norm->bindings.end());
  EXPECT_EQ(read.offset, written->offset + (2 * 32 - 2) * 64 * 2);
}

TEST(LastToken, IsEveryOneInTraining) {
  const Network network = with_every_token(with_tokens(writer_of_the_next_word(), 32));
  EXPECT_EQ(network.layers.back().shape, (Shape{32, 1, 100}));
  EXPECT_EQ(with_every_token(writer()).layers.back().shape, writer().layers.back().shape);
  Network of_rows = writer_of_the_next_word();
  of_rows.is_sequence = false;
  EXPECT_EQ(with_every_token(of_rows).layers.back().shape.h, of_rows.input.h);
}

TEST(Decode, WritesOneTokenPerSampleAndReadsTheCache) {
  const Program program = lower(decode_step(writer(), 33), {.batch = 4});
  EXPECT_NE(text_of(program, "qkv").find("gemm:m=4,n=192,k=64"), std::string::npos);
  EXPECT_NE(text_of(program, "attention").find("b=4,heads=2,kvheads=2,n=1,kv=33,d=32,causal=0"),
            std::string::npos);
}

TEST(Decode, WritesPagesIfAsked) {
  const LoweringOptions options{.batch = 4, .has_paged_cache = true};
  const Program decode = lower(decode_step(writer(), 33), options);
  EXPECT_NE(text_of(decode, "attention").find("algo=paged,cache_write=1"), std::string::npos);
  constexpr double kKeysAndValues = 2 * 4 * 33 * 64 * 2;  // bytes: FP16
  EXPECT_EQ(block_sums(decode, place(decode)).cache, kKeysAndValues);
  const Program prompt = lower(with_tokens(writer(), 33), options);
  EXPECT_NE(text_of(prompt, "attention").find("algo=paged,cache_write=1"), std::string::npos);
  EXPECT_EQ(block_sums(prompt, place(prompt)).cache, kKeysAndValues);
}

TEST(Decode, RefusesPagesThatNothingFillsOrReads) {
  const auto reason = [](const Network& network, const LoweringOptions& options) {
    return test::refusal<std::invalid_argument>([&] { return lower(network, options); });
  };
  const Network decode = decode_step(writer(), 33);
  const std::string unfused = "only fused attention in 16 bits reads pages of keys and values";
  for (const Precision precision : {Precision::kFp32, Precision::kTf32})
    EXPECT_EQ(reason(decode, {.precision = precision, .has_paged_cache = true}), unfused);
  EXPECT_EQ(reason(decode, {.has_fused_attention = false, .has_paged_cache = true}), unfused);
  EXPECT_EQ(reason(writer(), {.is_training = true, .has_paged_cache = true}),
            "training keeps no keys and values, so no pages of them");
  Network reader = writer();
  reader.layers[2].is_causal = false;
  EXPECT_EQ(reason(reader, {.has_paged_cache = true}),
            "no causal attention, whose keys and values pages would hold");
}

TEST(Decode, CountsTheCacheApartFromWeightsAndActivations) {
  const Program decode = lower(decode_step(writer(), 33), {.batch = 4});
  const BlockSums sums = block_sums(decode, place(decode));
  constexpr double kKeysAndValues = 2 * 4 * 33 * 64 * 2;  // bytes: FP16
  EXPECT_EQ(sums.cache, kKeysAndValues);
  const Program forward = lower(with_tokens(writer(), 1), {.batch = 4});
  const BlockSums of_forward = block_sums(forward, place(forward));
  EXPECT_EQ(of_forward.cache, 0);
  EXPECT_EQ(sums.weights, of_forward.weights);
}

TEST(Decode, NeedsCausalAttention) {
  Network reader = writer();
  reader.layers[2].is_causal = false;
  EXPECT_THROW(decode_step(reader, 16), std::invalid_argument);
}

/// A decoder that attends to layer `heard`.
Network translator(const std::string& heard, const std::string& cross_keys) {
  return read_network(
      "translator.yaml",
      "name: translator\ninput: {tokens: 16}\nlayers:\n" + heard +
          "  - {name: words, op: embedding, vocabulary: 100, out: 64, from: input}\n"
          "  - {name: qkv, op: linear, out: 192}\n"
          "  - {name: attention, op: attention, heads: 2, causal: true}\n"
          "  - {name: query, op: linear, out: 64}\n"
          "  - {name: cross, op: attention, heads: 2, from: [query, heard, heard]" +
          cross_keys +
          "}\n"
          "  - {name: logits, op: linear, out: 100}\n");
}

TEST(Decode, RefusesAttentionThatNeedsAllTokens) {
  const char* const heard = "  - {name: heard, op: embedding, vocabulary: 100, out: 64}\n";
  const std::string message =
      test::refusal<std::invalid_argument>([&] { return decode_step(translator(heard, ""), 33); });
  EXPECT_THAT(message, testing::StartsWith("cross: reads keys of all tokens"));
  EXPECT_THAT(message, testing::HasSubstr("(keys: 512)"));
  const Program program = lower(decode_step(translator(heard, ", keys: 48"), 33), {});
  EXPECT_NE(text_of(program, "cross").find("n=1,kv=48"), std::string::npos);
}

TEST(Decode, TakesAttentionToOtherRowsThanTokens) {
  const Network network = translator(
      "  - {name: first, op: first_token}\n"
      "  - {name: heard, op: reshape, h: 48, c: 64, resizes: true}\n",
      "");
  const Program program = lower(decode_step(network, 33), {});
  EXPECT_NE(text_of(program, "cross").find("n=1,kv=48"), std::string::npos);
}

/// 16 queries are the last of 48 rows.
TEST(CausalAttention, CountsTheKeysThatItsQueriesSee) {
  const Network network = translator(
      "  - {name: first, op: first_token}\n"
      "  - {name: heard, op: reshape, h: 48, c: 64, resizes: true}\n",
      ", causal: true");
  const Program program = lower(network, {.batch = 3});
  const auto cross = std::ranges::find_if(program.steps, [](const Step& step) {
    return step.work.text.find("n=16,kv=48") != std::string::npos;
  });
  ASSERT_NE(cross, program.steps.end());
  EXPECT_EQ(cross->macs, 3.0 * 2 * 16 * 64 * (48 + 32) / 2);
  const auto layer = std::ranges::find(network.layers, "cross", &Layer::name);
  EXPECT_EQ(macs(network, *layer), 2 * 16 * 64 * 48) << "as papers count";
}

TEST(Sequence, EndsInWordsOfALanguageModel) {
  EXPECT_NE(scores_of(writer()), nullptr);
  Network other = writer();
  other.layers.back().features = 99;
  EXPECT_EQ(scores_of(other), nullptr);
}

}  // namespace
}  // namespace tcsim::networks
