#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/report/json_report.hpp"
#include "sim/report/text_report.hpp"
#include "sim/report/values_section.hpp"
#include "tests/report/fake_gpu.hpp"

namespace tcsim::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> keys_of(const nlohmann::ordered_json& json) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  return keys;
}

TEST(TextReport, IsOneScreenWithEveryLineOfTheRun) {
  EXPECT_EQ(
      text_report(fake_record()),
      R"(gemm 100x100x125 fp16->fp32    machine toy    unit tensor    L2 cold    fidelity cycle    tile 64x64x32

  time           1.00 us            1,000 cycles at 1000 MHz
  rate           2.50 TFLOPS        62.5 % of the 4.0 TFLOPS peak
  bound by       tensor cores, slowed by copy wait

  pipe active    90.0 %             tensor pipe holds at least one MMA / elapsed cycles
  issue fraction 80.0 %             issue slots taken by MMAs / slots offered; padding counts
  peak fraction  62.5 %             useful FLOP / (time x peak); padding of tiles does not count

  speed of light               0        25        50        75       100 %
    tensor cores      80.0 |################################        |
    issue slots       40.0 |################                        |
    shared memory/L1  50.0 |####################                    |
    L2                25.0 |##########                              |
    DRAM              50.0 |####################                    |  4 of 8 GB/s

  cycles spent   issued 40.0  tensor pipe busy 35.0  copy wait 20.0  launch 5.0  = 100.0 %
  work           5 CTAs on 2 SMs x 2 (limit: registers) = 1.25 waves; the last wave is 25 % full
                 2 to 3 CTAs per SM; in the last 30.0 % of the kernel some SMs have none, which idles 15.0 % of SM time
  verdict        The run is bound by tensor cores, at 80.0 % of the ceiling; 20.0 % of the sub-core cycles go to copy wait.
  try            more multiply-adds: --set sm.tensor.fp16_macs=512 (untried; --try simulates it)
  simulated in   0.50 s: 0.00 M warp instructions/s, 0.002 M cycles/s, 64 MiB
)");
}

TEST(TextReport, NamesTheTileOfTheFirstKernelThatHasOne) {
  RunRecord record = fake_record();
  record.inputs.kernel_tiles = {"", "128x64x32"};
  EXPECT_THAT(text_report(record), HasSubstr("fidelity cycle    tile 128x64x32\n"));
  record.inputs.kernel_tiles = {"", ""};
  EXPECT_THAT(text_report(record), HasSubstr("fidelity cycle\n"));
}

TEST(TextReport, GivesSmallRatesTwoDigitsThatCount) {
  const FakeGpu gpu;
  RunInputs inputs = fake_inputs();
  inputs.flop = 1.23e4;
  inputs.peak_tflops = 0.01272;
  inputs.attainable = AttainableRate{0.01234, "KEY binds (HMMA: 5 cycles >= 4)"};
  EXPECT_THAT(text_report(make_record(inputs, fake_outcome(), gpu.root(), {})),
              HasSubstr("  rate           0.012 TFLOPS       96.7 % of the 0.013 TFLOPS peak\n"
                        "  attainable     0.012 TFLOPS       the run reaches "));
}

TEST(TextReport, SaysWhatKeepsTheInstructionsFromThePeak) {
  const FakeGpu gpu;
  RunInputs inputs = fake_inputs();
  inputs.attainable = AttainableRate{3.2, "KEY binds (HMMA: 5 cycles >= 4)"};
  const RunRecord record = make_record(inputs, fake_outcome(), gpu.root(), {});
  EXPECT_THAT(text_report(record),
              HasSubstr("  rate           2.50 TFLOPS        62.5 % of the 4.0 TFLOPS peak\n"
                        "  attainable     3.2 TFLOPS         the run reaches 78.1 % of it\n"
                        "                 KEY binds (HMMA: 5 cycles >= 4)\n"));
  EXPECT_EQ(stats_json(record).at("held_by"), "KEY binds (HMMA: 5 cycles >= 4)");
  EXPECT_DOUBLE_EQ(run_json(record).at("attainable_tflops"), 3.2);
  inputs.attainable->held_by.clear();
  EXPECT_THAT(text_report(make_record(inputs, fake_outcome(), gpu.root(), {})),
              Not(HasSubstr("attainable")));
}

