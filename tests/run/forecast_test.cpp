#include "sim/run/forecast.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/errors/errors.hpp"
#include "sim/run/session.hpp"
#include "sim/run/simulate.hpp"
#include "tests/run/request_of.hpp"

namespace tcsim::run {
namespace {

std::vector<Forecast> forecasts(const RunRequest& request) {
  return forecast(request, workload::parse_workload(request.workload));
}

class ForetoldRun : public ::testing::TestWithParam<const char*> {};

TEST_P(ForetoldRun, ExecutesWhatWasForetold) {
  const RunRequest request = request_of(GetParam());
  const std::vector<Forecast> rows = forecasts(request);
  ASSERT_EQ(rows.size(), 1U);
  const report::RunRecord record = run(request, {});
  std::uint64_t instructions = 0;
  std::uint64_t mmas = 0;
  std::int64_t ctas = 0;
  for (const gpu::KernelSpan& kernel : record.outcome.kernels) {
    instructions += kernel.warp_instructions;
    mmas += kernel.mma_instructions;
    ctas += kernel.ctas;
  }
  EXPECT_EQ(static_cast<std::uint64_t>(rows[0].work.warp_instructions), instructions);
  EXPECT_EQ(static_cast<std::uint64_t>(rows[0].work.mma_instructions), mmas);
  EXPECT_EQ(rows[0].ctas, ctas);
  EXPECT_EQ(rows[0].kernels, static_cast<std::int64_t>(record.outcome.kernels.size()));
  EXPECT_EQ(rows[0].title, record.inputs.title);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, ForetoldRun,
    ::testing::Values("{workload: \"gemm:m=100,n=96,k=200\", machine: a100}",
                      "{workload: \"gemm:m=64,n=64,k=4096\", machine: v100, tile: "
                      "128x64x32_splitk4}",
                      "{workload: \"conv:n=1,hw=14,c=32,k=32,rs=3,pad=1\", machine: v100}",
                      "{workload: \"attn:heads=2,n=100,d=64,causal=1\", machine: a100}",
                      "{workload: \"softmax:rows=100,cols=777\", machine: t4}",
                      "{workload: \"gemm:96,dtype=fp32\", machine: h100}"));

TEST(Forecast, CountsTheWarmUpToo) {
  const auto once = forecasts(request_of("{workload: \"gemm:128\", machine: a100}"));
  const auto twice =
      forecasts(request_of("{workload: \"gemm:128\", machine: a100, warm_l2: true}"));
  EXPECT_EQ(twice[0].work.warp_instructions, 2 * once[0].work.warp_instructions);
  EXPECT_GT(twice[0].seconds, once[0].seconds);
}

TEST(Forecast, RefusesRowsOfSeveralAndThrowsForOne) {
  EXPECT_THROW(forecasts(request_of("{workload: \"gemm:128,dtype=bf16\", machine: v100, unit: "
                                    "tensor}")),
               NotCovered);
  const auto rows = forecasts(
      request_of("{workload: \"gemm:128,dtype=bf16\", machine: [v100, a100], unit: tensor}"));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_THAT(rows[0].refused, ::testing::HasSubstr("bf16"));
  EXPECT_EQ(rows[0].seconds, 0);
  EXPECT_EQ(rows[1].refused, "");
  EXPECT_GT(rows[1].seconds, 0);
}

TEST(Forecast, OfAListEndsAtItsLimit) {
  RunRequest request = request_of("{workload: \"gemm:64\", machine: [v100, a100]}");
  request.limit = 2;
  std::vector<workload::Workload> workloads;
  for (const char* words : {"gemm:64", "gemm:96", "gemm:128"})
    workloads.push_back(workload::parse_workload(words).front());
  const std::vector<Forecast> rows = forecast(request, workloads);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows.back().machine, "a100");
  EXPECT_THAT(rows.back().title, ::testing::StartsWith("gemm 96x96x96"));
}

TEST(Forecast, RefusesARowThatHasNoTiles) {
  const RunRequest request = request_of("{workload: \"gemm:128\", machine: v100, tile: 128x64x32}");
  std::vector<workload::Workload> workloads;
  for (const char* words : {"softmax:rows=100,cols=777", "gemm:128"})
    workloads.push_back(workload::parse_workload(words).front());
  const std::vector<Forecast> rows = forecast(request, workloads);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_THAT(rows[0].refused, ::testing::HasSubstr("tile"));
  EXPECT_EQ(rows[1].refused, "");
  EXPECT_THROW(forecast(request, {workloads.front()}), UsageError);
}

TEST(Forecast, OfANetworkCountsEqualSteps) {
  const auto rows = forecast_network(request_of("{workload: \"net:bert_base\", machine: a100}"));
  const auto query = std::ranges::find_if(
      rows, [](const Forecast& row) { return row.title.starts_with("layer.0.query"); });
  ASSERT_NE(query, rows.end());
  EXPECT_EQ(query->kernels, 36);  // query, key and value of twelve layers
  const auto one = forecast(request_of("{workload: \"gemm:m=128,n=768,k=768\", machine: a100}"),
                            workload::parse_workload("gemm:m=128,n=768,k=768"));
  EXPECT_EQ(query->work.mma_instructions, 36 * one.front().work.mma_instructions);
  EXPECT_LT(query->sampled_s, query->seconds / 4);
}

TEST(Forecast, OfANetworkHasEachStepThatDiffersOnce) {
  const auto rows = forecast_network(request_of("{workload: \"net:lenet\", machine: a100}"));
  const auto more =
      forecast_network(request_of("{workload: \"net:lenet\", machine: a100, batch: 64}"));
  ASSERT_EQ(rows.size(), more.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    EXPECT_GE(more[i].work.warp_instructions, rows[i].work.warp_instructions) << rows[i].title;
}

TEST(Fidelity, AutoSamplesWhatIsForetoldToTakeLong) {
  const auto is_sampled = [](const char* size, const char* fidelity) {
    const RunRequest request = request_of(
        fmt::format("{{workload: \"gemm:{}\", machine: a100, fidelity: \"{}\"}}", size, fidelity));
    const Session session(request, workload::parse_workload(request.workload).front(), {});
    return sampling_of(request, session.prepared().launches).has_value();
  };
  EXPECT_FALSE(is_sampled("256", "auto"));
  EXPECT_TRUE(is_sampled("256", "sampled"));
  EXPECT_TRUE(is_sampled("8192", "auto"));
  EXPECT_FALSE(is_sampled("8192", "cycle"));
}

/// A second of each part; sampled runs simulate ten trips and half of those beyond, and 100
/// iterations in all.
SimulationCost round_cost() {
  return {.start_s = 1,
          .instruction_ns = 10,
          .mma_instruction_ns = 20,
          .sector_ns = 40,
          .buffer_sector_ns = 80,
          .memory_share = 0.5,
          .sampled_trips = 10,
          .sampled_share = 0.5,
          .sampled_iterations = 100,
          .program_mib = 16,
          .sm_kib = 512,
          .l2_line_bytes = 64,
          .warp_bytes = 2048};
}

TEST(Forecast, WhatIsAskedForIsSampledOrNot) {
  Forecast forecast;
  forecast.seconds = 12;
  forecast.sampled_s = 3;
  const auto asked = [&](const char* fidelity) {
    return asked_seconds(
        request_of(
            fmt::format("{{workload: \"gemm:128\", machine: a100, fidelity: \"{}\"}}", fidelity)),
        forecast);
  };
  EXPECT_EQ(asked("cycle"), 12);
  EXPECT_EQ(asked("sampled"), 3);
  EXPECT_EQ(asked("auto"), 3);
  forecast.seconds = 10;
  EXPECT_EQ(asked("sampled"), 3);
  EXPECT_EQ(asked("auto"), 10);
}

TEST(Forecast, SampledLongLoopsTakeLessAndShortOnesAsLong) {
  const auto forecast_of = [](const char* words) {
    return forecasts(request_of(fmt::format("{{workload: \"{}\", machine: a100}}", words)))[0];
  };
  const Forecast deep = forecast_of("gemm:m=1024,n=1024,k=32768");
  EXPECT_LT(deep.sampled_s, 0.9 * deep.seconds);
  const Forecast flat = forecast_of("gemm:m=1024,n=1024,k=64");
  EXPECT_DOUBLE_EQ(flat.sampled_s, flat.seconds);
}

TEST(Forecast, LargerChipsTakeMoreMemory) {
  const auto forecast_of = [](const char* machine) {
    return forecasts(
        request_of(fmt::format("{{workload: \"gemm:512\", machine: {}}}", machine)))[0];
  };
  EXPECT_GT(forecast_of("lab-tiny").memory_mib, 1);
  EXPECT_GT(forecast_of("v100").memory_mib, forecast_of("lab-tiny").memory_mib);
  EXPECT_GT(forecast_of("h100").memory_mib, forecast_of("v100").memory_mib);
}

TEST(SimulationCost, AddsUpItsParts) {
  EXPECT_DOUBLE_EQ(round_cost().seconds({150'000'000, 50'000'000, 25'000'000, 12'500'000}),
                   1 + 1 + 1 + 1 + 1);
}

TEST(SimulationCost, MemoryIsThatOfTheProgramTheSmsTheL2AndTheWarps) {
  EXPECT_DOUBLE_EQ(round_cost().memory_mib({4, 1 << 16, 1 << 10}), 16 + 2 + 4 + 2);
}

TEST(SimulationCost, SampledRunsSimulateTripsAndWavesInPart) {
  const SimulationCost cost = round_cost();
  EXPECT_DOUBLE_EQ(cost.share_sampled({0, 0}), 1);
  EXPECT_DOUBLE_EQ(cost.share_sampled({10, 10}), 1);
  EXPECT_DOUBLE_EQ(cost.share_sampled({20, 1}), 0.75);
  EXPECT_DOUBLE_EQ(cost.share_sampled({20, 0}), 0.75);
  EXPECT_DOUBLE_EQ(cost.share_sampled({1, 200}), 0.5);
  EXPECT_DOUBLE_EQ(cost.share_sampled({0, 200}), 0.5);
  EXPECT_DOUBLE_EQ(cost.share_sampled({20, 40}), 0.125);
}

TEST(SimulationCost, IsShipped) {
  const SimulationCost cost = read_simulation_cost();
  EXPECT_GT(cost.instruction_ns, 0);
  EXPECT_GT(cost.memory_share, 0);
  EXPECT_LT(cost.memory_share, 1);
  EXPECT_LT(cost.sampled_share, 1);
  EXPECT_GT(cost.program_mib, 0);
}

}  // namespace
}  // namespace tcsim::run
