#pragma once

#include <optional>
#include <string_view>

#include "sim/config/load.hpp"
#include "sim/report/run_record.hpp"
#include "sim/run/hooks.hpp"
#include "sim/run/prepare/prepare.hpp"
#include "sim/run/request.hpp"
#include "sim/run/values_job.hpp"
#include "sim/run/window_recording.hpp"
#include "workloads/import/workload.hpp"

namespace tcsim::run {

/// One workload on one machine: prepared, simulated, executed for its values.
///
///     RunRequest request;
///     request.workload = "gemm:1024";
///     request.machines = {"a100"};
///     const report::RunRecord record = run::run(request, {});
class Session {
 public:
  /// Reads the machine of `request`, generates the kernels of `workload` and reads operands. Throws
  /// UsageError, config::ConfigError, NotCovered or IoError for what cannot be run.
  Session(const RunRequest& request, const workload::Workload& workload, Hooks hooks);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] const PreparedRun& prepared() const { return run_; }
  [[nodiscard]] const config::Machine& machine() const { return machine_.machine; }

  /// Simulates the run: with the unit, at the clock and with the recording that the request asks
  /// for. A run that is stopped early has a partial record. Throws NotCovered if an MMA has no
  /// modelled values.
  [[nodiscard]] report::RunRecord simulate();

  /// True if the values of the run of `record` are still to be computed.
  [[nodiscard]] bool lacks_values(const report::RunRecord& record) const;
  /// Throws as ValuesJob::compute. The hooks do not end it.
  [[nodiscard]] report::ValuesRecord values() const { return values_->compute(); }
  /// Gives the values to `record`, of a run that lacks them. If the hooks end their computation,
  /// the record is partial and has none. Throws as ValuesJob::compute.
  void add_values(report::RunRecord& record) const;

  /// The recording for request.timeline, once; nothing without it.
  [[nodiscard]] std::optional<timeline::Timeline> take_timeline();

 private:
  /// Throws unless the run simulates every cycle of programs, as `field` of the request needs,
  /// which `verb` ("counts") their instructions.
  void require_every_cycle_of_programs(std::string_view field, std::string_view verb) const;

  const RunRequest request_;
  const workload::Workload workload_;
  const Hooks hooks_;
  const config::MachineFile machine_;
  const PreparedRun run_;
  std::optional<ValuesJob> values_;
  std::optional<WindowRecording> recording_;
};

/// The one workload of `request`, which has one machine. Throws RequestError for a list, a network
/// or several machines.
workload::Workload only_workload(const RunRequest& request);

/// Runs the one workload of `request` on its one machine. Throws as only_workload and Session do.
report::RunRecord run(const RunRequest& request, const Hooks& hooks);

}  // namespace tcsim::run
