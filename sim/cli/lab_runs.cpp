#include "sim/cli/lab_runs.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <sstream>
#include <vector>

#include "sim/cli/interrupt.hpp"
#include "sim/config/load.hpp"
#include "sim/errors/errors.hpp"
#include "sim/files/data_folder.hpp"
#include "sim/files/scratch_folder.hpp"
#include "sim/labs/results_folder.hpp"
#include "sim/process/child_pool.hpp"
#include "sim/process/verdict.hpp"
#include "sim/run/child_runs.hpp"

namespace tcsim::cli {
namespace {

namespace fs = std::filesystem;
using process::ChildResult;

#if defined(__SANITIZE_ADDRESS__)
constexpr std::int64_t kMemoryMib = 0;  // the sanitizer maps terabytes
#else
constexpr std::int64_t kMemoryMib = 4096;
#endif

ChildResult ending_of(const labs::Job& job, const process::PoolOptions& options) {
  std::vector<std::string> command{run::this_program().string()};
  command.insert(command.end(), job.arguments.begin(), job.arguments.end());
  process::PoolEvents events;
  events.finished = [](std::size_t, const ChildResult&) {};
  events.pending_signal = InterruptGuard::pending_signal;
  ChildResult result = process::ChildPool(options).run({{command}}, events).front();
  if (!result.started || result.stopped) throw GradingInterrupted("interrupted");
  return result;
}

void write_job_files(const labs::Job& job, const fs::path& to) {
  const labs::ResultsFolder folder(to);
  for (const auto& [name, content] : job.files) folder.write(name, content);
}

/// Why a command of the instructor failed: its first line of standard error that is not a note.
std::string reason_of(const ChildResult& result) {
  std::istringstream lines(result.errors);
  for (std::string line; std::getline(lines, line);)
    if (!line.empty() && !line.starts_with("note: ")) return line;
  return process::verdict_of(result).words;
}

std::string teachers_output(const labs::Job& job) {
  process::PoolOptions options;
  std::optional<files::ScratchFolder> scratch;
  if (!job.files.empty()) {
    scratch.emplace(files::temporary_directory(), "tcsim-lab-");
    write_job_files(job, scratch->path());
    options.directory = scratch->path();
  }
  ChildResult result = ending_of(job, options);
  if (result.status == kDone && result.signal == 0) return std::move(result.output);
  throw labs::CommandFailed(reason_of(result));
}

std::string students_output(const labs::Job& job, double time_s) {
  const files::ScratchFolder scratch(files::temporary_directory(), "tcsim-lab-");
  write_job_files(job, scratch.path());
  process::PoolOptions options;
  options.directory = scratch.path();
  options.limits = {time_s, kMemoryMib};
  options.confinement = process::Confinement{
      .environment = {"TCSIM_CONFIGS", "TCSIM_VALIDATION"},
      .readable = {config::configs_folder(), files::data_folder("tests/validation")}};
  ChildResult result = ending_of(job, options);
  const process::Verdict verdict = process::verdict_of(result);
  if (verdict.cause == process::Cause::kTimeLimit)
    throw labs::CommandTimedOut(fmt::format("tcsim takes longer than {:g} s for it", time_s));
  if (verdict.cause == process::Cause::kMemory || verdict.cause == process::Cause::kKilled ||
      verdict.cause == process::Cause::kOutput)
    throw labs::CommandFailed("tcsim needs more memory or output for it than it may have");
  if (result.signal != 0) throw labs::CommandFailed("tcsim " + verdict.words + " on it");
  if (result.status != kDone)
    throw labs::CommandFailed(
        fmt::format("tcsim ends with {} on it; run it yourself to see why", verdict.words));
  return std::move(result.output);
}

}  // namespace

std::string run_lab_job(const labs::Job& job, double time_s) {
  return job.is_students ? students_output(job, time_s) : teachers_output(job);
}

}  // namespace tcsim::cli
