#pragma once

#include <map>
#include <string>

#include "sim/cli/run_options.hpp"
#include "sim/cli/workload_preparation.hpp"
#include "workloads/networks/program.hpp"

namespace tcsim::cli {

/// Makes the steps of a network ready for one machine; equal ones once.
class StepPreparation {
 public:
  StepPreparation(const RunOptions& options, const config::MachineFile& machine)
      : options_(options), machine_(machine) {}

  /// Throws as prepare_run does, with the layer in front.
  const PreparedRun& prepared(const networks::Step& step);

 private:
  const RunOptions& options_;
  const config::MachineFile& machine_;
  std::map<std::string, PreparedRun> prepared_;  ///< by the words of the step
};

}  // namespace tcsim::cli
