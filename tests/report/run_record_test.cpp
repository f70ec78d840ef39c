#include "sim/report/run_record.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/errors/errors.hpp"
#include "sim/report/configuration_hash.hpp"
#include "tests/report/fake_gpu.hpp"
#include "tests/support/refusal.hpp"

namespace tcsim::report {
namespace {

TEST(RunRecord, ComputesTimeAndRateFromCyclesAndClock) {
  const RunRecord record = fake_record();
  EXPECT_DOUBLE_EQ(record.metric("time_us").value(), 1.0);
  EXPECT_DOUBLE_EQ(record.metric("tflops").value(), 2.5);
}

TEST(RunRecord, KeepsTheThreeUtilisationsApart) {
  const RunRecord record = fake_record();
  EXPECT_DOUBLE_EQ(record.metric("peak_fraction").value(), 2.5 / 4.0);
  EXPECT_DOUBLE_EQ(record.metric("pipe_active").value(), 0.9);
  EXPECT_DOUBLE_EQ(record.metric("issue_fraction").value(), 0.8);
}

TEST(RunRecord, ComputesTheUseOfEveryMemoryLevel) {
  const RunRecord record = fake_record();
  EXPECT_DOUBLE_EQ(record.metric("sm_memory_fraction").value(), 0.5);
  EXPECT_DOUBLE_EQ(record.metric("l1_hit_rate").value(), 0.8);
  EXPECT_DOUBLE_EQ(record.metric("shared_fraction").value(), 0.4);
  EXPECT_DOUBLE_EQ(record.metric("shared_conflict_fraction").value(), 0.1);
  EXPECT_DOUBLE_EQ(record.metric("l2_hit_rate").value(), 0.75);
  EXPECT_DOUBLE_EQ(record.metric("l2_fraction").value(), 16000.0 / (1000 * 64));  // reads
  EXPECT_DOUBLE_EQ(record.metric("dram_gb_per_s").value(), 4.0);
  EXPECT_DOUBLE_EQ(record.metric("dram_fraction").value(), 0.5);
  EXPECT_DOUBLE_EQ(record.metric("arithmetic_intensity").value(), 2.5e6 / 4000);
}

/// 4 GB/s of 8 at the pins; where reads return at half of that, they are all that DRAM can give.
TEST(RunRecord, DramIsAsBusyAsTheWayOfItsReads) {
  const auto dram = [](double read_peak) {
    const FakeGpu gpu;
    RunInputs inputs = fake_inputs();
    inputs.dram_read_peak_gb_per_s = read_peak;
    const RunRecord record = make_record(inputs, fake_outcome(), gpu.root(), {});
    return std::ranges::find(record.verdict.bars, "dram", &SpeedOfLight::id)->fraction;
  };
  const double read = fake_record().metric("dram_read_bytes").value() / 1000;  // GB/s in 1 us
  EXPECT_DOUBLE_EQ(dram(8), 0.5);
  EXPECT_DOUBLE_EQ(dram(read), 1);
}

/// 1000 cycles, 1000 hits and misses of the L2, 2 bytes of DRAM in each cycle.
TEST(RunRecord, MetricsAreAsUnsureAsWhatTheyFollowFrom) {
  const FakeGpu gpu;
  gpu::Outcome outcome = fake_outcome();
  outcome.sampling.gaps = 1;
  outcome.sampling.half_width_cycles = 10;
  outcome.sampling.half_widths = {{"channel.read_bytes", 30}, {"l2_slice.l2_hits", 0}};
  const RunRecord record = make_record(fake_inputs(), outcome, gpu.root(), {});
  const auto half_width = [all = record.metrics_with_half_widths()](std::string_view name) {
    return std::ranges::find(all, name,
                             [](const stats::Metric& metric) { return metric.definition.name; })
        ->half_width;
  };
  EXPECT_NEAR(half_width("time_us"), 0.01, 1e-12);
  EXPECT_DOUBLE_EQ(half_width("dram_read_bytes"), 30);
  EXPECT_DOUBLE_EQ(half_width("warp_instructions"), 0);
  EXPECT_NEAR(half_width("dram_gb_per_s"), 0.030 + 4.0 - 4.0 / 1.01, 1e-12);
  EXPECT_DOUBLE_EQ(fake_record().metrics_with_half_widths().front().half_width, 0);
}

/// Half of all cycles have no warp.
TEST(RunRecord, BlamesTheTailForThemIfEverySmHadCtas) {
  FakeGpu gpu;
  gpu.sub_core_counter("cycles_no_warp").add(4000);
  gpu::Outcome outcome = fake_outcome();
  outcome.cycles = 2000;
  gpu::KernelSpan& kernel = outcome.kernels.front();
  kernel.ctas = kernel.ctas_at_once;
  const auto phrase = [&](std::int64_t fewest, Cycle idle) {
    kernel.spread.fewest = fewest;
    kernel.spread.idle_cycles = idle;
    return make_record(fake_inputs(), outcome, gpu.root(), {}).verdict.phrase;
  };
  EXPECT_EQ(phrase(1, 1000), "SMs that end before the others");
  EXPECT_EQ(phrase(1, 999), "too few CTAs to fill the chip");
  EXPECT_EQ(phrase(0, 1000), "too few CTAs to fill the chip");
  ++kernel.ctas;  // a second wave
  EXPECT_EQ(phrase(1, 1000), "SMs that end before the others");
  EXPECT_EQ(phrase(1, 999), "CTAs that start and end");
}

TEST(RunRecord, HasNoRateWhenTheRunDidNotFinish) {
  const FakeGpu gpu;
  gpu::Outcome outcome = fake_outcome();
  outcome.stop = gpu::StopReason::kInterrupted;
  const RunRecord record = make_record(fake_inputs(), outcome, gpu.root(), {});
  EXPECT_FALSE(record.complete());
  EXPECT_EQ(record.metric("tflops"), std::nullopt);
  EXPECT_EQ(record.metric("peak_fraction"), std::nullopt);
  EXPECT_DOUBLE_EQ(record.metric("pipe_active").value(), 0.9);
}

TEST(RunRecord, HasNoEnergyOfArithmeticThatDidNotRun) {
  const FakeGpu gpu;
  RunInputs inputs = fake_inputs();
  inputs.unit = "cuda-core";
  inputs.power.emplace();
  gpu::Outcome outcome = fake_outcome();
  EXPECT_TRUE(make_record(inputs, outcome, gpu.root(), {}).metric("vector_energy_j"));
  outcome.stop = gpu::StopReason::kInterrupted;
  const RunRecord record = make_record(inputs, outcome, gpu.root(), {});
  EXPECT_EQ(record.metric("vector_energy_j"), std::nullopt);
  EXPECT_EQ(record.metric("power_w"), std::nullopt);
}

TEST(RunRecord, RefusesReasonsThatDoNotAddUp) {
  FakeGpu gpu;
  gpu.sub_core_counter("cycles_issued").add(1);
  EXPECT_EQ(test::refusal<InternalError>(
                [&] { make_record(fake_inputs(), fake_outcome(), gpu.root(), {}); }),
            "cycles by reason add up to 4001, not to 1000 cycles of 4 sub-cores = 4000");
}

TEST(RunRecord, RefusesATreeWithoutACounterThatAFormulaNames) {
  const stats::Group empty("gpu");
  EXPECT_EQ(
      test::refusal<InternalError>([&] { make_record(fake_inputs(), fake_outcome(), empty, {}); }),
      "no counter and no fact named sub_core.tensor_busy_cycles");
}

TEST(ConfigurationHash, ChangesWithMachineWorkloadUnitAndTile) {
  const std::string hash = configuration_hash(fake_inputs());
  EXPECT_EQ(hash.size(), 32u);
  RunInputs inputs = fake_inputs();
  EXPECT_EQ(configuration_hash(inputs), hash);
  inputs.effective_machine += " ";
  EXPECT_NE(configuration_hash(inputs), hash);
  inputs = fake_inputs();
  inputs.workload += "6";
  EXPECT_NE(configuration_hash(inputs), hash);
  inputs = fake_inputs();
  inputs.workload_content = "6";
  EXPECT_NE(configuration_hash(inputs), hash);
  inputs = fake_inputs();
  inputs.unit = "cuda-core";
  EXPECT_NE(configuration_hash(inputs), hash);
  inputs = fake_inputs();
  inputs.kernel_tiles = {"128x64x32"};
  EXPECT_NE(configuration_hash(inputs), hash);
}

TEST(ConfigurationHash, ChangesWithWhatOnlyTheEnergyDependsOn) {
  RunInputs inputs = fake_inputs();
  const std::string hash = configuration_hash(inputs);
  inputs.power.emplace().boost_mhz = inputs.clock_mhz;
  EXPECT_EQ(configuration_hash(inputs), hash);
  inputs.power->boost_mhz = inputs.clock_mhz + 1;
  EXPECT_NE(configuration_hash(inputs), hash);
  inputs.power->boost_mhz = inputs.clock_mhz;
  inputs.power->data = "constant";
  EXPECT_NE(configuration_hash(inputs), hash);
}

TEST(ConfigurationHash, IsTheXxh3OfTheText) {
  // XXH3-128 of the empty text with seed 0, from the algorithm's published test vectors.
  EXPECT_EQ(hash_text(""), "99aa06d3014798d86001c324468d497f");
}

}  // namespace
}  // namespace tcsim::report
