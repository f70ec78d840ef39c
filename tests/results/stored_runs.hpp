#pragma once

#include "sim/report/json_report.hpp"
#include "sim/report/manifest.hpp"
#include "sim/results/stored_run.hpp"
#include "tests/report/fake_gpu.hpp"

namespace tcsim::results {

/// The run of tests/report/fake_gpu.hpp as stored in its directory, with a machine card.
inline StoredRun fake_run(const std::string& name = "run", int clock_mhz = 1000) {
  report::RunInputs inputs = report::fake_inputs();
  inputs.clock_mhz = clock_mhz;
  inputs.dtype = "fp16";
  inputs.shared_bytes_per_cycle = 128;
  inputs.minimum = report::MinimumTraffic{2000, 500};
  inputs.needs = {{4, 128, 65536, {{"registers", 2}, {"warps", 16}}}};
  inputs.effective_machine = "clocks.sm_mhz " + std::to_string(clock_mhz) + "\ngpu.sms 2\n";
  report::MachineCard card;
  card.name = "toy";
  card.peak.rates = {{"tensor", "fp16", "fp32", false, 4.0, 0, 1000, "2 SMs x ... = 4 TFLOPS"},
                     {"cuda-core", "fp32", "fp32", false, 0.5, 0, 1000, "0.5 TFLOPS"},
                     {"cuda-core", "fp64", "fp64", false, std::nullopt, 0, 0, ""}};
  card.peak.bandwidths = {{"dram", 8, 1000, 8, "= 8 GB/s"},
                          {"l2", 64, 1000, 64, "= 64 GB/s"},
                          {"shared", 256, 1000, 256, "= 256 GB/s"}};
  config::Setting setting;
  setting.key = "l2.ways";
  setting.value = "16";
  setting.source = "assumption: not published";
  card.assumptions = {setting};
  inputs.card = card;
  gpu::Outcome outcome = report::fake_outcome();
  outcome.activity = {{500, {800, 409600, 400, 200, 8000, 0, 2000, 0, 0}, 16},
                      {1000, {3200, 1638400, 1600, 1000, 16000, 4000, 3000, 1000, 0}, 0}};
  const report::FakeGpu gpu;
  const report::RunRecord record = report::make_record(inputs, outcome, gpu.root(), {0.5, 1, 1});
  return {name, View(report::stats_json(record), "stats.json"),
          View(report::manifest_json(report::Manifest{{"tcsim", "run"}, "2024-05-01T12:00:00Z"},
                                     inputs),
               "manifest.json")};
}

/// `run` with the member of stats.json at `pointer` ("/metrics/tflops/value") replaced.
inline StoredRun with_stat(StoredRun run, const std::string& pointer, const Json& value) {
  Json stats = run.stats.json();
  stats[Json::json_pointer(pointer)] = value;
  run.stats = View(std::move(stats), run.stats.file());
  return run;
}

}  // namespace tcsim::results
