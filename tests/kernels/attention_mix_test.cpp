#include <gtest/gtest.h>

#include <array>
#include <map>

#include "tests/kernels/bank_count.hpp"
#include "tests/kernels/gemm_check.hpp"
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
  EXPECT_NE(why_no_attention(prefill(64), v100()), "");
  EXPECT_NE(why_no_attention(prefill(65), a100()), "");
  EXPECT_NE(why_no_attention(prefill(264), a100()), "");
  AttentionProblem fp32 = prefill(64);
  fp32.element = Element::kFp32;
  EXPECT_NE(why_no_attention(fp32, a100()), "");
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

}  // namespace
}  // namespace tcsim::kernels::testing
