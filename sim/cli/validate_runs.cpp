#include "sim/cli/validate_runs.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>

#include "sim/cli/exit_status.hpp"
#include "sim/cli/interrupt.hpp"
#include "sim/cli/standard_streams.hpp"
#include "sim/cli/validate_tiles.hpp"
#include "sim/config/error.hpp"
#include "sim/config/load.hpp"
#include "sim/files/atomic_file.hpp"
#include "sim/files/json_text.hpp"
#include "sim/json/parse.hpp"
#include "sim/library/load.hpp"
#include "sim/process/child_pool.hpp"
#include "sim/report/checksum.hpp"
#include "sim/report/configuration_hash.hpp"
#include "sim/report/manifest.hpp"
#include "sim/report/revision.hpp"
#include "workloads/import/workload.hpp"
#include "workloads/import/workload_size.hpp"

namespace tcsim::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using validate::L2State;
using validate::Measurement;

std::vector<std::string> overrides_of(const Measurement& row, const ValidateOptions& options) {
  std::vector<std::string> overrides = row.model.overrides;
  overrides.insert(overrides.end(), options.overrides.begin(), options.overrides.end());
  return overrides;
}

/// Operands and result in bytes; an L2 keeps nothing of an earlier run that is larger than this
/// many times itself.
constexpr double kForgottenFactor = 1;

/// Whether an earlier run can have left anything in the L2. Attention reads and writes by turns:
/// its earlier results are still to be written back.
bool l2_remembers(const Measurement& row, const config::Machine& machine) {
  if (row.op.starts_with("attention")) return true;
  const workload::Workload workload = workload::parse_workload(row.workload).front();
  const double bytes = workload::operand_bytes(workload).value_or(0);
  return bytes <= kForgottenFactor * static_cast<double>(machine.l2.bytes);
}

std::vector<std::string> command_of(const Measurement& row, const ValidateOptions& options,
                                    const config::Machine& machine) {
  std::vector<std::string> words{fs::read_symlink("/proc/self/exe").string(),
                                 "run",
                                 row.workload,
                                 "-m",
                                 row.model.machine,
                                 "--unit",
                                 row.unit,
                                 "-j",
                                 "1",
                                 "-f",
                                 "json",
                                 "-q",
                                 "--no-files"};
  for (const std::string& text : overrides_of(row, options)) {
    words.emplace_back("--set");
    words.push_back(text);
  }
  if (!row.tile.empty()) {
    words.emplace_back("--tile");
    words.push_back(row.tile);
  }
  // Vector operations wait for memory, whose clock the power limit leaves alone.
  const bool multiplies = row.flop > 0;
  if (multiplies && row.time_us > row.traits.power_limited_above_us && !row.locked_clock) {
    words.emplace_back("--clock");
    words.emplace_back("power");
  }
  if (row.traits.l2 != L2State::kCold && l2_remembers(row, machine))
    words.emplace_back("--warm-l2");
  if (row.traits.l2 == L2State::kTurns && row.op == "gemm") words.emplace_back("--rotate-weights");
  return words;
}

/// What determines the result of `command`: its words, the machine behind them and this program.
std::string key_of(const std::vector<std::string>& command, const config::MachineFile& machine) {
  const std::vector<std::string> words(command.begin() + 1, command.end());
  return report::hash_text(report::shell_line(words) + '\n' + config::canonical_text(machine) +
                           '\n' + std::string(report::revision()));
}

/// One simulation: a row with its own tile or another one.
struct Job {
  std::size_t index;  ///< of the row
  Measurement row;
  std::vector<std::string> command;
  std::string key;
  double overhead_us;  ///< launch overhead inside the simulated time
  Json result;
  std::string failure;
};

fs::path file_of(const report::RunDirectory& files, const Job& job) {
  return files.path() / "rows" / (job.key + ".json");
}

/// What to simulate for `row`, the run without other tiles first.
std::vector<Job> jobs_of(std::size_t index, const Measurement& row,
                         const ValidateOptions& options) {
  const config::MachineFile machine =
      library::read_machine(row.model.machine, overrides_of(row, options));
  std::vector<Measurement> variants{row};
  for (const std::string& tile : other_tiles(row, machine.machine, options.tiles)) {
    variants.push_back(row);
    variants.back().tile = tile;
  }
  std::vector<Job> jobs;
  for (const Measurement& variant : variants) {
    const std::vector<std::string> command = command_of(variant, options, machine.machine);
    jobs.push_back({index, variant, command, key_of(command, machine),
                    machine.machine.launch.overhead_us, Json(), ""});
  }
  return jobs;
}

/// What the comparison reads of a result.
void check_result(const json::View& result) {
  constexpr double kMost = 1e15;
  (void)result.at("time_us").number(0, kMost);
  (void)result.at("bound_by").get<std::string>();
  for (const json::View& kernel : result.at("kernels").elements())
    (void)kernel.at("tile").get<std::string>();
}

