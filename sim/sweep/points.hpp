#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/sweep/spec.hpp"

namespace tcsim::sweep {

/// Points that a sweep may have: its plan and its tables are held in memory, 5 KiB for each.
constexpr std::size_t kMostPoints = 50'000;
/// Machines that are remembered while points are made, about 30 KiB each.
constexpr std::size_t kMostMachines = 1000;

/// Values of parameters in the order of columns: machine, workload, axes, derived names.
using Parameters = std::vector<std::pair<std::string, std::string>>;

/// The value of `name`, or null.
const std::string* find_value(const Parameters& parameters, std::string_view name);

/// The value of `name`. Throws std::invalid_argument if there is none.
const std::string& value_of(const Parameters& parameters, std::string_view name);

/// "machine=v100 workload=gemm:512 n=512".
std::string label_of(const Parameters& parameters);

/// One set of values with what follows from it; all "{axis}" are replaced.
struct Configuration {
  std::string name;  ///< of a named point, else ""
  Parameters parameters;
  const MachineEntry* machine = nullptr;
  const WorkloadEntry* workload = nullptr;
  std::vector<std::string> overrides;  ///< key.path=value
  std::vector<config::Place> places;   ///< of the axis or the entry of `set` behind each of them
  std::vector<NamedText> options;      ///< of tcsim run, without those that are "false"
  std::vector<WorkloadPart> parts;
};

/// Every configuration of `spec`: machines outermost, then workloads, then axes with the last one
/// fastest, then the named points. Requires that `spec` was read without a mistake. Records every
/// expression that has no value, conditions that leave nothing, named points that are not whole, a
/// grid of more than a million combinations, or more than kMostPoints configurations.
std::vector<Configuration> expand(const Spec& spec, config::Mistakes& mistakes);

}  // namespace tcsim::sweep
