// Peaks against the published tables, to three digits.

#include "sim/config/peak.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <map>

#include "sim/config/load.hpp"

namespace tcsim::config {
namespace {

struct Published {
  const char* machine;
  const char* unit;
  const char* dtype;
  bool sparse;
  double tera;  ///< 0: not supported
};

void PrintTo(const Published& row, std::ostream* stream) {
  *stream << row.machine << ' ' << row.unit << ' ' << row.dtype << (row.sparse ? " 2:4" : "");
}

class PublishedPeak : public testing::TestWithParam<Published> {};

TEST_P(PublishedPeak, IsReproducedToThreeDigits) {
  const Published& row = GetParam();
  int found = 0;
  for (const PeakRate& rate : peak(load_machine(row.machine)).rates) {
    if (rate.unit != row.unit || rate.dtype != row.dtype || rate.sparse != row.sparse) continue;
    ++found;
    if (row.tera == 0) {
      EXPECT_FALSE(rate.tera_ops_per_s);
      EXPECT_EQ(rate.formula, "");
    } else {
      ASSERT_TRUE(rate.tera_ops_per_s);
      EXPECT_NEAR(*rate.tera_ops_per_s, row.tera, 0.0061 * row.tera) << rate.formula;
    }
  }
  EXPECT_GE(found, 1);
}

// WP-V100; 62 is the figure of the lecture tables.
INSTANTIATE_TEST_SUITE_P(V100, PublishedPeak,
                         testing::Values(Published{"v100", "tensor", "fp16", false, 125},
                                         Published{"v100", "cuda-core", "fp16", false, 31.4},
                                         Published{"v100", "cuda-core", "fp32", false, 15.7},
                                         Published{"v100", "cuda-core", "fp64", false, 7.8},
                                         Published{"v100", "cuda-core", "bf16", false, 0},
                                         Published{"v100", "tensor", "int8", false, 0},
                                         Published{"v100", "tensor", "fp16", true, 0}));
// WP-A100.
INSTANTIATE_TEST_SUITE_P(A100, PublishedPeak,
                         testing::Values(Published{"a100", "tensor", "fp16", false, 312},
                                         Published{"a100", "tensor", "fp16", true, 624},
                                         Published{"a100", "tensor", "bf16", false, 312},
                                         Published{"a100", "tensor", "bf16", true, 624},
                                         Published{"a100", "tensor", "tf32", false, 156},
                                         Published{"a100", "tensor", "tf32", true, 312},
                                         Published{"a100", "tensor", "int8", false, 624},
                                         Published{"a100", "tensor", "int8", true, 1248},
                                         Published{"a100", "tensor", "int4", false, 1248},
                                         Published{"a100", "tensor", "int4", true, 2496},
                                         Published{"a100", "tensor", "b1", false, 4992},
                                         Published{"a100", "tensor", "b1", true, 0},
                                         Published{"a100", "tensor", "fp64", false, 19.5},
                                         Published{"a100", "tensor", "fp64", true, 0},
                                         Published{"a100", "tensor", "fp8", false, 0},
                                         Published{"a100", "cuda-core", "fp16", false, 78},
                                         Published{"a100", "cuda-core", "bf16", false, 39},
                                         Published{"a100", "cuda-core", "fp32", false, 19.5},
                                         Published{"a100", "cuda-core", "fp64", false, 9.7}));
// WP-P100.
INSTANTIATE_TEST_SUITE_P(P100, PublishedPeak,
                         testing::Values(Published{"p100", "cuda-core", "fp16", false, 21.2},
                                         Published{"p100", "cuda-core", "fp32", false, 10.6},
                                         Published{"p100", "cuda-core", "fp64", false, 5.3},
                                         Published{"p100", "cuda-core", "int8", false, 0},
                                         Published{"p100", "tensor", "fp16", false, 0}));
// DS.
INSTANTIATE_TEST_SUITE_P(T4, PublishedPeak,
                         testing::Values(Published{"t4", "tensor", "fp16", false, 65},
                                         Published{"t4", "tensor", "int8", false, 130},
                                         Published{"t4", "tensor", "int4", false, 260},
                                         Published{"t4", "cuda-core", "fp32", false, 8.1}));
// WP-H100, DS: FP64 and CUDA cores at the SM clock, the rest at the tensor clock.
INSTANTIATE_TEST_SUITE_P(H100, PublishedPeak,
                         testing::Values(Published{"h100", "tensor", "fp16", false, 989.4},
                                         Published{"h100", "tensor", "bf16", true, 1979},
                                         Published{"h100", "tensor", "tf32", false, 494.7},
                                         Published{"h100", "tensor", "fp8", false, 1979},
                                         Published{"h100", "tensor", "fp8", true, 3958},
                                         Published{"h100", "tensor", "int8", false, 1979},
                                         Published{"h100", "tensor", "int4", false, 0},
                                         Published{"h100", "tensor", "fp64", false, 66.9},
                                         Published{"h100", "cuda-core", "fp32", false, 66.9},
                                         Published{"h100", "cuda-core", "fp16", false, 133.8},
                                         Published{"h100", "cuda-core", "bf16", false, 133.8},
                                         Published{"h100", "cuda-core", "fp64", false, 33.5},
                                         Published{"h200", "tensor", "fp16", false, 989.4}));

struct PublishedBoard {
  const char* machine;
  double fp16_sums;  ///< FP16 on tensor cores, added in FP16
  double fp32_sums;
  double tf32;
  double int8;
  double fp32_lanes;
};

/// WP-GA102, DS. GeForce boards of GA10x add in FP32 at half the rate.
TEST(Peak, TellsBoardsApartByTheRateOfFp32Sums) {
  const PublishedBoard boards[] = {{"rtx3070", 81.3, 40.6, 20.3, 162.6, 20.3},
                                   {"rtx3090", 142, 71, 35.6, 284, 35.6},
                                   {"a6000", 154.8, 154.8, 77.4, 309.7, 38.7},
                                   {"titan-rtx", 130.5, 130.5, 0, 261, 16.3}};
  for (const PublishedBoard& board : boards) {
    const Machine machine = load_machine(board.machine);
    const auto tera = [&](const char* unit, const char* dtype, const char* accumulate) {
      const auto rate = peak_rate(machine, unit, dtype, false, accumulate);
      return rate ? *rate->tera_ops_per_s : 0;
    };
    constexpr double kDigits = 0.003;
    EXPECT_NEAR(tera("tensor", "fp16", "fp16"), board.fp16_sums, kDigits * board.fp16_sums);
    EXPECT_NEAR(tera("tensor", "fp16", "fp32"), board.fp32_sums, kDigits * board.fp32_sums);
    EXPECT_NEAR(tera("tensor", "tf32", "fp32"), board.tf32, kDigits * board.tf32);
    EXPECT_NEAR(tera("tensor", "int8", "int32"), board.int8, kDigits * board.int8);
    EXPECT_NEAR(tera("cuda-core", "fp32", ""), board.fp32_lanes, kDigits * board.fp32_lanes)
        << board.machine;
  }
}

TEST(Peak, GivesTheRateWithFp32SumsWhereNoOtherIsAskedFor) {
  const Machine machine = load_machine("rtx3090");
  EXPECT_EQ(peak_rate(machine, "tensor", "fp16")->accumulate, "fp32");
  EXPECT_EQ(peak_rate(machine, "tensor", "fp16", true, "fp16")->accumulate, "fp16");
  EXPECT_EQ(peak_rate(machine, "cuda-core", "fp16", false, "fp32")->accumulate, "fp16");
  EXPECT_EQ(peak_rate(machine, "tensor", "fp16", true)->formula,
            "82 SMs x 4 tensor cores x 128 FMA x 2 (2:4 sparse) / 2 (FP32 sums) x 2 x 1.695 GHz = "
            "142.3 TFLOPS");
}

/// The lecture gives 62 for 62.7: two digits, cut off.
TEST(Peak, GivesTheDp4aRateOfV100) {
  const auto rate = peak_rate(load_machine("v100"), "cuda-core", "int8");
  ASSERT_TRUE(rate);
  EXPECT_EQ(static_cast<int>(*rate->tera_ops_per_s), 62);
}

TEST(Peak, SpellsTheMultiplicationOut) {
  const Machine v100 = load_machine("v100");
  EXPECT_EQ(peak_rate(v100, "tensor", "fp16")->formula,
            "80 SMs x 8 tensor cores x 64 FMA x 2 x 1.53 GHz = 125.3 TFLOPS");
  EXPECT_EQ(peak_rate(v100, "cuda-core", "int8")->formula,
            "80 SMs x 64 DP4A lanes x 4 MAC x 2 x 1.53 GHz = 62.67 TOPS");
  EXPECT_EQ(dram_bandwidth(v100).formula,
            "32 channels x 128 bit / 8 x 2 beats x 0.877 GHz = 898.0 GB/s");
  EXPECT_EQ(l2_bandwidth(v100).formula, "64 slices x 32 B x 1.53 GHz = 3133 GB/s");
  EXPECT_EQ(shared_bandwidth(v100).formula, "80 SMs x 128 B x 1.53 GHz = 15667 GB/s");
  const Machine one =
      load_machine("v100", {"gpu.sms=1", "gpu.sms_per_gpc=[1]", "gpu.sms_per_tpc=1"});
  EXPECT_EQ(shared_bandwidth(one).formula, "1 SM x 128 B x 1.53 GHz = 195.8 GB/s");
  EXPECT_EQ(peak_rate(one, "tensor", "fp16")->formula,
            "1 SM x 8 tensor cores x 64 FMA x 2 x 1.53 GHz = 1.567 TFLOPS");
}

TEST(Peak, GivesThePublishedMemoryBandwidths) {
  const std::map<std::string, double> published{
      {"p100", 732},       {"v100", 898},  {"t4", 320},       {"a100", 1555},
      {"a100-80gb", 2039}, {"h100", 3352}, {"h200", 4800},    {"rtx3070", 448},
      {"rtx3090", 936},    {"a6000", 768}, {"titan-rtx", 672}};
  for (const auto& [name, bandwidth] : published)
    EXPECT_NEAR(dram_bandwidth(load_machine(name)).gb_per_s, bandwidth, 0.6) << name;
}

TEST(Peak, RidgePointIsRateOverBandwidth) {
  const Peak a100 = peak(load_machine("a100"));
  const PeakRate& first = a100.rates.front();
  EXPECT_EQ(first.dtype, "fp16");
  EXPECT_NEAR(first.ops_per_dram_byte, 311.86944e12 / 1555.2e9, 1e-9);
  EXPECT_NEAR(first.ops_per_l2_byte, 311.86944e12 / (80 * 64 * 1.41e9), 1e-9);
  for (const PeakRate& rate : a100.rates)
    EXPECT_EQ(rate.ops_per_dram_byte > 0, rate.tera_ops_per_s.has_value()) << rate.dtype;
}

TEST(Peak, TakesTheSmallerOfSmAndTensorClock) {
  EXPECT_EQ(peak_rate(load_machine("h100"), "tensor", "fp16")->clock_mhz, 1830);
  EXPECT_EQ(peak_rate(load_machine("h100", {"clocks.sm_mhz=1500"}), "tensor", "fp16")->clock_mhz,
            1500);
  EXPECT_EQ(peak_rate(load_machine("h100"), "tensor", "fp64")->clock_mhz, 1980);
  EXPECT_EQ(peak_rate(load_machine("a100", {"clocks.sm_mhz=1500"}), "tensor", "fp16")->clock_mhz,
            1500);
}

TEST(Peak, TheNarrowestOfSmTpcAndGpcPortsBoundsTheNetwork) {
  const Machine machine = load_machine("v100", {"noc.gpc_read_bytes_per_cycle=1000"});
  EXPECT_EQ(network_bandwidth(machine).bytes_per_cycle, 4 * 14 * 64 + 2 * 12 * 64);
  EXPECT_EQ(network_bandwidth(load_machine("v100")).bytes_per_cycle, 6 * 311);
  EXPECT_EQ(network_bandwidth(load_machine("h100")).bytes_per_cycle, 66 * 171);  // ports of TPCs
}

}  // namespace
}  // namespace tcsim::config
