#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/run/child_runs.hpp"
#include "sim/validate/score.hpp"

namespace tcsim::run {

/// A row whose run gave no time.
struct FailedRow {
  validate::Measurement measurement;
  std::string reason;
};

struct ValidationRuns {
  std::vector<validate::Comparison> rows;  ///< in the order of the measurements
  std::vector<FailedRow> failed;  ///< without those that an interruption of this process ended
  bool interrupted = false;
};

/// How measurements are simulated.
struct ValidationRequest {
  std::vector<std::string> overrides;             ///< key.path=value, of every machine
  std::size_t tiles = 1;                          ///< of each row, the number of tiles ranked first
  std::string fidelity = "cycle";                 ///< as RunRequest's field takes it
  std::optional<std::filesystem::path> folder{};  ///< of results that are kept
};

/// Called with the number of simulations that have ended and their total.
using CountListener = std::function<void(std::size_t finished, std::size_t count)>;

/// Simulates every measurement, with request.tiles tiles if it has a choice, each in its own
/// process, longest first. A row fails if one of its runs fails. A result that request.folder holds
/// from an earlier call with the same inputs and the same tcsim is taken from there, and every new
/// one is kept there at once.
ValidationRuns simulate_measurements(const std::vector<validate::Measurement>& measurements,
                                     const ValidationRequest& request, const ChildPlan& plan,
                                     const CountListener& finished);

}  // namespace tcsim::run
