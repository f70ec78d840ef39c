// Steps of a training pass, and the memory that steps touch.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/networks/network_file.hpp"
#include "tests/support/refusal.hpp"
#include "workloads/networks/program.hpp"
#include "workloads/networks/sequence.hpp"
#include "workloads/networks/step_builder.hpp"

namespace tcsim::networks {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;
using testing::UnorderedElementsAre;

/// Between two linear layers, which want gradients.
Network between(const std::string& layers, const std::string& input = "{tokens: 16, c: 64}") {
  return read_network("between.yaml", "name: between\ninput: " + input +
                                          "\nlayers:\n"
                                          "  - {name: before, op: linear, out: 64, bias: false}\n" +
                                          layers + "  - {name: after, op: linear, out: 8}\n");
}

Program trained(const Network& network) {
  return lower(network, {.batch = 2, .is_training = true});
}

std::vector<const Step*> gradient_steps(const Program& program, const std::string& layer) {
  std::vector<const Step*> all;
  for (const Step& step : program.steps)
    if (step.layer == layer && step.part != "forward") all.push_back(&step);
  return all;
}

std::vector<std::string> gradient_texts(const Program& program, const std::string& layer) {
  std::vector<std::string> all;
  for (const Step* step : gradient_steps(program, layer)) all.push_back(step->work.text);
  return all;
}

const Binding& binding_of(const Step& step, const std::string& buffer) {
  return *std::ranges::find(step.bindings, buffer, &Binding::buffer);
}

/// A buffer past the end of its tensor is an error of lower().
TEST(Lowering, EveryShippedNetworkStaysInsideItsTensors) {
  std::vector<std::string> without_gradients;
  for (const std::string& name : network_names()) {
    SCOPED_TRACE(name);
    const Network network = load_network(name);
    for (const Precision precision :
         {Precision::kFp32, Precision::kTf32, Precision::kFp16, Precision::kBf16, Precision::kAmp,
          Precision::kInt8, Precision::kFp8})
      for (const bool is_fused : {true, false})
        EXPECT_NO_THROW((void)lower(
            network, {.batch = 3, .precision = precision, .has_fused_attention = is_fused}));
    for (const Precision precision :
         {Precision::kFp32, Precision::kFp16, Precision::kBf16, Precision::kAmp}) {
      try {
        (void)lower(with_every_token(network),
                    {.batch = 3, .precision = precision, .is_training = true});
      } catch (const std::invalid_argument&) {
        without_gradients.push_back(name);
        break;
      }
    }
  }
  EXPECT_THAT(without_gradients,
              UnorderedElementsAre("deepseek_v3", "mixtral_8x7b", "stable_diffusion_unet"));
}

TEST(Lowering, EveryShippedNetworkThatWritesStaysInsideItsTensorsAndCaches) {
  for (const std::string& name : network_names()) {
    SCOPED_TRACE(name);
    Network step;
    try {
      step = decode_step(load_network(name), 300);
    } catch (const std::invalid_argument&) {
      continue;  // writes no text
    }
    for (const Precision precision : {Precision::kFp32, Precision::kFp16, Precision::kFp8})
      EXPECT_NO_THROW((void)lower(step, {.batch = 3, .precision = precision}));
    EXPECT_NO_THROW((void)lower(step, {.batch = 3, .weights = {4, 128}}));
  }
}

TEST(Lowering, NamesABufferPastTheEndOfItsTensor) {
  Program program;
  const LoweringOptions options;
  StepBuilder builder(options, program);
  builder.start("layer", "forward");
  Value from = builder.activation(4, 8, kernels::Element::kFp16);
  const Value to = builder.activation(8, 8, kernels::Element::kFp16);
  EXPECT_NO_THROW(builder.copy(from, to));
  from.rows = 8;
  EXPECT_EQ(test::refusal<std::logic_error>([&] { builder.copy(from, to); }),
            "layer (forward): buffer X extends past the end of its tensor");
}

/// Two samples of 64 words, of a hundred.
TEST(Lowering, ReadsTheRowsOfATableAgainThatABatchReadsAgain) {
  const Network network =
      read_network("words.yaml",
                   "name: words\ninput: {tokens: 64}\nlayers:\n"
                   "  - {name: words, op: embedding, vocabulary: 100, out: 64}\n"
                   "  - {name: logits, op: linear, out: 100, tied: true}\n");
  EXPECT_EQ(lower(network, {.batch = 1}).steps[0].work.text, "copy:rows=64,cols=64,dtype=fp16");
  EXPECT_EQ(lower(network, {.batch = 2}).steps[0].work.text,
            "upsample:n=1,h=64,w=1,c=64,r=2,s=1,dtype=fp16");
  EXPECT_NO_THROW((void)trained(network));
}

TEST(Lowering, GivesAReshapeThatResizesItsOwnMemory) {
  const Network network = between("  - {name: other, op: reshape, h: 48, c: 96, resizes: true}\n");
  const Program program = trained(network);
  const auto after = std::ranges::find(program.steps, "after", &Step::layer);
  const Binding& read = binding_of(*after, "A");
  EXPECT_NE(read.tensor, binding_of(program.steps[0], "D").tensor);
  EXPECT_EQ(program.tensors[static_cast<std::size_t>(read.tensor)].bytes, 2 * 48 * 96 * 2);
}

/// K and V lie at multiples of 256 bytes; Q has 96.
TEST(Lowering, HasRoomForTheGapsOfAJoinedAttention) {
  const Network network = read_network(
      "odd.yaml",
      "name: odd\ninput: {tokens: 3, c: 8}\nlayers:\n"
      "  - {name: qkv, op: linear, out: 24}\n  - {name: a, op: attention, heads: 1}\n");
  for (const Precision precision : {Precision::kFp16, Precision::kFp32})
    EXPECT_NO_THROW(
        (void)lower(network, {.batch = 2, .precision = precision, .is_training = true}));
}

/// The halves of 32 rows of 128 columns and a gradient of 64.
TEST(Gradients, OfSiluAndMulReadHalfAsManyColumnsAsTheyWrite) {
  const Program program = trained(
      between("  - {name: wide, op: linear, out: 128}\n  - {name: gate, op: silu_and_mul}\n"));
  const auto steps = gradient_steps(program, "gate");
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0]->work.text, "bias:rows=2,cols=2048,dtype=fp16");
  EXPECT_EQ(kernels::vector_bytes(std::get<kernels::VectorProblem>(steps[0]->work.work)),
            (2 + 1 + 2) * 32 * 64 * 2);
  const std::vector<std::string> wide = gradient_texts(program, "wide");
  ASSERT_EQ(wide.size(), 2U);
  EXPECT_THAT(wide[0], StartsWith("gemm:m=32,n=64,k=128,"));
}

