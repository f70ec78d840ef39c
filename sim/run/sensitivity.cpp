#include "sim/run/sensitivity.hpp"

#include <algorithm>
#include <cmath>

#include "sim/config/resources.hpp"

namespace tcsim::run {

report::Sensitivity find_sensitivity(const AnsweredRun& run, double percent, const ChildPlan& plan,
                                     const TrialListener& finished) {
  report::Sensitivity result{percent, run.time_us};
  std::vector<RunRequest> requests;
  std::vector<std::size_t> answer_of;  // each request's place among the answers
  for (const config::Resource& resource : config::resources()) {
    if (resource.id == "nvlink" && run.request.gpus == 1) continue;
    report::ResourceAnswer answer{
        std::string(resource.id), std::string(resource.label), std::string(resource.domain), {}};
    if (auto change = config::faster(run.machine, resource, 1 + percent / 100, run.mmas)) {
      answer.settings = std::move(change->settings);
      answer.ratio = change->ratio;
      requests.push_back(with_settings(run.request, answer.settings));
      answer_of.push_back(result.answers.size());
    } else {
      answer.reason = "nothing that can be faster";
    }
    result.answers.push_back(std::move(answer));
  }
  const std::vector<Trial> trials = run_trials(std::move(requests), plan, finished);
  for (std::size_t i = 0; i < trials.size(); ++i) {
    report::ResourceAnswer& answer = result.answers[answer_of[i]];
    answer.time_us = trials[i].time_us;
    answer.reason = trials[i].reason;
    if (answer.time_us)
      answer.elasticity = std::log(*answer.time_us / run.time_us) / std::log(answer.ratio);
    result.half_width = std::max(result.half_width, trials[i].half_width);
  }
  return result;
}

}  // namespace tcsim::run
