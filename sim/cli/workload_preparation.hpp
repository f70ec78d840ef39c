#pragma once

#include <string>
#include <vector>

#include "models/isa/launch.hpp"
#include "sim/cli/run_options.hpp"
#include "sim/config/load.hpp"
#include "sim/report/run_record.hpp"

namespace tcsim::cli {

/// A workload made ready for one machine.
struct PreparedRun {
  report::RunInputs inputs;
  std::vector<isa::KernelLaunch> launches;  ///< assembled for the machine
};

/// Turns options.workload (not a list) into kernels for `machine`, which was asked for as
/// `machine_name`. Throws UsageError or the importer's error for a wrong workload, NotCovered where
/// the machine lacks the unit or the type.
PreparedRun prepare_run(const RunOptions& options, const std::string& machine_name,
                        const config::MachineFile& machine);

/// One row of a list of workloads.
struct ListRow {
  int number = 0;     ///< from 1
  std::string words;  ///< the workload as `tcsim run` takes it
  std::string title;
};

/// True for csv:FILE.
bool is_list(const std::string& workload);

/// The rows of the list that `workload` names. Throws the importer's error with every wrong row,
/// IoError if it cannot be read.
std::vector<ListRow> list_rows(const std::string& workload);

}  // namespace tcsim::cli
