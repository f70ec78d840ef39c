#include "sim/cli/run_network.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <optional>

#include "sim/cli/exit_status.hpp"
#include "sim/cli/interrupt.hpp"
#include "sim/cli/network_simulation.hpp"
#include "sim/cli/simulate_run.hpp"
#include "sim/config/load.hpp"
#include "sim/networks/network_file.hpp"
#include "sim/report/manifest.hpp"
#include "sim/report/run_directory.hpp"
#include "workloads/networks/counts.hpp"

namespace tcsim::cli {
namespace {

using Clock = std::chrono::steady_clock;
using networks::Network;
using networks::Program;

constexpr std::string_view kPrefix = "net:";

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void check_options(const RunOptions& options) {
  const auto refuse = [](const std::string& what) {
    throw UsageError("tcsim run: " + what + " has no meaning for a network");
  };
  if (options.machines.size() > 1)
    throw UsageError("tcsim run: a network runs on one machine; repeat the command for others");
  if (!options.tile.empty()) refuse("--tile");
  if (options.unit != "tensor") refuse("--unit " + options.unit);
  if (options.rtl_tensor_core) refuse("--tensor-core rtl");
  if (options.power_clock) refuse("--clock power");
  if (options.warm_l2) refuse("--warm-l2");
  if (options.values.wanted) refuse("--values");
  if (options.limit > 0) refuse("--limit");
}

Program lowered(const Network& network, const RunOptions& options, const config::Machine& machine) {
  const bool has_ampere = machine.architecture == "ampere" || machine.architecture == "hopper";
  try {
    return networks::lower(network, {options.batch, options.precision, options.is_training,
                                     /*has_fused_attention=*/has_ampere});
  } catch (const std::invalid_argument& error) {
    throw NotCovered(fmt::format("{}: {}", options.workload, error.what()));
  }
}

report::NetworkRun described(const Network& network, const RunOptions& options) {
  report::NetworkRun run;
  run.machine = options.machines.front();
  run.network = network.name;
  run.source = network.source;
  run.batch = options.batch;
  run.precision = networks::precision_words()[static_cast<std::size_t>(options.precision)];
  run.pass = options.is_training ? "training" : "forward";
  run.parameters = networks::parameters(network);
  run.macs_per_sample = networks::macs(network);
  double skipped_macs = 0;
  for (const networks::Skipped& skipped : network.skipped) skipped_macs += skipped.macs;
  const double all = static_cast<double>(run.macs_per_sample) + skipped_macs;
  for (const networks::Skipped& skipped : network.skipped)
    run.skipped.push_back({skipped.name, skipped.operation, all > 0 ? skipped.macs / all : 0});
  return run;
}

/// Runs every step until one is stopped.
void run_steps(const Program& program, const RunOptions& options,
               const config::MachineFile& machine, report::NetworkRun& run) {
  const Clock::time_point start = Clock::now();
  const networks::Placement placement = networks::place(program);
  NetworkSimulation simulation(options, machine, program, placement);
  const bool shows = options.verbose || (!options.quiet && ::isatty(STDERR_FILENO) == 1);
  bool timed_out = false;
  const auto keep_going = [&] {
    timed_out = options.timeout_s > 0 && seconds_since(start) >= options.timeout_s;
    return !timed_out && InterruptGuard::pending_signal() == 0;
  };
  for (std::size_t i = 0; i < program.steps.size() && !simulation.stopped(); ++i) {
    run.steps.push_back(simulation.run(program.steps[i], keep_going));
    const report::NetworkStep& step = run.steps.back();
    if (shows)
      fmt::print(stderr, "[{}/{}] {} {}: {}{}\n", i + 1, program.steps.size(), step.layer,
                 step.part, step.title, step.is_reused ? " (as before)" : "");
  }
  run.wall_s = seconds_since(start);
  run.is_complete = !simulation.stopped();
  if (run.is_complete) return;
  run.stopped_by = timed_out                               ? std::string(kTimeLimit)
                   : InterruptGuard::pending_signal() != 0 ? "interrupted"
                                                           : "cycle limit or deadlock";
}

std::string report_in(const RunOptions& options, const report::NetworkRun& run) {
  switch (options.format) {
    case Format::kText:
      return report::network_text(run);
    case Format::kJson:
      return report::network_json(run).dump(2) + "\n";
    case Format::kCsv:
      return report::layers_csv(run);
    case Format::kMarkdown:
      return report::network_markdown(run);
  }
  return "";
}

}  // namespace

bool is_network(const std::string& workload) { return workload.starts_with(kPrefix); }

int run_network(const RunOptions& options, const std::vector<std::string>& command) {
  check_options(options);
  const Network network = networks::load_network(options.workload.substr(kPrefix.size()));
  const config::MachineFile machine =
      config::read_machine(options.machines.front(), options.overrides);
  check_quantum(options, machine.machine);
  const Program program = lowered(network, options, machine.machine);
  report::NetworkRun run = described(network, options);
  const InterruptGuard guard;
  report::Manifest manifest{command, report::now_utc()};
  std::optional<report::RunDirectory> files;
  const auto write_manifest = [&] {
    files->write(
        "manifest.json",
        report::manifest_json(manifest, options.machines, options.workload).dump(2) + "\n");
  };
  if (!options.no_files) {
    files = report::RunDirectory::create(options.out, options.force);
    write_manifest();
  }
  run_steps(program, options, machine, run);
  manifest.wall_s = run.wall_s;
  manifest.complete = run.is_complete;
  manifest.stopped_by = run.stopped_by;
  if (files) {
    files->write("network.json", report::network_json(run).dump(2) + "\n");
    files->write("layers.csv", report::layers_csv(run));
    files->write("kernels.csv", report::network_kernels_csv(run));
    write_manifest();
  }
  fmt::print("{}", report_in(options, run));
  if (options.format == Format::kText) {
    fmt::print("simulated in {:.1f} s\n", run.wall_s);
    if (files)
      fmt::print("\n{}/  manifest.json  network.json  layers.csv  kernels.csv\n",
                 files->path().string());
  }
  if (run.is_complete) return kDone;
  fmt::print(stderr, "tcsim run: stopped by {} in layer {}; results are partial\n", run.stopped_by,
             run.steps.back().layer);
  return run.stopped_by == "interrupted" ? kInterrupted : kStopped;
}

}  // namespace tcsim::cli
