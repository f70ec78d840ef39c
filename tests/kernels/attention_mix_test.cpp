#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>

#include "tests/kernels/bank_count.hpp"
#include "tests/support/targets.hpp"
#include "workloads/kernels/attention/attention.hpp"

namespace tcsim::kernels::testing {
namespace {

using isa::Opcode;

AttentionProblem prefill(std::int64_t dim) {
  return {.batch = 4, .heads = 16, .kv_heads = 16, .queries = 2048, .keys = 2048, .dim = dim};
}

std::map<Opcode, int> loop_counts(const isa::WarpProgram& program) {
  std::map<Opcode, int> counts;
  for (int i = program.loops[0].first; i <= program.loops[0].last; ++i)
    ++counts[program.instructions[static_cast<std::size_t>(i)].opcode];
  return counts;
}

/// A column of the table of kernels.md 6.2. `total` leaves out the register spills of that build.
struct CountedBlock {
  std::int64_t dim;
  int ldsm, ldsm_t, exponentials, ffma, fadd, fmnmx, fmul, packs, shuffles, total;
};

TEST(FusedAttentionLoop, HasTheCountedInstructionMix) {
  for (const CountedBlock& want : {CountedBlock{128, 48, 32, 68, 68, 64, 72, 136, 32, 8, 910},
                                   CountedBlock{64, 40, 32, 132, 132, 128, 136, 72, 64, 8, 1068}}) {
    SCOPED_TRACE(want.dim);
    const isa::KernelLaunch launch = make_attention(prefill(want.dim), a100()).front();
    auto counts = loop_counts(launch.programs[0]);
    EXPECT_EQ(counts[Opcode::kHmma16816F32], 256);
    EXPECT_EQ(counts[Opcode::kLdsmX4], want.ldsm);
    EXPECT_EQ(counts[Opcode::kLdsmTX4], want.ldsm_t);
    EXPECT_EQ(counts[Opcode::kLdgsts128], 16);
    EXPECT_EQ(counts[Opcode::kMufuEx2], want.exponentials);
    EXPECT_EQ(counts[Opcode::kFfma], want.ffma);
    EXPECT_EQ(counts[Opcode::kFadd], want.fadd);
    EXPECT_EQ(counts[Opcode::kFmnmx], want.fmnmx);
    EXPECT_EQ(counts[Opcode::kFmul], want.fmul);
    EXPECT_EQ(counts[Opcode::kF2fp], want.packs);
    EXPECT_EQ(counts[Opcode::kShfl], want.shuffles);
    EXPECT_EQ(counts[Opcode::kDepbar], 2);
    EXPECT_EQ(counts[Opcode::kBarSync], 2);
    int total = 0;
    for (const auto& [opcode, count] : counts) total += count;
    EXPECT_NEAR(total, want.total, 0.02 * want.total);
    EXPECT_LE(launch.registers_per_thread, 255);
    EXPECT_GE(launch.registers_per_thread, 250);
  }
}

TEST(FusedAttention, TakesTheTilesOfFlashAttention) {
  const auto tile = [](std::int64_t dim) { return attention_tiles(prefill(dim), a100()).front(); };
  EXPECT_EQ(tile(32), "128x128_w4");
  EXPECT_EQ(tile(64), "128x128_w4");
  EXPECT_EQ(tile(96), "128x64_w4");
  EXPECT_EQ(tile(128), "128x64_w4");
  EXPECT_EQ(tile(192), "128x64_w8");
  EXPECT_EQ(tile(256), "128x64_w8");
  EXPECT_EQ(make_attention(prefill(128), a100()).front().shared_bytes_per_cta, 64 * 1024);
  EXPECT_EQ(make_attention(prefill(64), a100()).front().shared_bytes_per_cta, 48 * 1024);
}

TEST(FusedAttention, SplitsTheKeysOfFewLongRows) {
  const AttentionProblem decode{
      .batch = 1, .heads = 32, .kv_heads = 8, .queries = 1, .keys = 8192, .dim = 128};
  EXPECT_EQ(attention_tiles(decode, a100()).front(), "64x128_w4_splitkv22");
  EXPECT_EQ(make_attention(decode, a100()).size(), 2U);
}

TEST(FusedAttention, IsRefusedWithoutTheInstructions) {
  EXPECT_NE(why_no_attention(prefill(64), p100()), "");
  EXPECT_NE(why_no_attention(prefill(65), a100()), "");
  EXPECT_NE(why_no_attention(prefill(264), a100()), "");
  AttentionProblem fp32 = prefill(64);
  fp32.element = Element::kFp32;
  EXPECT_NE(why_no_attention(fp32, a100()), "");
}

TEST(FusedAttention, OneQuerySeesAllKeysWithAMaskAndWithout) {
  AttentionProblem decode{
      .batch = 1, .heads = 32, .kv_heads = 8, .queries = 1, .keys = 8192, .dim = 128};
  const auto plain_tiles = attention_tiles(decode, a100());
  const auto plain = make_attention(decode, a100()).front().programs[0].instructions.size();
  const double flop = attention_flop(decode);
  decode.causal = true;
  EXPECT_EQ(attention_tiles(decode, a100()), plain_tiles);
  EXPECT_EQ(make_attention(decode, a100()).front().programs[0].instructions.size(), plain);
  EXPECT_EQ(attention_flop(decode), flop);
}

TEST(AttentionFlop, AreTwoProductsForwardAndFiveBackwardOfWhichAMaskLeavesHalf) {
  AttentionProblem problem = prefill(64);
  const double product = 2.0 * 4 * 16 * 2048 * 2048 * 64;
  EXPECT_EQ(attention_flop(problem), 2 * product);
  problem.pass = AttentionPass::kBackward;
  EXPECT_EQ(attention_flop(problem), 5 * product);
  problem.causal = true;
  EXPECT_EQ(attention_flop(problem), 5 * product / 2);
}

/// With 510 keys before those of two queries, the mask hides one of their 1024 scores.
TEST(AttentionFlop, AreOfTheKeysThatCausalQueriesSee) {
  AttentionProblem problem{
      .batch = 1, .heads = 2, .kv_heads = 2, .queries = 2, .keys = 512, .dim = 64};
  problem.causal = true;
  EXPECT_EQ(attention_flop(problem), 4.0 * 2 * 2 * 64 * (512 + 510) / 2);
  problem.keys = 1;
  EXPECT_EQ(attention_pairs(problem), 0.5) << "a query that sees no key";
}

/// Shared-memory wavefronts beyond the fewest possible, over all accesses of one CTA's warps.
int excess_wavefronts(const isa::KernelLaunch& launch) {
  const isa::WarpProgram& program = launch.programs[0];
  int excess = 0;
  for (const isa::Instruction& instruction : program.instructions) {
    const isa::OpcodeInfo& info = isa::opcode_info(instruction.opcode);
    if (!isa::is_memory(instruction.opcode) || info.effect <= isa::Effect::kStoreGlobal) continue;
    const isa::Address& address =
        program.accesses[static_cast<std::size_t>(instruction.access)].shared;
    for (int warp = 0; warp < launch.warps_per_cta; ++warp) {
      isa::Bindings bindings{};
      bindings[static_cast<std::size_t>(isa::Variable::kWarp)] = warp;
      std::array<std::int64_t, 32> offsets{};
      for (std::size_t lane = 0; lane < 32; ++lane) {
        bindings[static_cast<std::size_t>(isa::Variable::kLane)] = static_cast<std::int64_t>(lane);
        offsets[lane] = address.swizzle.apply(isa::evaluate(address.offset, bindings));
      }
      const bool is_ldsm = info.effect == isa::Effect::kLoadMatrix;
      const Wavefronts found = count_wavefronts(offsets, is_ldsm ? 16 : info.bytes_per_lane);
      excess += found.needed - found.conflict_free;
    }
  }
  return excess;
}

TEST(FusedAttention, HasNoBankConflicts) {
  for (const std::int64_t dim : {32, 64, 96, 128, 192, 256})
    EXPECT_EQ(excess_wavefronts(make_attention(prefill(dim), a100()).front()), 0) << dim;
}

TEST(StagedAttention, HasNoBankConflicts) {
  for (const std::int64_t dim : {32, 64, 96, 128, 192, 256}) {
    EXPECT_EQ(excess_wavefronts(make_attention(prefill(dim), t4()).front()), 0) << dim;
    // Volta's stores of probabilities, one per pair of columns, meet in twos.
    const isa::KernelLaunch volta = make_attention(prefill(dim), v100()).front();
    const auto stores = std::ranges::count(volta.programs[0].instructions, Opcode::kSts32,
                                           &isa::Instruction::opcode);
    EXPECT_EQ(excess_wavefronts(volta), stores * volta.warps_per_cta) << dim;
  }
}

TEST(StagedAttention, IsAValidLaunch) {
  for (const Target& target : {v100(), t4()})
    for (const bool causal : {false, true})
      for (const std::int64_t dim : {32, 64, 96, 128, 192, 256}) {
        AttentionProblem problem = prefill(dim);
        problem.causal = causal;
        problem.queries = problem.keys = 2000;
        const isa::KernelLaunch launch = make_attention(problem, target).front();
        EXPECT_EQ(isa::validate(launch), std::vector<std::string>{}) << launch.name;
      }
}

/// The loop over key blocks: the longest one.
const isa::Loop& block_loop(const isa::WarpProgram& program) {
  return *std::ranges::max_element(program.loops, {},
                                   [](const isa::Loop& loop) { return loop.last - loop.first; });
}

TEST(StagedAttentionLoop, FitsTheInstructionCacheOfASubCore) {
  constexpr int kInstructions = 12 * 1024 / 16;  // configs/v100.yaml
  for (const std::int64_t dim : {32, 64, 96}) {
    const isa::KernelLaunch launch = make_attention(prefill(dim), v100()).front();
    const isa::Loop& loop = block_loop(launch.programs[0]);
    EXPECT_LE(loop.last - loop.first + 1, kInstructions) << dim;
  }
}

/// Executions of HMMA.884 (one of four steps) and LDS.128 in a trip of the block loop.
TEST(StagedAttentionLoop, HasTheInstructionsOfItsProducts) {
  const isa::WarpProgram program = make_attention(prefill(64), v100()).front().programs[0];
  const isa::Loop& outer = block_loop(program);
  std::map<Opcode, std::int64_t> counts;
  for (int i = outer.first; i <= outer.last; ++i) {
    std::int64_t times = 1;
    for (const isa::Loop& loop : program.loops)
      if (loop.depth == 1 && loop.first <= i && i <= loop.last) times = loop.trips.constant;
    counts[program.instructions[static_cast<std::size_t>(i)].opcode] += times;
  }
  // 32 rows of a warp, 32 keys: two products of 32 x 32 x 64.
  EXPECT_EQ(counts[Opcode::kHmma884F32Step0], 2 * 32 * 32 * 64 / 1024);
  EXPECT_EQ(counts[Opcode::kHmma884F32Step3], 2 * 32 * 32 * 64 / 1024);
  // Of A two for each eight columns or keys; of K two, of V four: the first five of each loop come
  // before it, those behind its last trip are switched off.
  EXPECT_EQ(counts[Opcode::kLds128], 8 * (2 + 2) + 4 * (2 + 4) + 2 * 5);
  EXPECT_EQ(counts[Opcode::kLdg128], 4);
  EXPECT_EQ(counts[Opcode::kSts128], 4);
  EXPECT_EQ(counts[Opcode::kSts32], 32 * 32 / 64);
  EXPECT_EQ(counts[Opcode::kBarSync], 2);
  EXPECT_EQ(counts[Opcode::kMufuEx2], 32 + 4);
}

TEST(StagedAttentionLoop, HasTwoMmasForOneOfAmpere) {
  auto turing = loop_counts(make_attention(prefill(64), t4()).front().programs[0]);
  EXPECT_EQ(turing[Opcode::kHmma1688F32], 2 * 32 * 64 * 64 / 1024);
  EXPECT_EQ(turing[Opcode::kLdsmX4] + turing[Opcode::kLdsmTX4], 4 * (2 + 4) + 16);
  EXPECT_EQ(turing[Opcode::kLdg128], 8);
}

TEST(StagedAttention, TakesItsTiles) {
  const auto tile = [](std::int64_t dim, const Target& target) {
    return attention_tiles(prefill(dim), target).front();
  };
  EXPECT_EQ(tile(64, v100()), "128x32_w4");
  EXPECT_EQ(tile(64, t4()), "128x64_w4");
  EXPECT_EQ(tile(128, v100()), "128x32_w4");
  EXPECT_EQ(tile(256, v100()), "128x32_w8");
  EXPECT_EQ(tile(256, t4()), "64x32_w4");
  const AttentionProblem decode{.heads = 32, .kv_heads = 8, .queries = 1, .keys = 8192, .dim = 128};
  EXPECT_THAT(attention_tiles(decode, v100()).front(), ::testing::StartsWith("64x64_w4_splitkv"));
}

TEST(FusedAttention, IsAValidLaunch) {
  for (const bool causal : {false, true})
    for (const std::int64_t dim : {32, 64, 96, 128, 192, 256}) {
      AttentionProblem problem = prefill(dim);
      problem.causal = causal;
      problem.queries = problem.keys = 2000;
      for (const isa::KernelLaunch& launch : make_attention(problem, a100()))
        EXPECT_EQ(isa::validate(launch), std::vector<std::string>{}) << launch.name;
    }
}

AttentionProblem paged(std::int64_t batch, std::int64_t heads, std::int64_t kv_heads,
                       std::int64_t length) {
  return {.batch = batch,
          .heads = heads,
          .kv_heads = kv_heads,
          .queries = length,
          .keys = length,
          .dim = 128,
          .causal = true,
          .element = Element::kBf16,
          .algorithm = AttentionAlgorithm::kPaged};
}

std::string paged_tile(const AttentionProblem& problem) {
  return attention_tiles(problem, a100()).at(1);
}

TEST(PagedAttention, TakesTheTilesOfFlashAttention3) {
  // 128 tiles of one sequence nearly fill 108 SMs.
  EXPECT_EQ(paged_tile(paged(4, 16, 16, 1024)), "128x64_w4");
  // 80 do not, but 3 blocks of 112 keys are too few to split.
  EXPECT_EQ(paged_tile(paged(16, 40, 1, 256)), "128x64_w4");
  // 48 tiles of 55 blocks: two splits make 96.
  EXPECT_EQ(paged_tile(paged(1, 1, 1, 6144)), "128x112_w8_splitkv2");
  // Eight sequences of 32 tiles and 5 blocks: splits are allowed, but 256 tiles need none.
  EXPECT_EQ(paged_tile(paged(8, 8, 4, 512)), "128x112_w8");
}

TEST(PagedAttention, PacksRowsAndOrdersTiles) {
  const auto stream = make_attention(paged(2, 12, 4, 100), a100());
  ASSERT_EQ(stream.size(), 2U);
  // 300 rows of the heads of a group; tiles, heads, sequences.
  EXPECT_EQ(stream[1].grid, (std::array<std::int64_t, 3>{3, 4, 2}));
  const auto divided = make_attention(paged(8, 8, 4, 512), a100());
  ASSERT_EQ(divided.size(), 3U);
  // 256 tiles, which CTAs take.
  EXPECT_EQ(divided[1].grid, (std::array<std::int64_t, 3>{108, 1, 1}));
  EXPECT_TRUE(std::ranges::any_of(divided[1].programs[0].loops,
                                  [](const isa::Loop& loop) { return loop.numbers == 4 * 8 * 8; }));
  EXPECT_EQ(divided[1].registers_per_thread, 255);
  EXPECT_EQ(divided[1].shared_bytes_per_cta, (128 + 112) * 256 + 16);
}

TEST(PagedAttention, LooksUpOnePageOfABlock) {
  const isa::KernelLaunch launch = make_attention(paged(4, 16, 16, 1024), a100())[1];
  auto counts = loop_counts(launch.programs[0]);
  EXPECT_EQ(counts[Opcode::kHmma16816F32Bf16], 256);
  EXPECT_EQ(counts[Opcode::kLdgsts128], 16);
  EXPECT_EQ(counts[Opcode::kLdg32], 1);
  // 8 of the softmax; pointers of four rows, 64 bits each, of K and of V.
  EXPECT_EQ(counts[Opcode::kShfl], 8 + 2 * 2 * 4);
}

TEST(PagedAttention, IsAValidLaunchWithoutBankConflicts) {
  for (const std::int64_t length : {100, 512, 3000})
    for (const std::int64_t group : {1, 5})
      for (const std::int64_t dim : {64, 96, 128}) {
        AttentionProblem problem = paged(8, 4 * group, 4, length);
        problem.dim = dim;
        problem.writes_cache = true;
        const auto stream = make_attention(problem, a100());
        for (const isa::KernelLaunch& launch : stream)
          EXPECT_EQ(isa::validate(launch), std::vector<std::string>{}) << launch.name;
        EXPECT_EQ(excess_wavefronts(stream[2]), 0) << stream[2].name;
      }
}

TEST(CacheWrite, MovesRowsByOneTwoOrFourWarps) {
  const auto launch = [](std::int64_t kv_heads) {
    AttentionProblem problem = paged(4, 2 * kv_heads, kv_heads, 128);
    problem.writes_cache = true;
    return make_attention(problem, a100()).front();
  };
  // 512 tokens of 256, 1024 and 10240 bytes, four warps in a CTA.
  EXPECT_EQ(launch(1).grid[0], 128);
  EXPECT_EQ(launch(4).grid[0], 256);
  EXPECT_EQ(launch(40).grid[0], 512);
  const auto count = [&](std::int64_t kv_heads, Opcode opcode) {
    const isa::KernelLaunch kernel = launch(kv_heads);
    return std::ranges::count(kernel.programs[0].instructions, opcode, &isa::Instruction::opcode);
  };
  EXPECT_EQ(count(1, Opcode::kStg64), 2);
  EXPECT_EQ(count(4, Opcode::kStg128), 2);
  EXPECT_EQ(count(40, Opcode::kStg128), 10);
}

}  // namespace
}  // namespace tcsim::kernels::testing
