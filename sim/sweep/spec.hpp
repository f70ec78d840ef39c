#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/mistakes.hpp"
#include "sim/process/child_pool.hpp"

namespace tcsim::sweep {

/// Text of a SPEC under a name. "{axis}" in it stands for the value of that axis.
struct NamedText {
  std::string name;
  std::string text;
  config::Place place;
};

/// A machine of the sweep: a preset or a file with keys changed.
struct MachineEntry {
  std::string name;  ///< value of the parameter `machine`
  std::string base;  ///< preset or path
  std::vector<NamedText> set;
  config::Place place;
};

/// Bounds of a SPEC and of the plan that is made from it.
inline constexpr std::int64_t kMostRuns = 1'000'000'000;  ///< of one workload
inline constexpr std::int64_t kMostMemoryMib = 1'000'000'000;

/// A workload of `count` equal runs.
struct WorkloadPart {
  std::string words;  ///< gemm:..., csv:FILE
  std::int64_t count = 1;
  config::Place place;
};

/// A workload of the sweep; the time of several parts is their sum.
struct WorkloadEntry {
  std::string name;  ///< value of the parameter `workload`
  std::vector<WorkloadPart> parts;
  config::Place place;
};

struct Axis {
  std::string name;
  std::vector<std::string> values;
  config::Place place;
};

/// Values of some parameters: a point to leave out, or one to add.
struct Assignment {
  std::vector<NamedText> values;
  config::Place place;
};

using process::Limits;

/// What PlotRequest::kind may be.
inline constexpr std::array<std::string_view, 5> kPlotKinds{"curves", "heatmap", "waterfall",
                                                            "pareto", "parallel"};

/// A plot of parameters and metrics; fields that its kind does not use are empty.
struct PlotRequest {
  std::string kind;  ///< curves, heatmap, waterfall, pareto, parallel
  std::string name;  ///< of the file
  std::string title;
  std::string x;                  ///< a parameter; for pareto a metric
  std::string y;                  ///< a metric; for heatmap a parameter
  std::string series;             ///< a parameter, or empty
  std::string value;              ///< heatmap: a metric
  std::vector<std::string> axes;  ///< parallel: parameters and metrics
  std::vector<NamedText> where;   ///< only configurations with these values
  config::Place place;
};

/// A SPEC.yaml as written, checked for form.
struct Spec {
  std::string file;
  std::string name;
  std::string description;
  std::vector<MachineEntry> machines;
  std::vector<WorkloadEntry> workloads;
  std::vector<Axis> axes;
  std::vector<std::vector<std::string>> zip;  ///< axes that advance together
  std::vector<NamedText> derived;             ///< name = expression
  std::vector<NamedText> set;                 ///< machine keys of every machine
  std::vector<NamedText> options;             ///< of tcsim run
  std::vector<NamedText> where;               ///< expressions that must hold; names are empty
  std::vector<Assignment> exclude;
  std::vector<Assignment> points;  ///< beside the grid
  Limits limits;
  std::vector<PlotRequest> plots;
};

/// Reads a SPEC from the text of `file`, whose mistakes are `mistakes`: they are those of form, of
/// names, and of values that no option or key of a machine has. What it reads then is not all.
Spec read_spec(const std::string& file, const std::string& text, config::Mistakes& mistakes);

}  // namespace tcsim::sweep
