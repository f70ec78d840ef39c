#include "models/sm/tensor_core.hpp"

#include <gtest/gtest.h>

#include "tests/support/ampere_params.hpp"

namespace tcsim::sm::test {
namespace {

using isa::Opcode;
using tcsim::test::ampere_tensor;

TensorParams core_of(const CoreShape& shape, const char* organisation) {
  TensorParams tensor = ampere_tensor();
  tensor.core = shape;
  tensor.organisation = organisation;
  tensor.least_interval_cycles = 1;
  tensor.operand_registers_per_cycle = 64;  // one cycle
  if (tensor.organisation != "dot_product") tensor.fill_cycles = tensor.drain_cycles = 3;
  return tensor;
}

MmaDerivation derived(Opcode opcode, const TensorParams& tensor) {
  return derive_mma(opcode, tensor).value();
}

TEST(PassShape, MoreProductsLengthenKFewerTakeColumnsThenRows) {
  EXPECT_EQ(pass_shape({8, 4, 8}, 1), (CoreShape{8, 4, 8}));
  EXPECT_EQ(pass_shape({8, 4, 8}, 2), (CoreShape{8, 4, 16}));
  EXPECT_EQ(pass_shape({8, 4, 8}, 0.5), (CoreShape{8, 4, 4}));
  EXPECT_EQ(pass_shape({8, 4, 8}, 1.0 / 16), (CoreShape{8, 2, 1}));
  EXPECT_EQ(pass_shape({8, 4, 8}, 1.0 / 32), (CoreShape{8, 1, 1}));
  EXPECT_EQ(pass_shape({8, 4, 8}, 1.0 / 64), (CoreShape{4, 1, 1}));
  EXPECT_FALSE(pass_shape({8, 4, 8}, 0).has_value());
  EXPECT_FALSE(pass_shape({8, 4, 8}, 0.3).has_value());
  EXPECT_FALSE(pass_shape({8, 3, 4}, 1.0 / 16).has_value());
}

TEST(DotProduct, RoundsPassBackToBackOverAllBlocks) {
  const MmaDerivation mma = derived(Opcode::kHmma16816F32, core_of({8, 4, 8}, "dot_product"));
  EXPECT_EQ(mma.stationary, 4);
  EXPECT_EQ(mma.streamed, 2);
  EXPECT_EQ(mma.pass_cycles, 8);
  // One cycle of operands, the first round, three more blocks, the pipeline, the result.
  EXPECT_EQ(mma.latency_cycles, 1 + 4 + 3 + 4 + 8);
}

TEST(DotProduct, ARoundOfFewerBlocksThanThePipelineIsDeepWaitsInTheLatencyAlone) {
  const MmaDerivation mma = derived(Opcode::kHmma16816F32, core_of({16, 8, 2}, "dot_product"));
  EXPECT_EQ(mma.streamed, 8);
  EXPECT_EQ(mma.pass_cycles, 8);  // others fill the gaps
  EXPECT_EQ(mma.latency_cycles, 1 + 7 * 4 + 0 + 4 + 8);
}

TEST(DotProduct, WithoutForwardingSumsGoThroughTheRegisters) {
  TensorParams tensor = core_of({8, 4, 8}, "dot_product");
  tensor.forwarding = "absent";
  const MmaDerivation mma = derived(Opcode::kHmma16816F32, tensor);
  EXPECT_EQ(mma.pass_cycles, 8);
  EXPECT_EQ(mma.latency_cycles, 1 + (4 + 8) + 3 + 4 + 8);
}

TEST(OuterProduct, KeepsTheCoreFromOthersWhileItsSumsWaitComeAndGo) {
  const MmaDerivation mma = derived(Opcode::kHmma16816F32, core_of({16, 8, 2}, "outer_product"));
  EXPECT_EQ(mma.pass_cycles, 7 * 4 + 1 + 6);
  EXPECT_EQ(mma.latency_cycles, 1 + 6 + 7 * 4 + 0 + 4 + 8);
  TensorParams twice = core_of({16, 8, 2}, "outer_product");
  twice.stationary_buffers = 2;
  EXPECT_EQ(derived(Opcode::kHmma16816F32, twice).pass_cycles, 7 * 4 + 1);
}

TEST(OutputStationary, HoldsOneBlockOfSumsAfterTheOther) {
  const MmaDerivation mma = derived(Opcode::kHmma16816F32, core_of({8, 8, 4}, "output_stationary"));
  EXPECT_EQ(mma.stationary, 2);
  EXPECT_EQ(mma.streamed, 4);
  EXPECT_EQ(mma.pass_cycles, 2 * (3 * 4 + 1 + 6));
  EXPECT_EQ(mma.latency_cycles, 1 + 6 + (3 * 4 + 1 + 6) + 3 * 4 + 4 + 8);
  TensorParams twice = core_of({8, 8, 4}, "output_stationary");
  twice.stationary_buffers = 2;
  EXPECT_EQ(derived(Opcode::kHmma16816F32, twice).pass_cycles, 2 * (3 * 4 + 1));
}

TEST(WeightStationary, StreamsAllRowsThroughEachBlockOfB) {
  const MmaDerivation mma = derived(Opcode::kHmma16816F32, core_of({4, 8, 8}, "weight_stationary"));
  EXPECT_EQ(mma.stationary, 2);  // along k
  EXPECT_EQ(mma.streamed, 4);
  EXPECT_EQ(mma.pass_cycles, 2 * (4 + 3));
  EXPECT_EQ(mma.latency_cycles, 1 + 6 + (4 + 3) + 3 + 4 + 8);
  TensorParams twice = core_of({4, 8, 8}, "weight_stationary");
  twice.stationary_buffers = 2;
  EXPECT_EQ(derived(Opcode::kHmma16816F32, twice).pass_cycles, 2 * 4);
}

TEST(Cores, ShareBlocksOfSumsOrOfWeights) {
  for (const char* organisation : {"dot_product", "weight_stationary"}) {
    TensorParams tensor = core_of({4, 4, 16}, organisation);
    tensor.stationary_buffers = 2;
    tensor.fill_cycles = tensor.drain_cycles = 1;
    const int one = derived(Opcode::kHmma16816F32, tensor).pass_cycles;
    tensor.cores_per_sub_core = 2;
    EXPECT_EQ(derived(Opcode::kHmma16816F32, tensor).pass_cycles, one / 2) << organisation;
    tensor.cores_per_sub_core = 8;
    EXPECT_EQ(derived(Opcode::kHmma16816F32, tensor).pass_cycles, one / 8) << organisation;
  }
}

TEST(Operands, AreReadAgainForEveryPassWithoutBuffersOfFragments) {
  TensorParams tensor = core_of({8, 4, 8}, "dot_product");
  tensor.operand_registers_per_cycle = 1;
  EXPECT_EQ(derived(Opcode::kHmma16816F32, tensor).operand_cycles, 4 + 2);
  tensor.operand_buffers = "pass";
  EXPECT_EQ(derived(Opcode::kHmma16816F32, tensor).operand_cycles, 2 * 4 + 2 * 2);
  EXPECT_EQ(operand_reads(Opcode::kHmma16816F32, tensor), (std::array{2, 2}));
}

TEST(Operands, OfVoltaStepsAreThoseOfTheirProductOverAllSteps) {
  TensorParams tensor = core_of({4, 4, 4}, "dot_product");
  tensor.cores_per_sub_core = 2;
  tensor.operand_registers_per_cycle = 1;
  for (const Opcode step : {Opcode::kHmma884F32Step0, Opcode::kHmma884F32Step3}) {
    EXPECT_EQ(derived(step, tensor).operand_cycles, 1);
    EXPECT_EQ(derived(step, tensor).pass_cycles, 2);
  }
  EXPECT_EQ(derived(Opcode::kHmma884F16Step0, tensor).pass_cycles, 4);
}

/// More multiply-adds, with the way of operands in proportion, never take longer.
TEST(DeriveMma, NeverSlowsWithALargerCore) {
  const char* const organisations[] = {"dot_product", "outer_product", "output_stationary",
                                       "weight_stationary"};
  for (const char* organisation : organisations)
    for (const Opcode opcode : {Opcode::kHmma16816F32, Opcode::kHmma1688F32Tf32,
                                Opcode::kImma16832S8, Opcode::kHmma1688F16})
      for (const int m : {2, 4, 8, 16})
        for (const int n : {2, 4, 8})
          for (const int k : {2, 4, 8, 16}) {
            const auto cycles = [&](const CoreShape& shape) {
              return derived(opcode, core_of(shape, organisation)).pass_cycles;
            };
            const int before = cycles({m, n, k});
            EXPECT_LE(cycles({2 * m, n, k}), before);
            EXPECT_LE(cycles({m, 2 * n, k}), before);
            EXPECT_LE(cycles({m, n, 2 * k}), before);
          }
}

TEST(DeriveMma, HasNothingWhereTheMachineLacksTheFormat) {
  TensorParams tensor = ampere_tensor();
  EXPECT_FALSE(derive_mma(Opcode::kFfma, tensor).has_value());
  tensor.products.bf16 = 0;
  EXPECT_FALSE(derive_mma(Opcode::kHmma16816F32Bf16, tensor).has_value());
  tensor.sparse_speedup = 1;
  EXPECT_FALSE(derive_mma(Opcode::kHmmaSp16832F32, tensor).has_value());
  tensor.cores_per_sub_core = 0;
  EXPECT_FALSE(derive_mma(Opcode::kHmma16816F32, tensor).has_value());
}

TEST(DenseMacs, AreThoseOfTheShapeUnlessTheyAreGiven) {
  TensorParams tensor = ampere_tensor();
  EXPECT_EQ(dense_macs(*tensor_type("fp16"), tensor), 256);
  EXPECT_EQ(dense_macs(*tensor_type("fp64"), tensor), 16);
  EXPECT_EQ(dense_macs(*tensor_type("fp8"), tensor), 0);
  tensor.fp16_macs = 100;
  EXPECT_EQ(dense_macs(*tensor_type("fp16"), tensor), 100);
}

}  // namespace
}  // namespace tcsim::sm::test