TEST(Gradients, OfATokenAreZerosForTheOthers) {
  for (const char* which : {"first", "last"}) {
    const Program program =
        trained(between("  - {name: token, op: " + std::string(which) + "_token}\n"));
    EXPECT_THAT(gradient_texts(program, "token"),
                ElementsAre("upsample:n=1,h=2,w=1,c=64,r=16,s=1,dtype=fp16",
                            "copy:rows=2,cols=64,dtype=fp16"));
    const auto steps = gradient_steps(program, "token");
    const Binding& copied = binding_of(*steps[1], "D");
    EXPECT_EQ(copied.tensor, binding_of(*steps[0], "y").tensor);
    EXPECT_EQ(copied.offset, which == std::string("last") ? (32 - 2) * 64 * 2 : 0);
  }
}

TEST(Gradients, OfPoolsReadWhatTheyHaveAndWriteTheImage) {
  const std::string image = "{h: 9, w: 9, c: 16}";
  EXPECT_THAT(
      gradient_texts(trained(between("  - {name: pool, op: global_avg_pool}\n", image)), "pool"),
      ElementsAre("upsample:n=1,h=2,w=1,c=64,r=81,s=1,dtype=fp16"));
  // Of 2 x 4 x 4 pixels, 27 are read for six of 162 each.
  EXPECT_THAT(
      gradient_texts(trained(between("  - {name: pool, op: max_pool, rs: 3, stride: 2}\n", image)),
                     "pool"),
      ElementsAre("upsample:n=1,h=27,w=1,c=64,r=6,s=1,dtype=fp16"));
}

TEST(Gradients, OfARowThatIsAddedToAllAreTheirSum) {
  const Program program =
      trained(between("  - {name: mean, op: global_avg_pool}\n"
                      "  - {name: row, op: linear, out: 64, bias: false}\n"
                      "  - {name: sum, op: add, from: [before, row]}\n",
                      "{h: 8, w: 8, c: 16}"));
  EXPECT_THAT(gradient_texts(program, "sum"),
              ElementsAre("avg_pool:n=2,h=8,w=8,c=64,r=8,s=8,stride_h=8,stride_w=8,pad_h=0,pad_w=0,"
                          "dtype=fp16"));
  const std::vector<std::string> row = gradient_texts(program, "row");
  ASSERT_EQ(row.size(), 2U);
  EXPECT_THAT(row[0], StartsWith("gemm:m=2,n=64,k=64,"));
  EXPECT_THAT(row[1], StartsWith("gemm:m=64,n=64,k=2,"));
}

TEST(Gradients, OfProductsAreComputedForInputsThatWantThem) {
  const auto products = [](const std::string& from) {
    const Program program = trained(
        between("  - {name: product, op: matmul, m: 16, n: 16, k: 64, from: " + from + "}\n"));
    return gradient_texts(program, "product");
  };
  EXPECT_THAT(products("[input, input]"), IsEmpty());
  EXPECT_THAT(products("[before, input]"), ElementsAre(StartsWith("gemm:m=16,n=64,k=16,")));
  EXPECT_THAT(products("[input, before]"), ElementsAre(StartsWith("gemm:m=16,n=64,k=16,")));
  EXPECT_EQ(products("[before, before]").size(), 3U);  // and their sum
}

/// In the order S, softmax, dV, dP, dS, dQ, dK.
TEST(Gradients, OfAttentionAreComputedForInputsThatWantThem) {
  const auto kernels_of = [](const std::string& from) {
    const Program program =
        trained(between("  - {name: att, op: attention, heads: 2, from: " + from + "}\n"));
    std::vector<std::string> words;
    for (const std::string& text : gradient_texts(program, "att"))
      words.push_back(text.substr(0, text.find(':')));
    return words;
  };
  EXPECT_THAT(kernels_of("[input, input, input]"), IsEmpty());
  EXPECT_THAT(kernels_of("[input, input, before]"), ElementsAre("gemm", "softmax", "gemm"));
  EXPECT_THAT(kernels_of("[before, input, input]"),
              ElementsAre("gemm", "softmax", "gemm", "mul", "gemm"));
  EXPECT_THAT(kernels_of("[input, before, before]"),
              ElementsAre("gemm", "softmax", "gemm", "gemm", "mul", "gemm", "add"));
}

}  // namespace
}  // namespace tcsim::networks
