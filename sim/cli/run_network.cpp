#include "sim/cli/run_network.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <iterator>
#include <optional>

#include "sim/cli/exit_status.hpp"
#include "sim/cli/interrupt.hpp"
#include "sim/cli/memory_needs.hpp"
#include "sim/cli/network_simulation.hpp"
#include "sim/cli/network_streams.hpp"
#include "sim/cli/run_files.hpp"
#include "sim/cli/simulate_run.hpp"
#include "sim/config/load.hpp"
#include "sim/config/target.hpp"
#include "sim/files/json_text.hpp"
#include "sim/library/load.hpp"
#include "sim/networks/network_file.hpp"
#include "sim/report/words.hpp"
#include "workloads/networks/counts.hpp"

namespace tcsim::cli {
namespace {

using networks::Network;
using networks::Program;

constexpr std::string_view kPrefix = "net:";

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

/// "; not simulated: LSTM 'l'", or nothing.
std::string not_simulated(const Network& network) {
  std::string text;
  for (const networks::Skipped& one : network.skipped)
    text += fmt::format("{}{} '{}'", text.empty() ? "; not simulated: " : ", ", one.operation,
                        one.name);
  return text;
}

Program lowered(const Network& network, const RunOptions& options, const config::Machine& machine) {
  const kernels::Features features = config::features_of(machine);
  const bool has_fused = options.is_training ? features.has_async_mma() : !features.mma.empty();
  try {
    Program program = networks::lower(
        network, {options.batch, options.precision, options.is_training, has_fused});
    if (!program.steps.empty()) return program;
    throw NotCovered(fmt::format("{}: no layer of this network runs on a GPU{}", options.workload,
                                 not_simulated(network)));
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

/// Weights are there once, activations for each instance of the network.
void require_memory(const Program& program, const networks::Placement& placement,
                    const RunOptions& options, const config::Machine& machine) {
  const networks::BlockSums sums = networks::block_sums(program, placement);
  std::vector<workload::OperandSize> needs{{"weights", sums.weights},
                                           {"activations", options.streams * sums.activations}};
  require_addressable(options.workload, needs);
  if (!options.ignores_capacity) require_capacity(options.workload, needs, machine);
}

/// Runs every step until one is stopped.
void run_steps(const Program& program, const networks::Placement& placement,
               const RunOptions& options, const config::MachineFile& machine,
               report::NetworkRun& run) {
  const auto start = std::chrono::steady_clock::now();
  NetworkSimulation simulation(options, machine, program, placement);
  const bool shows = options.verbose || (!options.quiet && ::isatty(STDERR_FILENO) == 1);
  const auto keep_going = [] { return InterruptGuard::stop_cause() == StopCause::kNone; };
  for (std::size_t i = 0; i < program.steps.size() && !simulation.stopped(); ++i) {
    run.steps.push_back(simulation.run(program.steps[i], keep_going));
    const report::NetworkStep& step = run.steps.back();
    if (shows)
      fmt::print(std::cerr, "[{}/{}] {} {}: {}{}\n", i + 1, program.steps.size(), step.layer,
                 step.part, step.title, step.is_reused ? " (as before)" : "");
  }
  run.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  run.is_complete = !simulation.stopped();
  if (!run.is_complete) run.stopped_by = reason_of_stop();
}

report::StreamsRun described_streams(const report::NetworkRun& network) {
  report::StreamsRun run;
  run.machine = network.machine;
  run.network = network.network;
  run.batch = network.batch;
  run.precision = network.precision;
  run.pass = network.pass;
  return run;
}

std::string report_in(Format format, const report::NetworkRun& run) {
  switch (format) {
    case Format::kText:
      return report::network_text(run);
    case Format::kJson:
      return files::json_text(report::network_json(run), 2) + "\n";
    case Format::kCsv:
      return report::layers_csv(run);
    case Format::kMarkdown:
      return report::network_markdown(run);
  }
  return "";
}

std::string report_in(Format format, const report::StreamsRun& run) {
  switch (format) {
    case Format::kText:
      return report::streams_text(run);
    case Format::kJson:
      return files::json_text(report::streams_json(run), 2) + "\n";
    case Format::kCsv:
      return report::streams_csv(run);
    case Format::kMarkdown:
      return report::streams_markdown(run);
  }
  return "";
}

std::vector<std::string> write_files(const report::RunDirectory& files,
                                     const report::NetworkRun& run) {
  files.write("network.json", files::json_text(report::network_json(run), 2) + "\n");
  files.write("layers.csv", report::layers_csv(run));
  files.write("kernels.csv", report::network_kernels_csv(run));
  return {"network.json", "layers.csv", "kernels.csv"};
}

std::vector<std::string> write_files(const report::RunDirectory& files,
                                     const report::StreamsRun& run) {
  files.write("streams.json", files::json_text(report::streams_json(run), 2) + "\n");
  return {"streams.json"};
}

/// Files, report and status of a run that has ended.
template <typename Run>
int finish(const RunOptions& options, const Run& run, RunFiles& run_files) {
  const std::optional<report::RunDirectory>& files = run_files.directory();
  std::vector<std::string> names{"manifest.json"};
  const std::exception_ptr trouble = held_back([&] {
    if (files) std::ranges::copy(write_files(*files, run), std::back_inserter(names));
    run_files.finish(run.wall_s, run.is_complete, run.stopped_by);
  });
  fmt::print(std::cout, "{}", report_in(options.format, run));
  if (options.format == Format::kText) {
    fmt::print(std::cout, "simulated in {:.1f} s\n", run.wall_s);
    if (files && !trouble)
      fmt::print(std::cout, "\n{}/  {}\n", files->path().string(), fmt::join(names, "  "));
  }
  if (trouble) std::rethrow_exception(trouble);
  if (run.is_complete) return kDone;
  fmt::print(std::cerr, "tcsim run: {}; results are partial\n", report::stop_words(run.stopped_by));
  return run.stopped_by == "interrupted" ? kInterrupted : kStopped;
}

}  // namespace

bool is_network(const std::string& workload) { return workload.starts_with(kPrefix); }

int run_network(const RunOptions& options, const std::vector<std::string>& command) {
  check_options(options);
  const Network network = networks::load_network(options.workload.substr(kPrefix.size()));
  const config::MachineFile machine =
      library::read_machine(options.machines.front(), options.overrides, options.libraries);
  check_quantum(options, machine.machine);
  note_inert_overrides(options, machine);
  const Program program = lowered(network, options, machine.machine);
  const networks::Placement placement = networks::place(program);
  require_memory(program, placement, options, machine.machine);
  report::NetworkRun run = described(network, options);
  RunFiles run_files(options, command);
  const InterruptGuard guard(run_files.last_words());
  if (options.streams > 1) {
    report::StreamsRun streams = described_streams(run);
    run_streams(options, machine, program, placement, streams);
    return finish(options, streams, run_files);
  }
  run_steps(program, placement, options, machine, run);
  return finish(options, run, run_files);
}

}  // namespace tcsim::cli
