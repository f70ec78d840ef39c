#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "tests/kernels/bank_count.hpp"
#include "tests/kernels/gemm_case.hpp"
#include "tests/support/targets.hpp"

namespace tcsim::kernels::testing {
namespace {

/// Wavefronts of each shared-memory pattern of the launch in CTA 0, for every warp, at loop
/// counters 0 and 1.
struct Excess {
  int main_loop = 0;
  int epilogue = 0;
};

void add_access(const isa::KernelLaunch& launch, std::size_t index, isa::Bindings bindings,
                int& excess) {
  const isa::WarpProgram& program = launch.programs[0];
  const isa::Instruction& instruction = program.instructions[index];
  const isa::OpcodeInfo& info = isa::opcode_info(instruction.opcode);
  const isa::Address& address =
      program.accesses[static_cast<std::size_t>(instruction.access)].shared;
  const bool is_ldsm = info.effect == isa::Effect::kLoadMatrix;
  std::array<std::int64_t, 32> offsets{};
  for (std::size_t lane = 0; lane < 32; ++lane) {
    bindings[static_cast<std::size_t>(isa::Variable::kLane)] = static_cast<std::int64_t>(lane);
    offsets[lane] = address.swizzle.apply(isa::evaluate(address.offset, bindings));
  }
  // Every LDSM matrix is eight 16-byte rows.
  const Wavefronts wavefronts = count_wavefronts(offsets, is_ldsm ? 16 : info.bytes_per_lane);
  excess += wavefronts.needed - wavefronts.conflict_free;
}

Excess excess_wavefronts(const GemmProblem& problem, const GemmTile& tile, const Target& target) {
  const isa::KernelLaunch launch = make_gemm(problem, tile, target);
  const isa::WarpProgram& program = launch.programs[0];
  Excess excess;
  for (std::size_t i = 0; i < program.instructions.size(); ++i) {
    const isa::Effect effect = isa::opcode_info(program.instructions[i].opcode).effect;
    const bool never =
        program.instructions[i].dst == isa::kZeroRegister && effect == isa::Effect::kLoadShared;
    if (never || (effect != isa::Effect::kLoadShared && effect != isa::Effect::kStoreShared &&
                  effect != isa::Effect::kLoadMatrix && effect != isa::Effect::kCopyGlobalToShared))
      continue;
    for (int warp = 0; warp < launch.warps_per_cta; ++warp)
      for (const int counter : {0, 1}) {
        isa::Bindings bindings{};
        bindings[static_cast<std::size_t>(isa::Variable::kWarp)] = warp;
        bindings[static_cast<std::size_t>(isa::Variable::kLoop0)] = counter;
        const bool after = static_cast<int>(i) > program.loops[0].last;
        add_access(launch, i, bindings, after ? excess.epilogue : excess.main_loop);
      }
  }
  return excess;
}

void expect_no_conflicts(GemmProblem problem, const Target& target) {
  for (const Layout a : kLayouts)
    for (const Layout b : kLayouts) {
      problem.layout_a = a;
      problem.layout_b = b;
      for (const GemmTile& tile : gemm_tiles(problem, target)) {
        const Excess excess = excess_wavefronts(problem, tile, target);
        EXPECT_EQ(excess.main_loop, 0) << GemmCase{target, problem, tile};
        EXPECT_EQ(excess.epilogue, 0) << GemmCase{target, problem, tile};
      }
    }
}

GemmProblem product_of_1024() { return {.m = 1024, .n = 1024, .k = 1024}; }

TEST(BankConflicts, PackedWeightsHaveNone) {
  for (const int bits : {4, 8}) {
    GemmProblem problem{.m = 512, .n = 512, .k = 512, .weights = {bits, 32}};
    for (const Layout a : kLayouts) {
      problem.layout_a = a;
      for (const GemmTile& tile : gemm_tiles(problem, a100())) {
        const Excess excess = excess_wavefronts(problem, tile, a100());
        EXPECT_EQ(excess.main_loop, 0) << GemmCase{a100(), problem, tile};
        EXPECT_EQ(excess.epilogue, 0) << GemmCase{a100(), problem, tile};
      }
    }
  }
}

TEST(BankConflicts, AreAbsentOnAmpere) {
  expect_no_conflicts(product_of_1024(), a100());
  GemmProblem half = product_of_1024();
  half.accumulate = Element::kFp16;
  expect_no_conflicts(half, a100());
  GemmProblem single = product_of_1024();
  single.output = Element::kFp32;
  expect_no_conflicts(single, a100());
}

TEST(BankConflicts, AreAbsentOnVoltaAndTuring) {
  for (const Element accumulate : {Element::kFp32, Element::kFp16}) {
    GemmProblem problem = product_of_1024();
    problem.accumulate = accumulate;
    expect_no_conflicts(problem, v100());
    expect_no_conflicts(problem, t4());
  }
}

TEST(BankConflicts, AreAbsentInFp32Kernels) {
  GemmProblem problem = product_of_1024();
  problem.input = problem.output = Element::kFp32;
  problem.unit = Unit::kCudaCore;
  expect_no_conflicts(problem, p100());
  expect_no_conflicts(problem, v100());
  expect_no_conflicts(problem, a100());
}

TEST(BankConflicts, AreAbsentInFp64KernelsOfCudaCores) {
  GemmProblem problem = product_of_1024();
  problem.input = problem.accumulate = problem.output = Element::kFp64;
  problem.unit = Unit::kCudaCore;
  expect_no_conflicts(problem, v100());
  expect_no_conflicts(problem, a100());
}

TEST(BankConflicts, AreAbsentWhereBytesAreTurned) {
  GemmProblem problem = product_of_1024();
  problem.input = Element::kInt8;
  problem.accumulate = problem.output = Element::kInt32;
  problem.unit = Unit::kCudaCore;
  expect_no_conflicts(problem, t4());
  expect_no_conflicts(problem, a100());
}

TEST(BankConflicts, AreAbsentForTf32AndInt8) {
  GemmProblem tf32 = product_of_1024();
  tf32.input = Element::kTf32;
  tf32.output = Element::kFp32;
  for (const Layout a : kLayouts)
    for (const Layout b : kLayouts) {
      tf32.layout_a = a;
      tf32.layout_b = b;
      for (const GemmTile& tile : gemm_tiles(tf32, a100()))
        EXPECT_EQ(excess_wavefronts(tf32, tile, a100()).main_loop, 0)
            << GemmCase{a100(), tf32, tile};
    }
  GemmProblem int8 = product_of_1024();
  int8.input = Element::kInt8;
  int8.accumulate = int8.output = Element::kInt32;
  for (const GemmTile& tile : gemm_tiles(int8, a100()))
    EXPECT_EQ(excess_wavefronts(int8, tile, a100()).main_loop, 0) << tile.text();
}

TEST(BankConflicts, AreAbsentWhereAIsSparse) {
  GemmProblem half = product_of_1024();
  half.sparse = true;
  expect_no_conflicts(half, a100());
  GemmProblem int8 = product_of_1024();
  int8.sparse = true;
  int8.input = Element::kInt8;
  int8.accumulate = int8.output = Element::kInt32;
  for (const GemmTile& tile : gemm_tiles(int8, a100()))
    EXPECT_EQ(excess_wavefronts(int8, tile, a100()).main_loop, 0) << tile.text();
}

TEST(BankConflicts, AreAbsentInFp64Kernels) {
  GemmProblem problem = product_of_1024();
  problem.input = problem.accumulate = problem.output = Element::kFp64;
  expect_no_conflicts(problem, a100());
}

TEST(BankConflicts, AppearWithoutTheSwizzle) {
  for (const Target& target : {a100(), v100(), t4()})
    for (const Layout a : kLayouts) {
      GemmProblem problem = product_of_1024();
      problem.layout_a = a;
      for (GemmTile tile : gemm_tiles(problem, target)) {
        tile.swizzle = false;
        EXPECT_GT(excess_wavefronts(problem, tile, target).main_loop, 0)
            << GemmCase{target, problem, tile};
      }
    }
}

TEST(CountWavefronts, FollowsTheRuleOfEachWidth) {
  std::array<std::int64_t, 32> offsets{};
  const auto fill = [&](std::int64_t stride) {
    for (std::size_t lane = 0; lane < 32; ++lane)
      offsets[lane] = static_cast<std::int64_t>(lane) * stride;
  };
  fill(4);
  EXPECT_EQ(count_wavefronts(offsets, 4).needed, 1);
  fill(8);
  EXPECT_EQ(count_wavefronts(offsets, 4).needed, 2);
  EXPECT_EQ(count_wavefronts(offsets, 8).needed, 2);
  fill(128);
  EXPECT_EQ(count_wavefronts(offsets, 4).needed, 32);
  fill(0);
  EXPECT_EQ(count_wavefronts(offsets, 4).needed, 1) << "equal words are broadcast";
  fill(16);
  EXPECT_EQ(count_wavefronts(offsets, 16).needed, 4);
  fill(32);
  EXPECT_EQ(count_wavefronts(offsets, 16).needed, 8);
}

}  // namespace
}  // namespace tcsim::kernels::testing
