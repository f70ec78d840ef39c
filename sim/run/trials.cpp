#include "sim/run/trials.hpp"

#include <string_view>

namespace tcsim::run {
namespace {

std::string_view key_of(std::string_view setting) { return setting.substr(0, setting.find('=')); }

Trial trial_of(const ChildOutcome& outcome) {
  Trial trial;
  if (outcome.status != kDone) {
    trial.reason = outcome.started ? outcome.failure : "interrupted";
  } else if (!outcome.result["time_us"].is_number()) {
    trial.reason = "has no time";
  } else {
    trial.time_us = outcome.result["time_us"].get<double>();
    if (outcome.result.contains("sampling"))
      trial.half_width = outcome.result["sampling"].value("half_width", 0.0);
  }
  return trial;
}

}  // namespace

std::vector<Trial> run_trials(std::vector<RunRequest> requests, const ChildPlan& plan,
                              const TrialListener& finished) {
  std::vector<ChildRun> children;
  for (RunRequest& request : requests) {
    request.jobs = 1;
    request.values = {};
    request.timeline.reset();
    request.counts_source = false;
    request.follows_path = false;
    children.push_back({std::move(request)});
  }
  std::vector<Trial> trials(children.size(), Trial{{}, 0, "interrupted"});
  std::size_t done = 0;
  run_children(children, plan, [&](std::size_t index, const ChildOutcome& outcome) {
    trials[index] = trial_of(outcome);
    finished(++done, children.size());
  });
  return trials;
}

RunRequest with_settings(RunRequest request, const std::vector<std::string>& settings) {
  for (const std::string& setting : settings) {
    std::erase_if(request.overrides,
                  [&](const std::string& given) { return key_of(given) == key_of(setting); });
    request.overrides.push_back(setting);
  }
  return request;
}

}  // namespace tcsim::run
