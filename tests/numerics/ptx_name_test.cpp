#include "models/numerics/ptx_name.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tcsim::numerics {
namespace {

using enum ElementType;
using ::testing::HasSubstr;

MmaInstruction parse(const std::string& text) {
  const auto parsed = parse_ptx_name(text);
  EXPECT_TRUE(parsed.has_value()) << text << (parsed.has_value() ? "" : parsed.refusal().reason);
  return parsed.value();
}

void expect_refusal(const std::string& text, Refusal::Kind kind, const std::string& words) {
  const auto parsed = parse_ptx_name(text);
  ASSERT_FALSE(parsed.has_value()) << text;
  EXPECT_EQ(parsed.refusal().kind, kind) << text;
  EXPECT_THAT(parsed.refusal().reason, HasSubstr(words)) << text;
}

TEST(PtxName, ReadsAHalfPrecisionMma) {
  const MmaInstruction one = parse("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
  EXPECT_EQ(one.kind, InstructionKind::kMma);
  EXPECT_EQ(one.shape, (MmaShape{16, 8, 16}));
  EXPECT_EQ(one.a, kFp16);
  EXPECT_EQ(one.d, kFp32);
  EXPECT_FALSE(one.sparse);
  EXPECT_EQ(one.lanes(), 32);
}

TEST(PtxName, ReadsTheLayoutsAndMixedAccumulatorsOfVolta) {
  const MmaInstruction one = parse("mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f16");
  EXPECT_EQ(one.a_layout, Layout::kColumn);
  EXPECT_EQ(one.b_layout, Layout::kRow);
  EXPECT_EQ(one.c, kFp16);
  EXPECT_EQ(one.d, kFp32);
  EXPECT_EQ(one.matrices(), 4);
}

TEST(PtxName, ReadsIntegersWithAndWithoutSaturation) {
  const MmaInstruction one = parse("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32");
  EXPECT_EQ(one.a, kUint8);
  EXPECT_EQ(one.b, kInt8);
  EXPECT_TRUE(one.saturate);
  EXPECT_FALSE(parse("mma.sync.aligned.m8n8k32.row.col.s32.s4.u4.s32").saturate);
}

TEST(PtxName, ReadsBitOperations) {
  EXPECT_EQ(parse("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc").bit_operation,
            BitOperation::kXor);
  EXPECT_EQ(parse("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc").bit_operation,
            BitOperation::kAnd);
}

TEST(PtxName, ReadsDoublesWithARoundingMode) {
  EXPECT_EQ(parse("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64").fp64_rounding,
            RoundingMode::kNearestEven);
  EXPECT_EQ(parse("mma.sync.aligned.m16n8k8.row.col.rz.f64.f64.f64.f64").fp64_rounding,
            RoundingMode::kTowardZero);
}

TEST(PtxName, ReadsSparseInstructions) {
  const MmaInstruction one =
      parse("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f16.f16.f16.f16");
  EXPECT_TRUE(one.sparse);
  EXPECT_TRUE(one.ordered_metadata);
  EXPECT_FALSE(parse("mma.sp.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32").ordered_metadata);
}

TEST(PtxName, ReadsWarpgroupInstructions) {
  const MmaInstruction one = parse("wgmma.mma_async.sync.aligned.m64n104k16.f16.f16.f16");
  EXPECT_EQ(one.kind, InstructionKind::kWgmma);
  EXPECT_EQ(one.shape, (MmaShape{64, 104, 16}));
  EXPECT_EQ(one.c, kFp16);
  EXPECT_EQ(one.lanes(), 128);
  EXPECT_TRUE(parse("wgmma.mma_async.sp.sync.aligned.m64n8k64.f32.e4m3.e5m2").sparse);
  EXPECT_EQ(parse("wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1.and.popc").a, kB1);
}

TEST(PtxName, AShapeTheInstructionLacksNamesTheOnesItHas) {
  expect_refusal("mma.sync.aligned.m16n8k12.row.col.f32.f16.f16.f32", Refusal::Kind::kMistake,
                 "mma with f16 has no shape m16n8k12; it has m8n8k4, m16n8k8, m16n8k16");
  expect_refusal("mma.sync.aligned.m8n8k4.row.col.f32.bf16.bf16.f32", Refusal::Kind::kMistake,
                 "it has m16n8k8, m16n8k16");
  expect_refusal("wgmma.mma_async.sync.aligned.m64n12k16.f32.f16.f16", Refusal::Kind::kMistake,
                 "it has m64nNk16");
  expect_refusal("wgmma.mma_async.sync.aligned.m64n40k32.s32.s8.s8", Refusal::Kind::kMistake,
                 "no shape m64n40k32");
  EXPECT_EQ(parse("wgmma.mma_async.sync.aligned.m64n48k32.s32.s8.s8").shape.n, 48);
  expect_refusal("wgmma.mma_async.sync.aligned.m64n40k256.s32.b1.b1.and.popc",
                 Refusal::Kind::kMistake, "no shape m64n40k256");
  EXPECT_EQ(parse("wgmma.mma_async.sync.aligned.m64n48k256.s32.b1.b1.and.popc").shape.n, 48);
  EXPECT_EQ(parse("wgmma.mma_async.sync.aligned.m64n24k256.s32.b1.b1.and.popc").shape.n, 24);
}

TEST(PtxName, AMalformedNameRepeatsTheBadWord) {
  constexpr auto kMistake = Refusal::Kind::kMistake;
  expect_refusal("hmma.sync", kMistake, "expected 'mma' or 'wgmma', got 'hmma'");
  expect_refusal("mma.aligned", kMistake, "expected 'sync', got 'aligned'");
  expect_refusal("mma.sync.aligned.16x8x16.row.col.f32.f16.f16.f32", kMistake, "'16x8x16'");
  expect_refusal("mma.sync.aligned.m16n8k16.row.diag.f32.f16.f16.f32", kMistake, "'diag'");
  expect_refusal("mma.sync.aligned.m16n8k16.row.col.f32.f16.f17.f32", kMistake, "'f17'");
  expect_refusal("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16", kMistake, "the end of the name");
  expect_refusal("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32.x", kMistake, "'x'");
  expect_refusal("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.or.popc", kMistake, "'or'");
  expect_refusal("mma.sq.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", kMistake, "'sq'");
  expect_refusal("mma.sp::x.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", kMistake, "'sp::x'");
  expect_refusal("", kMistake, "expected 'mma' or 'wgmma'");
}

TEST(PtxName, ContradictoryModifiersAreMistakes) {
  constexpr auto kMistake = Refusal::Kind::kMistake;
  expect_refusal("mma.sync.aligned.m16n8k16.col.col.f32.f16.f16.f32", kMistake, "layouts");
  expect_refusal("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f16", kMistake, "same type");
  expect_refusal("mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f32", kMistake, "same type");
  expect_refusal("mma.sync.aligned.m16n8k16.row.col.satfinite.f32.f16.f16.f32", kMistake,
                 "satfinite");
  expect_refusal("mma.sync.aligned.m16n8k16.row.col.rz.f32.f16.f16.f32", kMistake, "rounding");
  expect_refusal("mma.sync.aligned.m16n8k16.row.col.f16.bf16.bf16.f16", kMistake, "no tensor core");
}

TEST(PtxName, InstructionsOutsideTheModelAreUnsupported) {
  constexpr auto kUnsupported = Refusal::Kind::kUnsupported;
  expect_refusal("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", kUnsupported, "wmma");
  expect_refusal("mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e4m3.e4m3.f32", kUnsupported,
                 "kind::f8f6f4");
  expect_refusal("mma.sp.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64", kUnsupported,
                 "does not exist");
}

TEST(Instruction, TheNewestGenerationIsHopperUnlessItsArithmeticIsUnknown) {
  const auto newest = [](const std::string& text) {
    return newest_generation(parse(text)).value();
  };
  EXPECT_EQ(newest("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"), Generation::kHopper);
  EXPECT_EQ(newest("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32"), Generation::kHopper);
  EXPECT_EQ(newest("mma.sp.sync.aligned.m16n8k64.row.col.f32.e4m3.e4m3.f32"), Generation::kAda);
}

TEST(Instruction, M8n8k4IsSoftwareSinceAmpereUnlessItIsHmma884) {
  MmaInstruction instruction = parse("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32");
  EXPECT_EQ(arithmetic_of(instruction, Generation::kTuring).value().scheme, Scheme::kBlocks);
  EXPECT_EQ(arithmetic_of(instruction, Generation::kAmpere).value().scheme,
            Scheme::kM8n8k4OnFp32Units);
  instruction.on_tensor_core = true;
  const Arithmetic native = arithmetic_of(instruction, Generation::kAmpere).value();
  EXPECT_EQ(native.scheme, Scheme::kBlocks);
  EXPECT_EQ(native.block.products, 8);
}

void expect_first(const std::string& text, Generation first) {
  const MmaInstruction one = parse(text);
  EXPECT_TRUE(arithmetic_of(one, first).has_value()) << text;
  if (first == Generation::kVolta) return;
  const auto earlier = static_cast<Generation>(static_cast<int>(first) - 1);
  const auto refused = arithmetic_of(one, earlier);
  ASSERT_FALSE(refused.has_value()) << text;
  EXPECT_EQ(refused.refusal().kind, Refusal::Kind::kUnsupported);
}

TEST(Instruction, AShapeStartsExactlyWithItsGeneration) {
  expect_first("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32", Generation::kVolta);
  expect_first("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", Generation::kTuring);
  expect_first("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", Generation::kAmpere);
  expect_first("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", Generation::kAmpere);
  expect_first("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32", Generation::kTuring);
  expect_first("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", Generation::kAmpere);
  expect_first("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", Generation::kAda);
  expect_first("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64", Generation::kHopper);
  expect_first("mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", Generation::kAmpere);
  expect_first("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16", Generation::kHopper);
}

}  // namespace
}  // namespace tcsim::numerics