TEST(TextReport, NamesTheKernelsWhereThereAreSeveral) {
  const FakeGpu gpu;
  gpu::Outcome outcome = fake_outcome();
  outcome.kernels.push_back(outcome.kernels.front());
  outcome.kernels.back().name = "reduce";
  const std::string text = text_report(make_record(fake_inputs(), outcome, gpu.root(), {}));
  EXPECT_THAT(text, HasSubstr("\n  work           gemm_64x64x32: 5 CTAs on 2 SMs x 2 (limit"));
  EXPECT_THAT(text, HasSubstr("\n                 reduce: 5 CTAs on 2 SMs x 2 (limit"));
}

TEST(TextReport, CountsTheWavesOfClustersByTheirPlaces) {
  const FakeGpu gpu;
  gpu::Outcome outcome = fake_outcome();
  outcome.kernels.front().cluster_size = 2;
  outcome.kernels.front().ctas = 3;
  outcome.kernels.front().ctas_at_once = 2;
  EXPECT_THAT(text_report(make_record(fake_inputs(), outcome, gpu.root(), {})),
              HasSubstr("work           3 CTAs in clusters of 2, 2 at once (limit: registers) = "
                        "1.50 waves; the last wave is 50 % full"));
}

TEST(TextReport, CountsTheCtasOfAnSmOnceWhereAllHaveAsMany) {
  const FakeGpu gpu;
  gpu::Outcome outcome = fake_outcome();
  outcome.kernels.front().spread.fewest = outcome.kernels.front().spread.most = 1;
  EXPECT_THAT(text_report(make_record(fake_inputs(), outcome, gpu.root(), {})),
              HasSubstr("                 1 CTA per SM; in the last "));
}

TEST(TextReport, LeavesOutATailThatCostsNothing) {
  const FakeGpu gpu;
  gpu::Outcome outcome = fake_outcome();
  outcome.kernels.front().spread.idle_cycles = 19;  // of 2000
  EXPECT_THAT(text_report(make_record(fake_inputs(), outcome, gpu.root(), {})),
              Not(HasSubstr("CTAs per SM;")));
}

TEST(TextReport, HasNoTryLineWhereNothingIsKnownToHelp) {
  const FakeGpu gpu;
  RunInputs inputs = fake_inputs();
  inputs.remedies.clear();
  const RunRecord record = make_record(inputs, fake_outcome(), gpu.root(), {});
  EXPECT_THAT(text_report(record), Not(HasSubstr("  try ")));
  EXPECT_THAT(markdown_report(record), Not(HasSubstr("Try")));
}

TEST(TextReport, SaysFirstThatARunIsIncomplete) {
  const FakeGpu gpu;
  gpu::Outcome outcome = fake_outcome();
  outcome.stop = gpu::StopReason::kCycleLimit;
  const std::string text = text_report(make_record(fake_inputs(), outcome, gpu.root(), {}));
  EXPECT_THAT(text, HasSubstr("INCOMPLETE     stopped by cycle limit"));
  EXPECT_THAT(text, HasSubstr("rate           not applicable"));
}

TEST(MarkdownReport, HoldsEveryMetricWithItsMeaning) {
  const std::string text = markdown_report(fake_record());
  for (const stats::MetricDefinition& definition : stats::metric_definitions()) {
    EXPECT_THAT(text, HasSubstr("| " + std::string(definition.name) + " |"));
    EXPECT_THAT(text, HasSubstr(std::string(definition.sentence)));
  }
}

TEST(RunJson, HasExactlyThePromisedFieldsInOrder) {
  const auto json = run_json(fake_record());
  EXPECT_THAT(
      keys_of(json),
      ElementsAre("schema_version", "machine", "overrides", "workload", "title", "dtype",
                  "l2_state", "validated", "notes", "time_us", "cycles", "clock_mhz", "flop",
                  "tflops", "peak_tflops", "attainable_tflops", "peak_fraction", "pipe_active",
                  "issue_fraction", "tensor_fraction", "bound_by", "cycles_by_reason", "memory",
                  "instructions", "kernels", "energy", "simulation"));
}

