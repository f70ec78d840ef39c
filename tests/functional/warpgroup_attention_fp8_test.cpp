#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>

#include "sim/values/attention_operation.hpp"
#include "sim/values/tensor_values.hpp"
#include "tests/functional/attention_values.hpp"
#include "tests/functional/small_hopper.hpp"
#include "workloads/kernels/attention/warpgroup_forward_plan.hpp"

namespace tcsim::functional::testing {
namespace {

using kernels::AttentionProblem;
using kernels::Element;

AttentionProblem fp8(AttentionProblem problem) {
  problem.element = Element::kE4m3;
  return problem;
}

AttentionProblem fp8_in_pages(AttentionProblem problem) {
  problem.algorithm = kernels::AttentionAlgorithm::kPaged;
  return fp8(problem);
}

kernels::Target hopper_of(const AttentionProblem& problem, int sms) {
  kernels::Target target = small_hopper(problem);
  target.sms = sms;
  return target;
}

values::TensorValues executed(const AttentionProblem& problem,
                              const values::TensorOperation& operation, int sms = 2) {
  const auto stream = kernels::make_attention(problem, hopper_of(problem, sms));
  auto values = values::execute_operation(operation, values::Distribution::kNormal, /*seed=*/5,
                                          numerics::Generation::kHopper, stream);
  EXPECT_TRUE(values.has_value());
  return values.value();
}

void expect_right(const AttentionProblem& problem, const std::string& tile, int sms = 2) {
  const kernels::Target target = hopper_of(problem, sms);
  ASSERT_EQ(kernels::why_no_attention(problem, target), "");
  EXPECT_EQ(kernels::attention_tiles(problem, target).front(), tile);
  const auto values = executed(problem, values::attention_operation(problem), sms);
  EXPECT_EQ(values.racing_bytes, 0);
  for (const values::TensorResult& result : values.results) {
    EXPECT_EQ(result.outside, 0) << result.shape.name << " of " << problem.queries << "x"
                                 << problem.keys << " d" << problem.dim;
    if (result.shape.name == "O") {
      EXPECT_LT(result.arithmetic.norm_relative, 0.1);
    }
  }
}

TEST(WarpgroupAttentionFp8, MatchesTheDefinitionInEveryTile) {
  expect_right(fp8({.queries = 192, .keys = 320, .dim = 64}), "192x160_w12");
  expect_right(fp8({.queries = 128, .keys = 448, .dim = 128}), "128x224_w8");
  expect_right(fp8({.queries = 128, .keys = 320, .dim = 192}), "128x160_w8");
  expect_right(fp8({.queries = 128, .keys = 256, .dim = 256}), "128x128_w8");
}

TEST(WarpgroupAttentionFp8, MasksRaggedKeysAndDropsRaggedRows) {
  expect_right(fp8({.heads = 3, .kv_heads = 3, .queries = 77, .keys = 201, .dim = 64}),
               "192x160_w12");
  expect_right(fp8({.heads = 3, .kv_heads = 3, .queries = 130, .keys = 65, .dim = 128}),
               "128x224_w8");
  expect_right(fp8({.queries = 65, .keys = 5, .dim = 48}), "192x160_w12");
}

TEST(WarpgroupAttentionFp8, ReadsPages) {
  for (const bool causal : {false, true}) {
    expect_right(fp8_in_pages({.queries = 200, .keys = 330, .dim = 64, .causal = causal}),
                 "192x160_w12");
    expect_right(fp8_in_pages({.batch = 2,
                               .heads = 4,
                               .kv_heads = 2,
                               .queries = 77,
                               .keys = 330,
                               .dim = 128,
                               .causal = causal}),
                 "128x160_w8");
  }
  expect_right(fp8_in_pages({.queries = 130, .keys = 5, .dim = 112}), "128x160_w8");
  expect_right(fp8_in_pages({.queries = 70, .keys = 330, .dim = 192}), "128x160_w8");
}

TEST(WarpgroupAttentionFp8, DecodesPagesWithSplitKeys) {
  expect_right(
      fp8_in_pages(
          {.batch = 2, .heads = 12, .kv_heads = 2, .queries = 1, .keys = 1500, .dim = 128}),
      "128x160_w8_splitkv4", 20);
}

TEST(WarpgroupAttentionFp8, PagesRaceWithoutFencesAndWaits) {
  using Plan = kernels::WarpgroupForwardPlan;
  const AttentionProblem problem = fp8_in_pages(
      {.heads = 4, .kv_heads = 2, .queries = 70, .keys = 650, .dim = 128, .causal = true});
  EXPECT_EQ(racing_bytes_without(isa::Opcode::kMembar, problem), 0);
  EXPECT_GT(racing_bytes_without(isa::Opcode::kFenceViewAsync, problem), 0);
  for (const int barrier : {Plan::kValueFull, Plan::kKeyFull, Plan::kKeyEmpty, Plan::kLoadedFull,
                            Plan::kLoadedEmpty, Plan::kQueryEmpty})
    EXPECT_GT(racing_bytes_without(isa::Opcode::kSyncsTryWait, problem, Plan::barrier(barrier)), 0)
        << barrier;
  // Transposers that overtake arrive in phases that consumers still wait for.
  EXPECT_EQ(
      racing_bytes_without(isa::Opcode::kSyncsTryWait, problem, Plan::barrier(Plan::kValueEmpty)),
      kRefused);
}

TEST(WarpgroupAttentionFp8, HidesTheFuture) {
  for (const std::int64_t length : {65, 460})
    for (const std::int64_t dim : {64, 128})
      expect_right(fp8({.heads = 2,
                        .kv_heads = 2,
                        .queries = length,
                        .keys = length,
                        .dim = dim,
                        .causal = true}),
                   dim == 64 ? "192x160_w12" : "128x224_w8");
}

TEST(WarpgroupAttentionFp8, SharesKeysAndTheirScalesAmongTheHeadsOfAGroup) {
  for (const bool causal : {false, true}) {
    AttentionProblem problem = fp8({.batch = 2,
                                    .heads = 4,
                                    .kv_heads = 2,
                                    .queries = 70,
                                    .keys = 230,
                                    .dim = 128,
                                    .causal = causal});
    expect_right(problem, "128x224_w8");
    problem.has_head_scales = true;
    problem.dim = 64;
    expect_right(problem, "192x160_w12");
  }
}

TEST(WarpgroupAttentionFp8, ScalesOfHeadsAreNotOne) {
  AttentionProblem problem = fp8({.queries = 80, .keys = 160, .dim = 64});
  auto operation = values::attention_operation(problem);
  problem.has_head_scales = true;
  const auto evaluate = operation.evaluate;
  operation = values::attention_operation(problem);
  operation.evaluate = evaluate;
  for (const values::TensorResult& result : executed(problem, operation).results)
    EXPECT_GT(result.outside, 10) << result.shape.name;
}

/// E4M3 numbers that are no NaN.
void fill_random(std::span<std::uint8_t> buffer) {
  std::mt19937 random(3);
  constexpr std::uint8_t kMagnitude = 0x7f;  // all ones: NaN
  for (std::uint8_t& byte : buffer) do
      byte = static_cast<std::uint8_t>(random());
    while ((byte & kMagnitude) == kMagnitude);
}

/// Rows of two large elements: one says which of 32, the other which of all these.
void fill_with_codes(std::span<std::uint8_t> buffer, std::int64_t dim, std::int64_t step) {
  constexpr std::uint8_t k256 = 0x78;
  constexpr std::int64_t kCodes = 32;
  std::ranges::fill(buffer, 0);
  const std::int64_t rows = std::ssize(buffer) / dim;
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t code = row * step % rows;
    buffer[static_cast<std::size_t>(row * dim + code / kCodes)] = k256;
    buffer[static_cast<std::size_t>(row * dim + kCodes + code % kCodes)] = k256;
  }
}

/// Each query has the code of one key, so that O is a row of V, bit by bit: no key and no column
/// may change places on the way through transposed V.
TEST(WarpgroupAttentionFp8, GivesTheValueOfTheOnlyKeyThatCounts) {
  constexpr std::int64_t kStep = 101;  // has no factor in common with the numbers of keys
  for (const auto& [dim, keys] : {std::pair{64, 320}, {128, 448}, {192, 320}, {256, 256}}) {
    const AttentionProblem problem = fp8({.queries = keys, .keys = keys, .dim = dim});
    const auto stream = kernels::make_attention(problem, small_hopper(problem));
    GlobalMemory memory(stream);
    fill_with_codes(memory.buffer("Q"), dim, kStep);
    fill_with_codes(memory.buffer("K"), dim, 1);
    fill_random(memory.buffer("V"));
    const auto result = execute(stream, numerics::Generation::kHopper, memory);
    ASSERT_TRUE(result.has_value()) << result.refusal().reason;
    const auto v = elements_of(memory.buffer("V"), Element::kE4m3);
    const auto o = elements_of(memory.buffer("O"), Element::kBf16);
    std::int64_t wrong = 0;
    for (std::int64_t query = 0; query < keys; ++query)
      for (std::int64_t i = 0; i < dim; ++i)
        wrong += o[static_cast<std::size_t>(query * dim + i)] ==
                         v[static_cast<std::size_t>(query * kStep % keys * dim + i)]
                     ? 0
                     : 1;
    EXPECT_EQ(wrong, 0) << dim;
  }
}

TEST(WarpgroupAttentionFp8, RacesWithoutItsFencesAndWaits) {
  using Plan = kernels::WarpgroupForwardPlan;
  using isa::Opcode;
  const AttentionProblem problem =
      fp8({.heads = 3, .kv_heads = 3, .queries = 128, .keys = 600, .dim = 128});
  EXPECT_EQ(racing_bytes_without(Opcode::kMembar, problem), 0);
  constexpr int kLoader = 0;
  constexpr int kTransposer = 1;
  for (const int program : {kLoader, kTransposer})
    EXPECT_GT(racing_bytes_without(Opcode::kFenceViewAsync, problem, -1, program), 0) << program;
  for (const int barrier : {Plan::kValueFull, Plan::kLoadedFull, Plan::kKeyFull,
                            Plan::kOutputStored, Plan::kQueryEmpty})
    EXPECT_GT(racing_bytes_without(Opcode::kSyncsTryWait, problem, Plan::barrier(barrier)), 0)
        << barrier;
  // Who overtakes here arrives in phases that others still wait for, so that nobody goes on.
  for (const int barrier : {Plan::kValueEmpty, Plan::kLoadedEmpty})
    EXPECT_EQ(racing_bytes_without(Opcode::kSyncsTryWait, problem, Plan::barrier(barrier)),
              kRefused)
        << barrier;
}

/// Wavefronts that the eight rows of a matrix of an LDSM or STSM take.
std::size_t wavefronts(const std::array<std::int64_t, 32>& rows, std::size_t matrix) {
  std::set<std::int64_t> pieces;
  for (std::size_t row = 0; row < 8; ++row) pieces.insert(rows[8 * matrix + row] % 128 / 16);
  return 8 / pieces.size();
}

TEST(WarpgroupAttentionFp8, TransposesWithoutBankConflicts) {
  for (const std::int64_t dim : {64, 128, 192, 256}) {
    const AttentionProblem problem = fp8({.queries = 256, .keys = 512, .dim = dim});
    const auto stream = kernels::make_attention(problem, small_hopper(problem));
    const isa::WarpProgram& program = stream.front().programs[1];
    int found = 0;
    for (const isa::Instruction& instruction : program.instructions) {
      if (!isa::moves_matrices(isa::opcode_info(instruction.opcode).effect)) continue;
      ++found;
      const isa::Address& address =
          program.accesses[static_cast<std::size_t>(instruction.access)].shared;
      isa::Bindings bindings{};
      std::array<std::int64_t, 32> rows{};
      for (std::size_t lane = 0; lane < rows.size(); ++lane) {
        bindings[static_cast<std::size_t>(isa::Variable::kLane)] = static_cast<std::int64_t>(lane);
        rows[lane] = address.swizzle.apply(isa::evaluate(address.offset, bindings));
      }
      for (std::size_t matrix = 0; matrix < 4; ++matrix)
        EXPECT_EQ(wavefronts(rows, matrix), 1U) << dim;
    }
    EXPECT_GT(found, 0) << dim;
  }
}

TEST(WarpgroupAttentionFp8, IsRefusedWhereThereIsNone) {
  const auto reason = [](AttentionProblem problem) {
    return kernels::why_no_attention(problem, small_hopper(problem));
  };
  AttentionProblem problem = fp8({.queries = 128, .keys = 128, .dim = 128});
  problem.pass = kernels::AttentionPass::kBackward;
  EXPECT_EQ(reason(problem), "e4m3 has only fused and paged forward passes");
  problem = fp8({.queries = 128, .keys = 128, .dim = 72});
  EXPECT_NE(reason(problem), "");
  problem = fp8({.queries = 16, .keys = 128, .dim = 128});
  EXPECT_NE(reason(problem), "");
  problem = {.queries = 128, .keys = 128, .dim = 128, .has_head_scales = true};
  EXPECT_EQ(reason(problem), "scales of heads need e4m3 without pages");
  problem = fp8_in_pages({.queries = 16, .keys = 128, .dim = 128, .has_head_scales = true});
  EXPECT_EQ(reason(problem), "scales of heads need e4m3 without pages");
}

}  // namespace
}  // namespace tcsim::functional::testing
