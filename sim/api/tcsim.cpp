#include "sim/api/tcsim.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <chrono>
#include <mutex>
#include <nlohmann/json.hpp>

#include "sim/config/error.hpp"
#include "sim/config/load.hpp"
#include "sim/config/peak.hpp"
#include "sim/files/json_text.hpp"
#include "sim/report/json_report.hpp"
#include "sim/report/network_report.hpp"
#include "sim/report/peak_json.hpp"
#include "sim/report/revision.hpp"
#include "sim/report/text_report.hpp"
#include "sim/run/network_run.hpp"
#include "sim/run/request_fields.hpp"
#include "sim/run/request_io.hpp"
#include "sim/run/session.hpp"
#include "sim/run/tile_search.hpp"
#include "sim/run/values_job.hpp"
#include "sim/tensor_file/npy.hpp"

namespace tcsim {
namespace {

/// The right to simulate, which one thread of a process has, because SystemC has one simulation;
/// others wait for it. Throws UsageError in a thread that has it, which would wait for itself.
class Turn {
 public:
  Turn() {
    if (is_here()) throw UsageError("a listener cannot call simulate");
    mutex()->lock();
    is_here() = true;
  }
  ~Turn() {
    is_here() = false;
    mutex()->unlock();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  /// For a forked child: a thread that has the turn does not exist there, unless it has forked.
  static void renew() {
    if (!is_here()) mutex() = new std::mutex;
  }

 private:
  static std::mutex*& mutex() {
    static std::mutex of_first_process;
    // NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): a fork replaces it
    static std::mutex* of_process = &of_first_process;
    return of_process;
  }
  static bool& is_here() {
    thread_local bool of_thread = false;
    return of_thread;
  }
};

[[maybe_unused]] const int renewed_in_children = ::pthread_atfork(nullptr, nullptr, Turn::renew);

/// Asks a listener whether to continue, until it says no or the request's time is over.
struct Question {
  using Clock = std::chrono::steady_clock;

  const Listener& listener;
  double timeout_s;  ///< from the start; 0: no limit
  Progress last{};
  Clock::time_point start = Clock::now();
  run::StopCause cause = run::StopCause::kNone;

  run::StopCause ask() {
    if (cause != run::StopCause::kNone) return cause;
    const std::chrono::duration<double> passed = Clock::now() - start;
    if (timeout_s > 0 && passed.count() >= timeout_s)
      cause = run::StopCause::kLimit;
    else if (listener.keep_going && !listener.keep_going(last))
      cause = run::StopCause::kSignal;
    return cause;
  }
};

run::Hooks hooks_of(const Listener& listener, Question& question) {
  run::Hooks hooks;
  hooks.note = listener.note;
  hooks.progress = [&question] {
    return [&question](const gpu::Progress& progress) {
      question.last.cycle = progress.now;
      question.last.ctas_done = progress.ctas_done;
      question.last.ctas_total = progress.ctas_total;
    };
  };
  hooks.stop = [&question] { return question.ask(); };
  return hooks;
}

Result result_of(const report::RunRecord& record) {
  Result result;
  result.complete = record.complete();
  result.stopped_by = record.stopped_by;
  for (const stats::Metric& metric : record.metrics)
    if (metric.value) result.metrics[std::string(metric.definition.name)] = *metric.value;
  result.text = report::text_report(record);
  result.json = files::json_text(report::run_json(record), 2) + "\n";
  result.stats_json = files::json_text(report::stats_json(record), 2) + "\n";
  return result;
}

Result run_one(const run::RunRequest& request, const run::Hooks& hooks) {
  run::Session session(request, run::only_workload(request), hooks);
  report::RunRecord record = session.simulate();
  if (session.lacks_values(record)) session.add_values(record);
  Result result = result_of(record);
  if (record.values)
    for (const auto& [name, tensor] : run::tensors_of(*record.values, session.prepared()))
      result.tensors.push_back(
          {name, std::string(tensor_file::info(tensor.type).name), tensor_file::npy_bytes(tensor)});
  return result;
}

Result result_of(const report::NetworkRun& network) {
  Result result;
  result.complete = network.is_complete;
  result.stopped_by = network.stopped_by;
  const nlohmann::ordered_json json = report::network_json(network);
  // Metrics of a run that a network has too, as it has `time_us`.
  for (const stats::MetricDefinition& definition : stats::metric_definitions()) {
    const std::string name(definition.name);
    if (const auto found = json.find(name); found != json.end() && found->is_number())
      result.metrics[name] = found->get<double>();
  }
  for (const auto& [name, metric] : json.at("metrics").items())
    if (metric.at("value").is_number()) result.metrics[name] = metric.at("value").get<double>();
  result.text = report::network_text(network);
  result.json = files::json_text(json, 2) + "\n";
  return result;
}

Result run_network(const run::RunRequest& request, const run::Hooks& hooks, Question& question) {
  return result_of(run::NetworkSession(request, hooks)
                       .run([&](std::size_t number, std::size_t count, const auto&) {
                         question.last.steps_done = static_cast<std::int64_t>(number);
                         question.last.steps_total = static_cast<std::int64_t>(count);
                       }));
}

}  // namespace

Request::Request(const std::string& workload, const std::string& machine) {
  set("workload", workload);
  set("machine", machine);
}

Request& Request::set(const std::string& field, const std::string& value) {
  fields_[field].push_back(value);
  return *this;
}

std::optional<double> Result::metric(const std::string& name) const {
  const auto found = metrics.find(name);
  return found == metrics.end() ? std::nullopt : std::optional(found->second);
}

Result simulate(const Request& request, const Listener& listener) {
  const run::RunRequest checked = run::make_request(request.fields());
  if (checked.timeline)
    throw run::mistake_in("timeline",
                          "a result of the library has no timeline; use tcsim timeline");
  if (checked.streams > 1)
    throw run::mistake_in("streams",
                          "a result of the library covers one instance; use tcsim run for several");
  if (checked.machines.size() > 1)
    throw run::mistake_in("machine", "a result of the library covers one machine");
  if (run::tiles_to_try(checked.tile))
    throw run::mistake_in("tile",
                          "the library tries no tiles, each of which runs in a process of the "
                          "program; use tcsim run --tile best");
  const Turn turn;
  Question question{listener, checked.timeout_s};
  const run::Hooks hooks = hooks_of(listener, question);
  return run::is_network(checked.workload) ? run_network(checked, hooks, question)
                                           : run_one(checked, hooks);
}

std::vector<std::string> machines() { return config::machine_names(); }

std::vector<std::string> request_fields() {
  std::vector<std::string> names;
  for (const run::Field& field : run::request_fields()) names.push_back(field.name);
  return names;
}

std::string peak_json(const std::string& machine, const std::vector<std::string>& overrides) {
  return report::peak_json(config::peak(config::load_machine(machine, overrides)));
}

std::string version() { return fmt::format("{} ({})", TCSIM_VERSION, report::revision()); }

}  // namespace tcsim
