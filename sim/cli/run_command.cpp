#include "sim/cli/run_command.hpp"

#include <memory>

#include "sim/cli/exit_status.hpp"
#include "sim/cli/interrupt.hpp"
#include "sim/cli/run_list.hpp"
#include "sim/cli/run_network.hpp"
#include "sim/cli/run_one.hpp"
#include "workloads/import/workload.hpp"

namespace tcsim::cli {

void add_run_command(CLI::App& app, const std::vector<std::string>& argv, int& status) {
  CLI::App* command =
      app.add_subcommand("run", "Simulate a workload and print where the cycles went");
  const auto texts = std::make_shared<RunOptionTexts>(*command);
  command->callback([texts, argv, &status] { status = run_workload(texts->checked(), argv); });
}

int run_workload(const RunOptions& options, const std::vector<std::string>& argv) {
  StopWatch::limit(options.timeout_s);
  if (is_network(options.workload)) return run_network(options, argv);
  if (options.has_network_words)
    throw UsageError(
        "tcsim run: --batch, --precision, --pass and --no-reuse belong to networks (net:NAME)");
  const std::vector<workload::Workload> workloads = workload::parse_workload(options.workload);
  // A row of a list says where it comes from, so a list of one row is still a list.
  const bool is_list = workloads.size() != 1 || workloads.front().row > 0;
  if (options.timeline && (is_list || options.machines.size() > 1))
    throw UsageError("tcsim run: --timeline records one workload on one machine");
  return is_list || options.machines.size() > 1 ? run_list(workloads, options, argv)
                                                : run_one(workloads.front(), options, argv);
}

}  // namespace tcsim::cli
