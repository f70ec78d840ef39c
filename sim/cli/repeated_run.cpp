#include "sim/cli/repeated_run.hpp"

#include <fmt/format.h>

#include <utility>

#include "sim/cli/run_options.hpp"
#include "sim/errors/errors.hpp"
#include "sim/files/escaped_text.hpp"
#include "sim/json/parse.hpp"
#include "sim/library/load.hpp"
#include "sim/report/checksum.hpp"
#include "sim/report/configuration_hash.hpp"
#include "workloads/import/workload.hpp"

namespace tcsim::cli {
namespace {

/// The request behind `arguments`, which start with the program's name and "run".
run::RunRequest parse_arguments(std::vector<std::string> arguments) {
  CLI::App app;
  CLI::App* const command = app.add_subcommand("run");
  const RunOptionTexts texts(*command);
  std::reverse(arguments.begin(), arguments.end());
  arguments.pop_back();
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError& error) {
    throw UsageError(fmt::format("the run's command cannot be read: {}", error.what()));
  }
  return texts.checked().request;
}

}  // namespace

RepeatedRun repeat_run(const std::filesystem::path& directory) {
  const std::string name = (directory / "manifest.json").string();
  const json::View manifest = json::read(name);
  std::vector<std::string> arguments;
  for (const json::View& argument : manifest.at("arguments").elements())
    arguments.push_back(argument.get<std::string>());
  if (arguments.size() < 2 || arguments[1] != "run" || !manifest.contains("configuration_hash"))
    throw UsageError(name + ": not a single run of `tcsim run`; choose the directory of one");
  report::verify_directory(directory, manifest, "stats.json");
  RepeatedRun repeated;
  if (manifest.contains("arguments_escaped"))
    for (std::string& argument : arguments) argument = files::unescaped_text(argument);
  repeated.request = parse_arguments(std::move(arguments));
  if (repeated.request.rtl_tensor_core || repeated.request.clock != run::ClockPolicy::kBoost)
    throw NotCovered(name +
                     ": a run with --tensor-core rtl, --clock load or power has no timeline");
  if (repeated.request.workload == "trace:-")
    throw UsageError(name + ": the run read its kernel from standard input and cannot be repeated");
  repeated.machine = library::read_machine(repeated.request.machines.front(),
                                           repeated.request.overrides, repeated.request.libraries);
  const std::vector<workload::Workload> workloads =
      workload::parse_workload(repeated.request.workload);
  repeated.run = run::prepare_run_with(repeated.request, workloads.front(), repeated.machine);
  if (!manifest.at("configuration_hash").is(report::configuration_hash(repeated.run.inputs))) {
    throw UsageError(name +
                     ": machine, workload or tcsim have changed since this run; run it again");
  }
  const json::View cycles = json::read(directory / "stats.json").at("cycles");
  constexpr double kMost = 1e15;
  (void)cycles.number(0, kMost);
  repeated.cycles = cycles.get<Cycle>();
  return repeated;
}

}  // namespace tcsim::cli
