#include "sim/run/validation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <span>

#include "sim/config/error.hpp"
#include "sim/config/load.hpp"
#include "sim/config/peak.hpp"
#include "sim/files/atomic_file.hpp"
#include "sim/files/json_text.hpp"
#include "sim/json/parse.hpp"
#include "sim/library/load.hpp"
#include "sim/report/checksum.hpp"
#include "sim/report/configuration_hash.hpp"
#include "sim/run/program.hpp"
#include "sim/run/request_fields.hpp"
#include "sim/run/request_io.hpp"
#include "sim/run/validation_tiles.hpp"
#include "workloads/import/workload.hpp"
#include "workloads/import/workload_size.hpp"

namespace tcsim::run {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using validate::L2State;
using validate::Measurement;

std::vector<std::string> overrides_of(const Measurement& row, const ValidationRequest& request) {
  std::vector<std::string> overrides = row.model.overrides;
  overrides.insert(overrides.end(), request.overrides.begin(), request.overrides.end());
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

RunRequest request_of(const Measurement& row, const ValidationRequest& request,
                      const config::Machine& machine) {
  RunRequest run;
  run.workload = row.workload;
  run.machines = {row.model.machine};
  run.overrides = overrides_of(row, request);
  run.unit = row.unit;
  run.tile = row.tile;
  run.libraries = row.traits.libraries;
  run.jobs = 1;
  take_field(run, "fidelity", request.fidelity);
  // Vector operations wait for memory, whose clock the power limit leaves alone.
  const bool multiplies = row.flop > 0;
  const bool is_long = row.time_us > row.traits.power_limited_above_us;
  if (multiplies && !row.locked_clock)
    run.clock = is_long ? ClockPolicy::kPower : ClockPolicy::kLoad;
  const L2State l2 = row.traits.l2;
  run.overwrite_l2 = l2 == L2State::kOverwritten;
  run.warm_l2 = (l2 == L2State::kWarm || l2 == L2State::kRotating) && l2_remembers(row, machine);
  run.rotate_weights = l2 == L2State::kRotating && row.op == "gemm";
  return run;
}

/// What determines the result of `request`: itself, the machine behind it and this program.
std::string key_of(const RunRequest& request, const config::MachineFile& machine) {
  static const std::string program = model_revision();
  return report::hash_text(request_json(request).dump() + '\n' + config::canonical_text(machine) +
                           '\n' + program);
}

/// Why a job is simulated: with the tile that the row ran with, as a further run of the row, with
/// the kernel that its source names, with another tile of the menu.
enum class JobRole : std::uint8_t { kOwn, kFurther, kNamed, kOther };

/// One simulation: a run of a row with its own tile or another one.
struct Job {
  std::size_t index;  ///< of the row
  JobRole role;
  Measurement row;  ///< with the workload, operations and tile of this run
  RunRequest request;
  std::string key;
  double overhead_us;  ///< launch overhead inside the simulated time
  int boost_mhz;       ///< SM clock of the machine, at which or below the run was
  double memory_us;    ///< operands and result once through DRAM at its peak
  Json result;
  std::string failure;
  bool is_interrupted = false;
};

fs::path file_of(const fs::path& folder, const Job& job) { return folder / (job.key + ".json"); }

/// `row` as its run of `words` alone.
Measurement part_of(const Measurement& row, const std::string& words) {
  Measurement part = row;
  part.workload = words;
  part.flop = workload::useful_flop(workload::parse_workload(words).front()).value_or(0);
  return part;
}

/// Operands and result of `row` once through DRAM at its peak.
double memory_us_of(const Measurement& row, const config::Machine& machine) {
  const double bytes =
      workload::operand_bytes(workload::parse_workload(row.workload).front()).value_or(0);
  return bytes / (1e3 * config::dram_bandwidth(machine).gb_per_s);
}

/// What to simulate for `row` on `machine`, its runs without other tiles first.
std::vector<Job> jobs_of(std::size_t index, const Measurement& row,
                         const ValidationRequest& request, const config::MachineFile& machine) {
  std::vector<Job> jobs;
  const auto add = [&](JobRole role, Measurement variant, const std::string& tile) {
    variant.tile = tile;
    const RunRequest run = request_of(variant, request, machine.machine);
    jobs.push_back({index, role, variant, run, key_of(run, machine),
                    machine.machine.launch.overhead_us, machine.machine.clocks.sm_mhz,
                    memory_us_of(variant, machine.machine), Json(), ""});
  };
  const std::string own_tile = row.library_chose ? "" : row.tile;
  add(JobRole::kOwn, row.further.empty() ? row : part_of(row, row.workload), own_tile);
  for (const std::string& words : row.further)
    add(JobRole::kFurther, part_of(row, words), own_tile);
  if (row.library_chose) add(JobRole::kNamed, row, row.tile);
  for (const std::string& tile : other_tiles(jobs.front().row, machine.machine, request.tiles))
    add(JobRole::kOther, row, tile);
  return jobs;
}

/// What the comparison reads of a result.
void check_result(const json::View& result) {
  constexpr double kMost = 1e15;
  (void)result.at("time_us").number(0, kMost);
  (void)result.at("clock_mhz").number(1, kMost);
  (void)result.at("bound_by").get<std::string>();
  for (const json::View& kernel : result.at("kernels").elements())
    (void)kernel.at("tile").get<std::string>();
}

validate::TileTime time_of(const Job& job) {
  const double kernel_us = job.result["time_us"].get<double>() - job.overhead_us;
  const double gap_us = job.row.traits.gap_us.value_or(job.overhead_us);
  validate::TileTime time{"", std::max(kernel_us + gap_us, job.row.traits.floor_us)};
  for (const Json& kernel : job.result["kernels"])
    if (time.tile.empty()) time.tile = kernel["tile"].get<std::string>();
  return time;
}

/// The slower of the operations at the peak rate of the boost clock and of the operands once
/// through DRAM, with the gap and floor of the source.
double roofline_us(const Job& job) {
  const Json peak = job.result.value("peak_tflops", Json());
  double compute_us = 0;
  if (peak.is_number()) {
    const double boost_ratio = job.boost_mhz / job.result.at("clock_mhz").get<double>();
    compute_us = job.row.flop / (1e6 * peak.get<double>() * boost_ratio);
  }
  const double gap_us = job.row.traits.gap_us.value_or(job.overhead_us);
  return std::max(std::max(compute_us, job.memory_us) + gap_us, job.row.traits.floor_us);
}

/// Requires the results of all jobs of `measurement`, its own first, but for the named one. Times
/// of further runs are added.
validate::Comparison comparison_of(const Measurement& measurement, std::span<const Job> jobs,
                                   bool compares_tiles) {
  double further_us = 0;
  for (const Job& job : jobs)
    if (job.role == JobRole::kFurther) further_us += time_of(job).simulated_us;
  const auto whole_time = [&](const Job& job) {
    validate::TileTime time = time_of(job);
    time.simulated_us += further_us;
    return time;
  };
  const validate::TileTime own = whole_time(jobs.front());
  validate::Comparison comparison{.measurement = measurement,
                                  .simulated_us = own.simulated_us,
                                  .tile = own.tile,
                                  .bound_by = jobs.front().result["bound_by"].get<std::string>(),
                                  .roofline_us = roofline_us(jobs.front()),
                                  .tiles = {}};
  if (!measurement.tile.empty() && !measurement.library_chose) comparison.named = own;
  for (const Job& job : jobs) {
    if (!job.result.is_object()) continue;
    if (job.role == JobRole::kFurther) {
      comparison.roofline_us += roofline_us(job);
      continue;
    }
    if (job.role == JobRole::kNamed)
      comparison.named = whole_time(job);
    else if (compares_tiles)
      comparison.tiles.push_back(whole_time(job));
  }
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

/// Jobs with the same key, whose results are the same.
using EqualJobs = std::vector<Job*>;

/// Takes results that `folder` holds; the jobs that are left, longest first.
std::vector<EqualJobs> open_jobs(std::vector<Job>& jobs, const std::optional<fs::path>& folder) {
  std::vector<EqualJobs> open;
  std::map<std::string_view, std::size_t> places;
  for (Job& job : jobs) {
    if (folder) job.result = stored_result(file_of(*folder, job));
    if (job.result.is_object()) continue;
    const auto [place, is_new] = places.emplace(job.key, open.size());
    if (is_new) open.emplace_back();
    open[place->second].push_back(&job);
  }
  std::ranges::stable_sort(open, std::greater{},
                           [](const EqualJobs& equal) { return equal.front()->row.flop; });
  return open;
}

void run_jobs(std::vector<Job>& jobs, const std::optional<fs::path>& folder, const ChildPlan& plan,
              const CountListener& finished) {
  const std::vector<EqualJobs> open = open_jobs(jobs, folder);
  std::vector<ChildRun> runs;
  runs.reserve(open.size());
  for (const EqualJobs& equal : open) runs.push_back({equal.front()->request});
  std::size_t ended = 0;
  run_children(runs, plan, [&](std::size_t index, const ChildOutcome& outcome) {
    for (Job* job : open[index]) {
      job->failure = outcome.failure;
      job->is_interrupted = outcome.status == kInterrupted;
      if (outcome.status == kDone) job->result = outcome.result;
    }
    const Job& first = *open[index].front();
    if (folder && first.result.is_object())
      files::write_atomically(file_of(*folder, first),
                              files::json_text(report::sealed(first.result)) + "\n");
    finished(++ended, runs.size());
  });
}

}  // namespace

ValidationRuns simulate_measurements(const std::vector<Measurement>& measurements,
                                     const ValidationRequest& request, const ChildPlan& plan,
                                     const CountListener& finished) {
  std::vector<Job> jobs;
  library::KnownMachines machines;
  for (std::size_t i = 0; i < measurements.size(); ++i) {
    const Measurement& row = measurements[i];
    const config::MachineFile& machine =
        machines.of(row.model.machine, overrides_of(row, request), row.traits.libraries);
    std::ranges::move(jobs_of(i, row, request, machine), std::back_inserter(jobs));
  }
  if (request.folder) fs::create_directories(*request.folder);
  run_jobs(jobs, request.folder, plan, finished);
  ValidationRuns runs;
  runs.interrupted = plan.pending_signal() != 0;
  for (auto first = jobs.begin(); first != jobs.end();) {
    const auto end =
        std::find_if(first, jobs.end(), [&](const Job& job) { return job.index != first->index; });
    const auto failed = std::find_if(first, end, [](const Job& job) {
      return !job.result.is_object() && (job.role != JobRole::kNamed || job.failure.empty());
    });
    const Measurement& row = measurements[first->index];
    if (failed == end)
      runs.rows.push_back(comparison_of(row, {first, end}, request.tiles > 1));
    else if (!failed->failure.empty() && !(runs.interrupted && failed->is_interrupted))
      runs.failed.push_back({row, failed->failure});
    first = end;
  }
  return runs;
}

}  // namespace tcsim::run
