#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/json/view.hpp"
#include "sim/sweep/points.hpp"
#include "sim/sweep/spec.hpp"

namespace tcsim::sweep {

/// The forecast cost of a point (run::Forecast), with one thread.
struct Expected {
  double seconds = 0;    ///< sampled or not, as the options of the sweep ask
  double sampled_s = 0;  ///< with fidelity sampled
  double memory_mib = 0;
};

/// One simulation of a sweep.
struct Point {
  int number = 0;         ///< from 1, in the order of rows
  int configuration = 0;  ///< from 1; points of one configuration are parts of one workload
  std::string name;       ///< of a named point, else ""
  Parameters parameters;
  std::string part;  ///< words of what is simulated
  std::int64_t count = 1;
  std::string inputs;                ///< XXH3-128 of effective machine, workload and options
  std::string key;                   ///< the same with the revision of the model
  std::string machine;               ///< report::hash_text of the effective machine
  std::vector<std::string> command;  ///< words after the program, relative to the sweep's folder
  std::optional<Expected> expected;  ///< nothing for a point that cannot run
  std::optional<double> area_mm2;    ///< of the machine's die; nothing for a chip of no known area
  std::optional<double> core_gates;  ///< gate equivalents of a tensor core; nothing without one
};

/// A file that the points read, copied into the sweep's folder.
struct InputFile {
  std::string name;  ///< relative to the folder, with a hash of the content in it
  std::string text;
};

/// Everything that workers need to know; plan.json of a sweep's folder.
struct Plan {
  std::string name;
  std::string description;
  std::string spec_text;
  std::string revision;
  std::string program;  ///< relative to the folder; empty until the folder holds it
  Limits limits;
  std::vector<std::string> parameters;  ///< names of columns
  std::vector<PlotRequest> plots;
  std::vector<Point> points;
  std::vector<InputFile> inputs;  ///< not in plan.json
};

/// The points of the SPEC in the text of `file`. Throws config::ConfigError with every mistake of
/// the SPEC, its machines and its workloads, or, if there is none, of its points; and IoError.
Plan make_plan(const std::string& file, const std::string& text);

/// With a checksum (sim/report/checksum.hpp).
nlohmann::ordered_json to_json(const Plan& plan);
/// Throws config::ConfigError, `file: key: reason`, if `json` is not what to_json wrote.
Plan plan_from(const json::View& json);

}  // namespace tcsim::sweep
