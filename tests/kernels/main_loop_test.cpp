#include <gtest/gtest.h>

#include <map>

#include "tests/support/targets.hpp"

namespace tcsim::kernels::testing {
namespace {

using isa::Opcode;
using isa::Pipe;

/// Warp instructions of one trip of the main loop.
struct LoopCounts {
  std::map<Opcode, int> of;
  int vector_integer = 0;
  int uniform = 0;
  int total = 0;
  int longest_gap = 0;  ///< other instructions between two multiply-adds
};

bool is_vector_integer(Opcode opcode) {
  const Pipe pipe = isa::opcode_info(opcode).pipe;
  return opcode != Opcode::kCs2r && opcode != Opcode::kFfma &&
         (pipe == Pipe::kAlu || pipe == Pipe::kFma);
}

LoopCounts count_loop(const GemmProblem& problem, const GemmTile& tile, const Target& target) {
  const isa::KernelLaunch launch = make_gemm(problem, tile, target);
  const isa::WarpProgram& program = launch.programs[0];
  LoopCounts counts;
  int gap = 0;
  for (int i = program.loops[0].first; i <= program.loops[0].last; ++i) {
    const Opcode opcode = program.instructions[static_cast<std::size_t>(i)].opcode;
    ++counts.of[opcode];
    ++counts.total;
    if (is_vector_integer(opcode)) ++counts.vector_integer;
    if (isa::opcode_info(opcode).pipe == Pipe::kUniform) ++counts.uniform;
    gap = isa::is_mma(opcode) || opcode == Opcode::kFfma ? 0 : gap + 1;
    counts.longest_gap = std::max(counts.longest_gap, gap);
  }
  return counts;
}

GemmProblem product_of_4096(Element input = Element::kFp16, Element accumulate = Element::kFp32,
                            Element output = Element::kFp16) {
  return {
      .m = 4096, .n = 4096, .k = 4096, .input = input, .accumulate = accumulate, .output = output};
}

GemmProblem product_of_4096_nn() {
  GemmProblem problem = product_of_4096();
  problem.layout_a = Layout::kTransposed;
  return problem;
}

/// A row of the table of kernels.md 2.1.
struct CountedKernel {
  const char* name;
  GemmProblem problem;
  GemmTile tile;
  Opcode mma;
  struct {
    int mmas, ldsm, copies, vector, uniform, fillers, total;
  } counts;
};

TEST(AmpereMainLoop, OfFp64HasTheCountedInstructionMix) {
  const LoopCounts counts =
      count_loop(product_of_4096(Element::kFp64, Element::kFp64, Element::kFp64),
                 {.m = 128, .n = 64, .k = 16, .stages = 3, .warps_m = 4, .warps_n = 2}, a100());
  EXPECT_EQ(counts.of.at(Opcode::kDmma884), 64);
  EXPECT_EQ(counts.of.at(Opcode::kLds128), 16);
  EXPECT_EQ(counts.of.at(Opcode::kLdgsts64), 12);
  EXPECT_EQ(counts.of.at(Opcode::kLds32), 48);  // fillers
  EXPECT_EQ(counts.vector_integer, 73);
  EXPECT_EQ(counts.uniform, 20);
  EXPECT_EQ(counts.total, 237);
}

TEST(AmpereMainLoop, HasTheCountedInstructionMix) {
  const CountedKernel kernels[] = {
      {"128x128x32 s5 TN",
       product_of_4096(),
       {128, 128, 32, 5, 2, 2},
       Opcode::kHmma16816F32,
       {64, 16, 8, 49, 18, 3, 162}},
      {"256x128x32 s3 TN",
       product_of_4096(),
       {256, 128, 32, 3, 4, 2},
       Opcode::kHmma16816F32,
       {64, 16, 6, 39, 18, 3, 150}},
      {"128x256x32 s3 NN",
       product_of_4096_nn(),
       {128, 256, 32, 3, 2, 4},
       Opcode::kHmma16816F32,
       {64, 16, 6, 29, 18, 3, 140}},
      {"128x256x64 s3 NN",
       product_of_4096_nn(),
       {128, 256, 64, 3, 2, 4},
       Opcode::kHmma16816F32,
       {128, 32, 12, 55, 18, 9, 258}},
      {"128x64x64 s4 TN",
       product_of_4096(),
       {128, 64, 64, 4, 2, 2},
       Opcode::kHmma16816F32,
       {64, 24, 12, 73, 18, 9, 204}},
      {"64x64x64 s5 TN",
       product_of_4096(),
       {64, 64, 64, 5, 2, 2},
       Opcode::kHmma16816F32,
       {32, 16, 8, 42, 22, 9, 133}},
      {"TF32 128x128x16 s5",
       product_of_4096(Element::kTf32, Element::kFp32, Element::kFp32),
       {128, 128, 16, 5, 2, 2},
       Opcode::kHmma1688F32Tf32,
       {64, 16, 8, 49, 18, 3, 162}},
      {"INT8 128x128x64 s5",
       product_of_4096(Element::kInt8, Element::kInt32, Element::kInt32),
       {128, 128, 64, 5, 2, 2},
       Opcode::kImma16832S8,
       {64, 16, 8, 49, 18, 3, 162}},
  };
  for (const CountedKernel& kernel : kernels) {
    SCOPED_TRACE(kernel.name);
    LoopCounts found = count_loop(kernel.problem, kernel.tile, a100());
    EXPECT_EQ(found.of[kernel.mma], kernel.counts.mmas);
    EXPECT_EQ(found.of[Opcode::kLdsmX4] + found.of[Opcode::kLdsmTX4], kernel.counts.ldsm);
    EXPECT_EQ(found.of[Opcode::kLdgsts128], kernel.counts.copies);
    EXPECT_EQ(found.of[Opcode::kLdgdepbar], 1);
    EXPECT_EQ(found.of[Opcode::kDepbar], 1);
    EXPECT_EQ(found.of[Opcode::kBarSync], 1);
    EXPECT_EQ(found.of[Opcode::kBra], 1);
    EXPECT_EQ(found.vector_integer, kernel.counts.vector);
    EXPECT_EQ(found.uniform, kernel.counts.uniform);
    EXPECT_EQ(found.of[Opcode::kLds32], kernel.counts.fillers);
    EXPECT_EQ(found.total, kernel.counts.total);
  }
}

TEST(AmpereMainLoop, PutsAtMostSevenInstructionsBetweenTwoMmas) {
  for (const GemmTile& tile : gemm_tiles(product_of_4096(), a100()))
    EXPECT_LE(count_loop(product_of_4096(), tile, a100()).longest_gap, 7) << tile.text();
}

TEST(AmpereMainLoop, OfTheCudaCoresHasTheCountedMix) {
  GemmProblem problem = product_of_4096(Element::kFp32, Element::kFp32, Element::kFp32);
  problem.unit = Unit::kCudaCore;
  LoopCounts counts = count_loop(problem, {128, 128, 8, 5, 4, 2}, a100());
  EXPECT_EQ(counts.of[Opcode::kFfma], 512);
  EXPECT_EQ(counts.of[Opcode::kLds128], 32);
  EXPECT_EQ(counts.of[Opcode::kLdgsts32], 8);
  EXPECT_EQ(counts.vector_integer, 45);
  EXPECT_EQ(counts.uniform, 17);
  EXPECT_EQ(counts.total, 630);
}

TEST(VoltaMainLoop, HasFourStepsPerProductAndDoubleLoadsOfFragments) {
  LoopCounts counts = count_loop(product_of_4096(), {128, 128, 32, 2, 2, 2}, v100());
  const int steps = counts.of[Opcode::kHmma884F32Step0] + counts.of[Opcode::kHmma884F32Step1] +
                    counts.of[Opcode::kHmma884F32Step2] + counts.of[Opcode::kHmma884F32Step3];
  EXPECT_EQ(steps, 512);
  EXPECT_EQ(counts.of[Opcode::kHmma884F32Step3], 128);
  EXPECT_EQ(counts.of[Opcode::kLds128], 32);
  EXPECT_EQ(counts.of[Opcode::kLdg128], 8);
  EXPECT_EQ(counts.of[Opcode::kSts128], 8);
  EXPECT_EQ(counts.of[Opcode::kBarSync], 1);
  EXPECT_EQ(counts.of[Opcode::kCs2r] + counts.vector_integer, 40);
  EXPECT_EQ(counts.uniform, 0);
}

TEST(VoltaMainLoop, HasTwoStepsPerProductWithFp16Accumulators) {
  LoopCounts counts =
      count_loop(product_of_4096(Element::kFp16, Element::kFp16), {128, 128, 32, 2, 2, 2}, v100());
  EXPECT_EQ(counts.of[Opcode::kHmma884F16Step0], 128);
  EXPECT_EQ(counts.of[Opcode::kHmma884F16Step1], 128);
}

TEST(TuringMainLoop, HasTheCountedInstructionMix) {
  LoopCounts counts = count_loop(product_of_4096(), {128, 128, 32, 2, 2, 2}, t4());
  EXPECT_EQ(counts.of[Opcode::kHmma1688F32], 128);
  EXPECT_EQ(counts.of[Opcode::kLdsmX4], 16);
  EXPECT_EQ(counts.of[Opcode::kLdg128], 8);
  EXPECT_EQ(counts.of[Opcode::kSts128], 8);
  EXPECT_EQ(counts.of[Opcode::kCs2r], 16);
  EXPECT_EQ(counts.vector_integer, 46);
  EXPECT_EQ(counts.uniform, 16);
  EXPECT_EQ(counts.total, 240);
}

TEST(SimtMainLoop, HasTheCountedInstructionMix) {
  GemmProblem problem = product_of_4096(Element::kFp32, Element::kFp32, Element::kFp32);
  problem.unit = Unit::kCudaCore;
  LoopCounts counts = count_loop(problem, {128, 128, 8, 2, 4, 2}, t4());
  EXPECT_EQ(counts.of[Opcode::kFfma], 512);
  EXPECT_EQ(counts.of[Opcode::kLds128], 32);
  EXPECT_EQ(counts.of[Opcode::kLdg32], 8);
  EXPECT_EQ(counts.of[Opcode::kSts32], 8);
  EXPECT_EQ(counts.of[Opcode::kBarSync], 1);
  EXPECT_NEAR(counts.total, 625, 1);
}

TEST(SimtMainLoop, NeverReadsThreeOperandsOfOneRegisterBank) {
  GemmProblem problem = product_of_4096(Element::kFp32, Element::kFp32, Element::kFp32);
  problem.unit = Unit::kCudaCore;
  const isa::KernelLaunch launch = make_gemm(problem, {128, 128, 8, 2, 4, 2}, v100());
  for (const isa::Instruction& instruction : launch.programs[0].instructions) {
    if (instruction.opcode != Opcode::kFfma) continue;
    const int odd = instruction.src[0] % 2 + instruction.src[1] % 2 + instruction.src[2] % 2;
    ASSERT_TRUE(odd == 1 || odd == 2);
  }
}

TEST(MainLoop, RunsOncePerKTile) {
  GemmProblem problem = product_of_4096();
  for (const int k : {8, 32, 40, 4096}) {
    problem.k = k;
    const isa::KernelLaunch launch = make_gemm(problem, {128, 128, 32, 5, 2, 2}, a100());
    EXPECT_EQ(launch.programs[0].loops[0].trips.constant, (k + 31) / 32);
  }
}

}  // namespace
}  // namespace tcsim::kernels::testing
