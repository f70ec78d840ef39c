#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/run/child_runs.hpp"

namespace tcsim::run {

/// How long a request took in a child process.
struct Trial {
  std::optional<double> time_us{};
  double half_width = 0;  ///< of a sampled time, relative, 95 %
  std::string reason;     ///< why there is no time; empty otherwise
};

/// Called for each trial that has ended, from 1 to `count`.
using TrialListener = std::function<void(std::size_t number, std::size_t count)>;

/// Simulates every request, without values and with one thread each. A trial that was not started
/// because of a signal is "interrupted". Throws as run_children.
std::vector<Trial> run_trials(std::vector<RunRequest> requests, const ChildPlan& plan,
                              const TrialListener& finished);

/// `request` with `settings`, key.path=value, replacing its own for the same keys.
RunRequest with_settings(RunRequest request, const std::vector<std::string>& settings);

}  // namespace tcsim::run