void take(const process::ChildResult& child, Job& job) {
  if (!child.started) return;
  const Json result = Json::parse(child.output, nullptr, /*allow_exceptions=*/false);
  if (child.signal == 0 && child.status == kDone && result.is_object()) {
    job.result = result;
    return;
  }
  job.failure = child.signal != 0 ? fmt::format("ended by signal {}", child.signal)
                                  : fmt::format("status {}: {}", child.status,
                                                child.errors.substr(0, child.errors.find('\n')));
}

validate::TileTime time_of(const Job& job) {
  const double kernel_us = job.result["time_us"].get<double>() - job.overhead_us;
  const double gap_us = job.row.traits.gap_us.value_or(job.overhead_us);
  validate::TileTime time{"", std::max(kernel_us + gap_us, job.row.traits.floor_us)};
  for (const Json& kernel : job.result["kernels"])
    if (time.tile.empty()) time.tile = kernel["tile"].get<std::string>();
  return time;
}

/// Requires the results of all jobs of `measurement`, its own first.
validate::Comparison comparison_of(const Measurement& measurement, std::span<const Job> jobs,
                                   bool compares_tiles) {
  const validate::TileTime own = time_of(jobs.front());
  validate::Comparison comparison{.measurement = measurement,
                                  .simulated_us = own.simulated_us,
                                  .tile = own.tile,
                                  .bound_by = jobs.front().result["bound_by"].get<std::string>(),
                                  .tiles = {}};
  if (compares_tiles)
    for (const Job& job : jobs) comparison.tiles.push_back(time_of(job));
  return comparison;
}

/// The result in `file`; null if there is none, or none that is whole.
Json stored_result(const fs::path& file) {
  if (!fs::exists(file)) return {};
  try {
    const json::View result = json::read(file);
    if (!report::verify_seal(result)) return {};
    check_result(result);
    return result.json();
  } catch (const config::ConfigError&) {
    return {};  // simulated anew
  }
}

/// Takes results that `files` holds; the jobs that are left, longest first.
std::vector<std::size_t> open_jobs(std::vector<Job>& jobs,
                                   const std::optional<report::RunDirectory>& files) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (files) jobs[i].result = stored_result(file_of(*files, jobs[i]));
    if (!jobs[i].result.is_object()) open.push_back(i);
  }
  std::ranges::stable_sort(open, std::greater{}, [&](std::size_t i) { return jobs[i].row.flop; });
  return open;
}

void run_jobs(std::vector<Job>& jobs, const ValidateOptions& options,
              const std::optional<report::RunDirectory>& files) {
  const std::vector<std::size_t> open = open_jobs(jobs, files);
  std::vector<std::vector<std::string>> commands;
  commands.reserve(open.size());
  for (const std::size_t i : open) commands.push_back(jobs[i].command);
  const bool announces = !options.quiet && ::isatty(STDERR_FILENO) == 1;
  std::size_t finished = 0;
  process::PoolEvents events;
  events.finished = [&](std::size_t index, const process::ChildResult& child) {
    Job& job = jobs[open[index]];
    take(child, job);
    if (files && job.result.is_object())
      files::write_atomically(file_of(*files, job),
                              files::json_text(report::sealed(job.result)) + "\n");
    ++finished;
    if (!announces) return;
    steer(std::cerr, "\r");
    fmt::print(std::cerr, "{} of {} runs", finished, commands.size());
  };
  events.pending_signal = InterruptGuard::pending_signal;
  process::ChildPool({options.jobs, {}, {}}).run(commands, events);
  if (announces && finished > 0) fmt::print(std::cerr, "\n");
}

}  // namespace

ValidationRuns simulate_measurements(const std::vector<Measurement>& measurements,
                                     const ValidateOptions& options,
                                     const std::optional<report::RunDirectory>& files) {
  std::vector<Job> jobs;
  for (std::size_t i = 0; i < measurements.size(); ++i)
    std::ranges::move(jobs_of(i, measurements[i], options), std::back_inserter(jobs));
  if (files) fs::create_directories(files->path() / "rows");
  const InterruptGuard guard;
  run_jobs(jobs, options, files);
  ValidationRuns runs;
  runs.interrupted = InterruptGuard::pending_signal() != 0;
  for (auto first = jobs.begin(); first != jobs.end();) {
    const auto end =
        std::find_if(first, jobs.end(), [&](const Job& job) { return job.index != first->index; });
    const auto failed =
        std::find_if(first, end, [](const Job& job) { return !job.result.is_object(); });
    const Measurement& row = measurements[first->index];
    if (failed == end)
      runs.rows.push_back(comparison_of(row, {first, end}, options.tiles > 1));
    else if (!failed->failure.empty())  // else the row was not reached
      runs.failed.push_back({row, failed->failure});
    first = end;
  }
  return runs;
}

}  // namespace tcsim::cli
