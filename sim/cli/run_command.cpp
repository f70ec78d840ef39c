#include "sim/cli/run_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>

#include "sim/cli/forecast_view.hpp"
#include "sim/cli/interrupt.hpp"
#include "sim/cli/run_list.hpp"
#include "sim/cli/run_network.hpp"
#include "sim/cli/run_one.hpp"
#include "sim/errors/errors.hpp"
#include "sim/run/list.hpp"
#include "sim/run/request_fields.hpp"
#include "workloads/import/workload.hpp"

namespace tcsim::cli {

void add_run_command(CLI::App& app, const std::vector<std::string>& argv, int& status) {
  CLI::App* command =
      app.add_subcommand("run", "Simulate a workload and print where the cycles went");
  const auto texts = std::make_shared<RunOptionTexts>(*command);
  command->callback([texts, argv, &status] { status = run_workload(texts->checked(), argv); });
}

int run_workload(const RunOptions& options, const std::vector<std::string>& argv) {
  const run::RunRequest& request = options.request;
  StopWatch::limit(request.timeout_s);
  std::vector<std::string> command = argv;
  if (options.is_from_file) {  // what runs it again has to stand in the manifest
    command = {run::this_program().string(), "run"};
    std::ranges::copy(words_of(options), std::back_inserter(command));
  }
  return with_command("tcsim run", [&] {
    if (options.dry_run) return tell_forecast(options);
    if (run::is_network(request.workload) && options.tries)
      throw UsageError("tcsim run: --try is for a single kernel; try a layer of the network");
    if (options.ascii_plots && request.streams > 1)
      throw UsageError("tcsim run: --plot draws one instance; it cannot be combined with " +
                       run::word_of("streams"));
    if (options.ascii_plots && request.machines.size() > 1)
      throw UsageError("tcsim run: --plot draws one workload on one machine; several are given");
    if (request.follows_path && request.machines.size() > 1)
      throw UsageError("tcsim run: --critical-path follows one workload on one machine");
    if (run::is_network(request.workload))
      return request.machines.size() == 1
                 ? run_network(options, command)
                 : run_list(run::planned_network_rows(request), options, command);
    const std::vector<workload::Workload> workloads = workload::parse_workload(request.workload);
    // A row of a list says where it comes from, so a list of one row is still a list.
    const bool is_list = workloads.size() != 1 || workloads.front().row > 0;
    if (request.timeline && (is_list || request.machines.size() > 1))
      throw UsageError("tcsim run: --timeline records one workload on one machine");
    if (request.follows_path && is_list)
      throw UsageError("tcsim run: --critical-path follows one workload on one machine");
    if ((options.sensitivity_percent || options.tries || options.ascii_plots) && is_list)
      throw UsageError(fmt::format(
          "tcsim run: {} is for one workload on one machine; this is a list",
          options.ascii_plots ? "--plot" : (options.tries ? "--try" : "--sensitivity")));
    return is_list || request.machines.size() > 1
               ? run_list(run::planned_rows(workloads, request), options, command)
               : run_one(workloads.front(), options, command);
  });
}

}  // namespace tcsim::cli
