#include "sim/cli/repeated_run.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sim/cli/exit_status.hpp"
#include "sim/files/read_file.hpp"
#include "sim/report/configuration_hash.hpp"
#include "workloads/import/workload.hpp"

namespace tcsim::cli {
namespace {

using Json = nlohmann::json;

Json read_json(const std::filesystem::path& path) {
  const std::vector<std::uint8_t> bytes = files::read_file(path);
  Json json = Json::parse(bytes, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) throw UsageError(path.string() + ": not a JSON object of a run");
  return json;
}

/// The options behind `arguments`, which start with the program's name and "run".
RunOptions parse_arguments(std::vector<std::string> arguments) {
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
  return texts.checked();
}

}  // namespace

RepeatedRun repeat_run(const std::filesystem::path& directory) {
  const std::string name = (directory / "manifest.json").string();
  const Json manifest = read_json(name);
  const Json arguments = manifest.value("arguments", Json::array());
  if (!arguments.is_array() || arguments.size() < 2 || arguments[1] != "run" ||
      !manifest.contains("configuration_hash")) {
    throw UsageError(name + ": not one run of `tcsim run`; choose the directory of a single run");
  }
  RepeatedRun repeated;
  repeated.options = parse_arguments(arguments.get<std::vector<std::string>>());
  if (repeated.options.rtl_tensor_core || repeated.options.power_clock)
    throw NotCovered(name + ": a run with --tensor-core rtl or --clock power has no timeline");
  repeated.machine =
      config::read_machine(repeated.options.machines.front(), repeated.options.overrides);
  const std::vector<workload::Workload> workloads =
      workload::parse_workload(repeated.options.workload);
  repeated.run = prepare_run_with(repeated.options, workloads.front(), repeated.machine, 1);
  if (report::configuration_hash(repeated.run.inputs) != manifest["configuration_hash"]) {
    throw UsageError(name +
                     ": machine, workload or tcsim have changed since this run; run it again");
  }
  repeated.cycles = read_json(directory / "stats.json").value("cycles", Cycle{0});
  return repeated;
}

}  // namespace tcsim::cli
