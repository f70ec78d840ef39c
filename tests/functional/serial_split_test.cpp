#include <gmock/gmock.h>

#include "models/isa/launch.hpp"
#include "tests/functional/gemm_values.hpp"

namespace tcsim::functional::testing {
namespace {

using kernels::Element;
using kernels::Layout;

/// Ends in the middle of a tile along m and n; k has six k-tiles and a ragged rest.
GemmValues in_turns(int slices, Element input = Element::kFp16, Element output = Element::kFp16) {
  GemmValues gemm{kernels::testing::a100(),
                  numerics::Generation::kAmpere,
                  {.m = 72, .n = 56, .k = 200, .input = input, .output = output},
                  kCopyingTile};
  gemm.tile.split_k = slices;
  gemm.tile.serial_k = true;
  return gemm;
}

TEST(SerialSplitK, AddsToDInTheOrderOfTheSlices) {
  for (const int slices : {2, 3, 7}) expect_reference_product(in_turns(slices));
  expect_reference_product(in_turns(3, Element::kBf16, Element::kBf16));
  expect_reference_product(in_turns(3, Element::kFp16, Element::kFp32));
  GemmValues gemm = in_turns(3);
  for (const Layout a : {Layout::kNormal, Layout::kTransposed}) {
    gemm.problem.layout_a = a;
    gemm.problem.layout_b = a;
    expect_reference_product(gemm);
  }
  gemm.problem.batch = 2;
  expect_reference_product(gemm);
  gemm.problem.n = 17;  // D's elements are odd: one each
  expect_reference_product(gemm);
}

TEST(SerialSplitK, TakesAsManySlicesAsThereAreKTiles) {
  GemmValues gemm = in_turns(18);
  gemm.problem.k = 18 * gemm.tile.k;
  expect_reference_product(gemm);
}

TEST(SerialSplitK, AddsSumsThatAreStoredAsTheyAre) {
  GemmValues gemm = in_turns(3);
  gemm.problem.accumulate = Element::kFp16;
  expect_reference_product(gemm);
  gemm.problem.n = 17;
  expect_reference_product(gemm);
  gemm.problem = {.m = 72,
                  .n = 56,
                  .k = 400,
                  .input = Element::kInt8,
                  .accumulate = Element::kInt32,
                  .output = Element::kInt32};
  gemm.tile.k = 64;
  expect_reference_product(gemm);
  gemm.problem = {.m = 72,
                  .n = 56,
                  .k = 100,
                  .input = Element::kFp64,
                  .accumulate = Element::kFp64,
                  .output = Element::kFp64};
  gemm.tile.k = 16;
  expect_reference_product(gemm);
}

TEST(SerialSplitK, TakesOneLaunchAndLeavesItsFlagsAtZero) {
  const GemmValues gemm = in_turns(3);
  const auto stream = kernels::make_gemm_stream(gemm.problem, gemm.tile, gemm.target);
  ASSERT_EQ(stream.size(), 1U);
  GlobalMemory memory = random_operands(gemm, stream);
  ASSERT_TRUE(execute(stream, gemm.generation, memory).has_value());
  EXPECT_THAT(memory.buffer("semaphores"), ::testing::Each(0));
  // So a second launch finds what the first one did.
  ASSERT_TRUE(execute(stream, gemm.generation, memory).has_value());
  EXPECT_EQ(difference(gemm, memory, reference_product(gemm, memory)), "");
}

/// The program of the launch, and its loop that waits.
isa::WarpProgram& program_of(isa::KernelLaunch& launch) { return launch.programs.front(); }
isa::Loop& waiting_loop(isa::KernelLaunch& launch) {
  return *std::ranges::find_if(program_of(launch).loops,
                               [](const isa::Loop& loop) { return loop.until.has_value(); });
}

TEST(SerialSplitK, AWaitForALaterCtaIsRefused) {
  const GemmValues gemm = in_turns(3);
  auto stream = kernels::make_gemm_stream(gemm.problem, gemm.tile, gemm.target);
  waiting_loop(stream.front()).until->constant = 1;
  GlobalMemory memory = random_operands(gemm, stream);
  EXPECT_THAT(
      execute(stream, gemm.generation, memory).refusal().reason,
      ::testing::HasSubstr("waits for a flag of 2, which the CTAs before it have left at 1"));
}

TEST(SerialSplitK, FlagsAreTouchedByWaitsAndReductionsAlone) {
  const GemmValues gemm = in_turns(3);
  const auto stream = kernels::make_gemm_stream(gemm.problem, gemm.tile, gemm.target);
  EXPECT_THAT(isa::validate(stream.front()), ::testing::IsEmpty());
  isa::KernelLaunch plain_load = stream.front();
  for (isa::Instruction& instruction : program_of(plain_load).instructions)
    if (instruction.opcode == isa::Opcode::kLdgStrong32) instruction.opcode = isa::Opcode::kLdg32;
  EXPECT_THAT(isa::validate(plain_load),
              ::testing::Contains(::testing::HasSubstr("touches flags")));
  EXPECT_THAT(isa::validate(plain_load),
              ::testing::Contains(::testing::HasSubstr("waits for a flag that it does not load")));
}

TEST(SerialSplitK, IsATileWordAndRefusesWhatItCannotAdd) {
  GemmValues gemm = in_turns(3);
  std::string reason;
  const auto tile =
      kernels::parse_tile("64x64x32_s4_w2x2_splitk3_serial", gemm.problem, gemm.target, reason);
  ASSERT_TRUE(tile) << reason;
  EXPECT_TRUE(tile->serial_k);
  EXPECT_EQ(tile->text(), "64x64x32_s4_w2x2_splitk3_serial");
  EXPECT_FALSE(kernels::parse_tile("64x64x32_s4_w2x2_serial", gemm.problem, gemm.target, reason));
  gemm.problem.input = Element::kInt8;
  gemm.problem.accumulate = Element::kInt32;
  EXPECT_FALSE(
      kernels::parse_tile("64x64x64_s4_w2x2_splitk3_serial", gemm.problem, gemm.target, reason));
  EXPECT_THAT(reason, ::testing::HasSubstr("FP32 sums"));
}

}  // namespace
}  // namespace tcsim::functional::testing
