#include "sim/cli/run_command.hpp"

#include <memory>

#include "sim/cli/run_list.hpp"
#include "sim/cli/run_one.hpp"
#include "sim/cli/workload_preparation.hpp"

namespace tcsim::cli {

void add_run_command(CLI::App& app, const std::vector<std::string>& argv, int& status) {
  CLI::App* command =
      app.add_subcommand("run", "Simulate a workload and print where the cycles went");
  const auto texts = std::make_shared<RunOptionTexts>(*command);
  command->callback([texts, argv, &status] { status = run_workload(texts->checked(), argv); });
}

int run_workload(const RunOptions& options, const std::vector<std::string>& argv) {
  const bool several = options.machines.size() > 1 || is_list(options.workload);
  return several ? run_list(options, argv) : run_one(options, argv);
}

}  // namespace tcsim::cli
