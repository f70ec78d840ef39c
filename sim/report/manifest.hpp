#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/report/run_record.hpp"

namespace tcsim::report {

/// What made a run: everything needed to repeat it. Written as incomplete before the run and
/// replaced at its end.
struct Manifest {
  std::vector<std::string> command;  ///< argv
  std::string started_utc;           ///< 2024-05-01T12:00:00Z
  double wall_s = 0.0;
  bool complete = false;
  std::string stopped_by =
      "running";  ///< running, finished, interrupted, cycle limit, time limit, deadlock, error
  std::string fidelity = "cycle";
};

/// manifest.json of one run.
nlohmann::ordered_json manifest_json(const Manifest& manifest, const RunInputs& inputs);

/// manifest.json of a list of runs: `machines` and `workload` as given on the command line.
nlohmann::ordered_json manifest_json(const Manifest& manifest,
                                     const std::vector<std::string>& machines,
                                     const std::string& workload);

/// The present moment in the form of Manifest::started_utc.
std::string now_utc();

/// `arguments` as one line that a shell reads back as the same arguments.
std::string shell_line(const std::vector<std::string>& arguments);

}  // namespace tcsim::report