TEST(RunJson, CountsEveryCycleOfEverySubCoreOnce) {
  const auto json = run_json(fake_record());
  std::uint64_t sum = 0;
  for (const auto& [reason, cycles] : json["cycles_by_reason"].items())
    sum += cycles.get<std::uint64_t>();
  EXPECT_EQ(sum, 4u * 1000u);
  EXPECT_EQ(json["cycles_by_reason"]["copy_wait"], 800);
}

TEST(RunJson, HoldsInstructionsMemoryAndKernels) {
  const auto json = run_json(fake_record());
  EXPECT_EQ(json["instructions"].dump(), R"({"warp":1600,"mma":400})");
  EXPECT_EQ(json["memory"]["dram_read_bytes"], 3000);
  EXPECT_EQ(json["memory"]["l2_read_bytes"], 16000);
  EXPECT_EQ(json["kernels"][0]["waves"], 1.25);
  EXPECT_EQ(json["simulation"]["warp_instructions_per_s"], 3200.0);
  EXPECT_EQ(json["simulation"]["complete"], true);
}

TEST(RunJson, WritesAnUnknownRateAsNull) {
  RunInputs inputs = fake_inputs();
  inputs.flop = std::nullopt;
  inputs.peak_tflops = std::nullopt;
  const FakeGpu gpu;
  const auto json = run_json(make_record(inputs, fake_outcome(), gpu.root(), {}));
  for (const char* name : {"flop", "tflops", "peak_tflops", "peak_fraction"})
    EXPECT_TRUE(json[name].is_null()) << name;
  EXPECT_TRUE(json["time_us"].is_number());
}

TEST(StatsJson, DiffersBetweenHostsInItsSimulationBlockAlone) {
  const FakeGpu gpu;
  auto slow = stats_json(make_record(fake_inputs(), fake_outcome(), gpu.root(), {9.0, 1, 1}));
  auto fast = stats_json(make_record(fake_inputs(), fake_outcome(), gpu.root(), {0.1, 2, 200}));
  EXPECT_NE(slow.dump(), fast.dump());
  slow.erase("simulation");
  fast.erase("simulation");
  EXPECT_EQ(slow.dump(), fast.dump());
  EXPECT_EQ(slow["schema_version"], 1);
  EXPECT_EQ(slow["counters"]["gpu"]["children"]["sm"]["instances"], 2);
}

TEST(ValuesText, NamesTheWorstElementOnlyWhereOneIsNotExact) {
  ValuesRecord record;
  record.computed = ProductRecord{};
  EXPECT_THAT(values_text(record), HasSubstr("not applicable: no element is finite\n    D "));
  values::ProductError& error = std::get<ProductRecord>(record.computed).result.arithmetic;
  error.elements = 4;
  EXPECT_THAT(values_text(record), HasSubstr(" 4 elements, 4 exact\n"));
  error.wrong = 1;
  EXPECT_THAT(values_text(record), HasSubstr(" 4 elements, 3 exact; worst at row 0, column 0\n"));
}

TEST(StatsCsv, HasFactsBesideMetricsAndCounters) {
  const std::string text = stats_csv("run-0001", fake_record());
  EXPECT_THAT(text, HasSubstr("run-0001,run,tflops,TFLOPS,2.5,cycle\n"));
  EXPECT_THAT(text, HasSubstr("run-0001,gpu.l2_slice,l2_hits,sectors,"));
  EXPECT_THAT(text, HasSubstr("run-0001,run,clock_mhz,MHz,1000,cycle\n"));
  EXPECT_THAT(text, HasSubstr("run-0001,run,constant_w,W,,cycle\n")) << "not known";
}

TEST(KernelsCsv, HasOneRowPerKernelUnderItsHeader) {
  EXPECT_EQ(
      kernels_csv("run-0001", fake_record()),
      "run-0001,gemm_64x64x32,64x64x32,0,1000,1000,1,5,2,registers,1.25,0.25,1600,400,cycle\n");
  const auto columns = std::count(kKernelsCsvHeader.begin(), kKernelsCsvHeader.end(), ',');
  const std::string row = kernels_csv("run-0001", fake_record());
  EXPECT_EQ(std::count(row.begin(), row.end(), ','), columns);
}

}  // namespace
}  // namespace tcsim::report
