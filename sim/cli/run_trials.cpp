#include "sim/cli/run_trials.hpp"

#include <fmt/ostream.h>

#include <iostream>

#include "sim/cli/interrupt.hpp"
#include "sim/cli/run_hooks.hpp"
#include "sim/errors/errors.hpp"
#include "sim/run/request_fields.hpp"

namespace tcsim::cli {

namespace {

run::ChildPlan plan_of(const RunOptions& options) {
  return {run::jobs_of(options.request), InterruptGuard::signal_for_children};
}

/// Says how many of the simulations for `what` have ended.
run::TrialListener listener_of(const RunOptions& options, const std::string& what) {
  return [announces = shows_progress(options), what](std::size_t number, std::size_t count) {
    if (announces) fmt::print(std::cerr, "{}: {} of {}\n", what, number, count);
  };
}

/// `request` with the words of an advice behind it.
run::RunRequest advised(run::RunRequest request, const std::vector<std::string>& words) {
  std::vector<std::string> settings;
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    if (words[i] == "--set")
      settings.push_back(words[i + 1]);
    else
      run::take_field(request, words[i].substr(2), words[i + 1]);
  }
  return run::with_settings(std::move(request), settings);
}

}  // namespace

report::Sensitivity sensitivity_of(const RunOptions& options, const run::AnsweredRun& run) {
  return run::find_sensitivity(run, options.sensitivity_percent.value(), plan_of(options),
                               listener_of(options, "sensitivity"));
}

report::TriedAdvice tried_advice(const RunOptions& options, const report::RunRecord& record) {
  run::RunRequest request = options.request;
  request.workload = record.inputs.workload;
  const std::vector<run::Trial> trials =
      run::run_trials({advised(std::move(request), record.verdict.options)}, plan_of(options),
                      listener_of(options, "advice"));
  report::TriedAdvice tried{trials.front().time_us, 0, trials.front().reason};
  if (tried.time_us) tried.times_as_fast = record.metric("time_us").value_or(0) / *tried.time_us;
  return tried;
}

report::TileSearch searched_tiles(const RunOptions& options, const workload::Workload& workload,
                                  int count) {
  return run::search_tiles(options.request, workload, count, plan_of(options),
                           listener_of(options, "tiles"));
}

int status_behind_trials() {
  switch (InterruptGuard::stop_cause()) {
    case StopCause::kNone:
      return kDone;
    case StopCause::kSignal:
      return kInterrupted;
    case StopCause::kLimit:
      fmt::print(std::cerr, "tcsim run: stopped by time limit; not everything was tried\n");
      return kStopped;
  }
  return kDone;
}

}  // namespace tcsim::cli
