#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/rtl/verify_rtl.hpp"
#include "tests/support/measured_vectors.hpp"

namespace tcsim::rtl {
namespace {

std::string name(const UnitInfo& unit, const Operation& operation) {
  return std::string(unit.name) + ", " + to_string(operation);
}

VerifyOptions options(int vectors) {
  VerifyOptions options;
  options.vectors = vectors;
  options.seed = 7;
  return options;
}

template <typename Check>
void for_every_operation(Check check) {
  for (const UnitInfo* unit : {&kUnit4x4x4, &kUnit8x4x8, &kUnit8x4x16})
    for (const Operation& operation : unit->operations) check(*unit, operation);
}

TEST(RtlVerification, FindsNoDifferenceAndMeetsEverySituation) {
  for_every_operation([](const UnitInfo& unit, const Operation& operation) {
    const UnitReport report = verify_random(unit, operation, options(20'000));
    EXPECT_FALSE(report.divergence) << to_text(report);
    EXPECT_GE(report.vectors, 20'000);
    EXPECT_TRUE(report.coverage.missed().empty()) << to_text(report);
  });
}

TEST(RtlVerification, TheUnitsMeetTheRatesOfTheirMachineFiles) {
  for_every_operation([](const UnitInfo& unit, const Operation& operation) {
    const UnitReport report = verify_random(unit, operation, options(16));
    EXPECT_TRUE(report.rate_holds()) << name(unit, operation) << ": " << report.macs_per_cycle;
    EXPECT_EQ(report.timing.latency_cycles, 5) << name(unit, operation);
  });
}

TEST(RtlVerification, IsRepeatable) {
  const Operation& operation = kVoltaOperations[0];
  EXPECT_EQ(to_text(verify_random(kUnit4x4x4, operation, options(2'000))),
            to_text(verify_random(kUnit4x4x4, operation, options(2'000))));
}

TEST(RtlVerification, TellsOfARunThatStoppedWhereItDiffered) {
  UnitReport report(kUnit4x4x4, kFp16IntoFp16);
  report.divergence.emplace().divergence = {-1, "handshake", "tag", "1", "0"};
  EXPECT_EQ(to_text(report),
            "rtl 4x4x4, fp16 into fp16: 0 vectors in 0 passes and 0 cycles, 1 mismatches, seed 0\n"
            "  first divergence after 0 vectors: stage handshake, tag: rtl 1, model 0\n");
}

TEST(RtlCoverage, HasTheSituationsOfTheArithmetic) {
  const auto applies = [](const Operation& operation, const numerics::BlockParams& block, Bin bin) {
    return Coverage(operation, block).applies(bin);
  };
  for (const Operation& operation : {kFp16IntoFp16, kFp16IntoFp32}) {
    numerics::BlockParams block = arithmetic_of(kUnit8x4x8, operation).block;
    block.result.mode = numerics::RoundingMode::kTruncate;
    EXPECT_TRUE(applies(operation, block, Bin::kTruncated));
    EXPECT_FALSE(applies(operation, block, Bin::kTieToEvenUp));
    block.result.mode = numerics::RoundingMode::kNearestEven;
    EXPECT_FALSE(applies(operation, block, Bin::kTruncated));
    EXPECT_TRUE(applies(operation, block, Bin::kRoundingCarries));
    EXPECT_TRUE(applies(operation, block, Bin::kSubnormalC));
    block.result.subnormals = false;
    for (const Bin bin :
         {Bin::kSubnormalOperand, Bin::kSubnormalC, Bin::kSubnormalResult, Bin::kSubnormalInexact})
      EXPECT_FALSE(applies(operation, block, bin)) << info(bin).name;
    block.grid_fraction_bits = 29;
    EXPECT_TRUE(applies(operation, block, Bin::kProductShiftBelow));
    block.grid_fraction_bits = 30;
    EXPECT_FALSE(applies(operation, block, Bin::kProductShiftBelow));
    EXPECT_FALSE(applies(operation, block, Bin::kCShiftBelow));
  }
}

// 2^-15 is below the normal numbers of FP16.
TEST(RtlCoverage, ASumThatIsFlushedUnderflows) {
  numerics::BlockParams block = arithmetic_of(kUnit8x4x8, kFp16IntoFp16).block;
  block.result.subnormals = false;
  Coverage coverage(kFp16IntoFp16, block);
  const std::vector<std::uint64_t> a{0x2000};  // 2^-7
  const std::vector<std::uint64_t> b{0x9c00};  // -2^-8
  coverage.observe(numerics::trace_block(block, a, b, 0));
  EXPECT_EQ(coverage.hits(Bin::kUnderflowToMinusZero), 1U);
}

struct MeasuredFile {
  const char* file;
  const UnitInfo& unit;
  Operation operation;
};

TEST(RtlVerification, GivesWhatTheGpusGave) {
  const MeasuredFile files[] = {
      {"v100_wmma_f16_f16_k4.csv.gz", kUnit4x4x4, kFp16IntoFp16},
      {"v100_wmma_f16_f32_k4.csv.gz", kUnit4x4x4, kFp16IntoFp32},
      {"a100_wmma_f16_f16_k8.csv.gz", kUnit8x4x8, kFp16IntoFp16},
      {"a100_wmma_f16_f32_k8.csv.gz", kUnit8x4x8, kFp16IntoFp32},
      {"a100_wmma_bf16_f32_k8.csv.gz", kUnit8x4x8, kAmpereOperations[2]},
      {"a100_wmma_tf32_f32_k4.csv.gz", kUnit8x4x8, kAmpereOperations[3]},
      {"h100_wmma_f16_f32_k16.csv.gz", kUnit8x4x16, kFp16IntoFp32},
      {"h100_wmma_bf16_f32_k16.csv.gz", kUnit8x4x16, kHopperOperations[2]},
      {"h100_wmma_tf32_f32_k4.csv.gz", kUnit8x4x16, kHopperOperations[3]},
      {"h100_wgmma_e4m3_f32_k32.csv.gz", kUnit8x4x16, kHopperOperations[5]},
      {"h100_wgmma_e5m2_f32_k32.csv.gz", kUnit8x4x16, kHopperOperations[7]},
  };
  for (const MeasuredFile& file : files) {
    const auto path = test::measured_vectors_folder() / file.file;
    if (!std::filesystem::exists(path)) GTEST_SKIP() << test::how_to_get_vectors(path);
    const UnitReport report = verify_file(file.unit, file.operation, path.string(), {});
    EXPECT_FALSE(report.divergence) << to_text(report);
    EXPECT_EQ(report.measured, 1000) << file.file;
    EXPECT_TRUE(report.measured_mismatches.empty()) << to_text(report);
  }
}

}  // namespace
}  // namespace tcsim::rtl
