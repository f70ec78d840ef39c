#pragma once

#include <map>
#include <string>

#include "sim/run/prepare/prepare.hpp"
#include "sim/run/request.hpp"
#include "workloads/networks/program.hpp"

namespace tcsim::run {

/// Makes the steps of a network ready for one machine; equal ones once.
class StepPreparation {
 public:
  StepPreparation(const RunRequest& request, const config::MachineFile& machine)
      : request_(request), machine_(machine) {}

  /// Throws as prepare_run does, with the network, the option that is refused and the layer in
  /// front.
  const PreparedRun& prepared(const networks::Step& step);

 private:
  const RunRequest& request_;
  const config::MachineFile& machine_;
  std::map<std::string, PreparedRun> prepared_;  ///< by the words of the step
};

}  // namespace tcsim::run
