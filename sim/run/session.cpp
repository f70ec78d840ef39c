#include "sim/run/session.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "sim/config/load.hpp"
#include "sim/files/data_folder.hpp"
#include "sim/library/load.hpp"
#include "sim/report/configuration_hash.hpp"
#include "sim/run/critical_path.hpp"
#include "sim/run/request_fields.hpp"
#include "sim/run/rtl.hpp"
#include "sim/run/simulate.hpp"
#include "sim/timeline/source_profile.hpp"
#include "sim/validate/accuracy.hpp"
#include "workloads/import/workload_size.hpp"
#include "workloads/trace/program_lines.hpp"

namespace tcsim::run {
namespace {

/// The line of the report that quotes the model's error for runs like this one.
std::string validated_line(const config::MachineFile& machine, const workload::Workload& workload,
                           const report::RunRecord& record) {
  validate::Simulated run{config::shipped_word(machine), "", "", record.inputs.unit,
                          record.metric("time_us").value_or(0.0)};
  if (run.machine.empty())
    return "no measured reference for a machine that is not shipped or was changed";
  if (workload::useful_flop(workload) ||
      std::holds_alternative<kernels::VectorProblem>(workload.work) ||
      std::holds_alternative<kernels::PoolProblem>(workload.work)) {
    run.op = validate::operation_of(workload);
    const auto* gemm = std::get_if<kernels::GemmProblem>(&workload.work);
    if (gemm != nullptr && gemm->weights.are_packed()) run.op += " by packed weights";
    // CUDA cores multiply some operands as FP32: the peak is that of the type that ran.
    const bool has_peak = run.unit == "cuda-core" && !record.inputs.dtype.empty();
    run.dtype = has_peak ? record.inputs.dtype
                         : std::string(workload::element_name(validate::element_of(workload)));
  }
  const auto table = files::data_folder("tests/validation") / "accuracy.csv";
  return validate::validated_text(validate::read_accuracies(table), run);
}

}  // namespace

Session::Session(const RunRequest& request, const workload::Workload& workload, Hooks hooks)
    : request_(request),
      workload_(workload),
      hooks_(std::move(hooks)),
      machine_(
          library::read_machine(request.machines.front(), request.overrides, request.libraries)),
      run_(prepare_run_with(request, workload, machine_)) {
  for (const std::string& note : run_.inputs.notes) hooks_.tell("note: " + note);
  if (request_.rtl_tensor_core) check_rtl_run(run_, machine_.machine);
  if (request_.values.wanted || request_.rtl_tensor_core)
    values_.emplace(request_.values, run_, machine_.machine);
  check_quantum(request_, machine_.machine);
  if (request_.sampling_error > 0 && (request_.timeline || request_.rtl_tensor_core))
    throw mistake_in("fidelity",
                     fmt::format("{} needs every cycle",
                                 word_of(request_.timeline ? "timeline" : "tensor_core")));
  if (request_.counts_source) {
    if (request_.timeline)
      throw mistake_in("source", "cannot be combined with " + word_of("timeline"));
    require_every_cycle_of_programs("source", "counts");
  }
  if (request_.follows_path) require_every_cycle_of_programs("critical_path", "follows");
  if (request_.timeline) check_window(*request_.timeline, machine_.machine);
}

void Session::require_every_cycle_of_programs(std::string_view field, std::string_view verb) const {
  const auto refuse = [&](const std::string& reason) { throw mistake_in(field, reason); };
  if (request_.sampling_error > 0)
    refuse("needs every cycle; it cannot be combined with " + word_of("fidelity"));
  if (request_.rtl_tensor_core) refuse("cannot be combined with " + word_of("tensor_core"));
  for (const isa::KernelLaunch& launch : run_.launches)
    if (launch.recording != nullptr)
      throw NotCovered(fmt::format("{}: {} {} the instructions of programs, not of recordings",
                                   run_.inputs.workload, word_of(field), verb));
}

report::RunRecord Session::simulate() {
  std::optional<timeline::SourceProfile> profile;  // of the last run that simulate_once made
  const ClockedRun simulate_once = [&](const RunRequest& extent, const PreparedRun& clocked,
                                       const config::Machine& at_clock) {
    if (request_.rtl_tensor_core)
      return simulate_with_rtl(extent, clocked, *values_, at_clock, hooks_);
    Hooks hooks = hooks_;
    if (request_.timeline) {
      recording_.emplace(*request_.timeline, at_clock);
      hooks.observers = recording_->observers();
    }
    if (request_.counts_source) {
      profile.emplace(trace::instruction_texts);
      hooks.observers = [&profile](int sm, Cycle) { return profile->observer(sm); };
    }
    report::RunRecord record = simulate_run(extent, clocked, at_clock, hooks);
    if (request_.follows_path && record.complete())
      record.critical_paths = critical_paths(extent, clocked, at_clock, record.outcome, hooks_);
    return record;
  };
  report::RunRecord record =
      request_.clock != ClockPolicy::kBoost
          ? simulate_at_sustained_clock(request_, workload_, run_, machine_, simulate_once)
          : simulate_once(request_, run_, machine_.machine);
  if (profile) record.source = profile->take();
  record.machine_hash = report::hash_text(config::canonical_text(machine_));
  if (record.complete()) record.validated = validated_line(machine_, workload_, record);
  return record;
}

bool Session::lacks_values(const report::RunRecord& record) const {
  return request_.values.wanted && record.complete() && !record.values;
}

void Session::add_values(report::RunRecord& record) const {
  try {
    record.values = values_->compute(/*engine=*/nullptr, [this] { hooks_.poll(); });
  } catch (const Stopped&) {
    record.outcome.stop = gpu::StopReason::kInterrupted;
    record.stopped_by = reason_of_stop(hooks_, record.outcome.stop);
  }
}

std::optional<timeline::Timeline> Session::take_timeline() {
  if (!recording_) return std::nullopt;
  return recording_->take(run_.inputs.title, run_.inputs.machine);
}

workload::Workload only_workload(const RunRequest& request) {
  if (is_network(request.workload))
    throw RequestError(request.workload + ": a network is not a single run");
  std::vector<workload::Workload> workloads = workload::parse_workload(request.workload);
  if (workloads.size() != 1 || request.machines.size() != 1)
    throw RequestError(request.workload + ": a list is not a single run");
  return std::move(workloads.front());
}

report::RunRecord run(const RunRequest& request, const Hooks& hooks) {
  Session session(request, only_workload(request), hooks);
  report::RunRecord record = session.simulate();
  if (session.lacks_values(record)) session.add_values(record);
  return record;
}

}  // namespace tcsim::run
