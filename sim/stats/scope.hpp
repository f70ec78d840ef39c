#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "models/stats/stats.hpp"

namespace tcsim::stats {

/// One counter over all instances of its scope.
struct CounterSummary {
  std::string name;
  std::string unit;
  std::string sentence;
  std::uint64_t sum = 0;
  std::uint64_t min = 0;  ///< count of the instance with the smallest count
  std::uint64_t max = 0;  ///< count of the instance with the largest count
  double half_width = 0;  ///< of the 95 % interval of `sum`, if part of it is estimated
};

/// All groups of the counter tree that differ only in their index: "sm" stands for sm[0], sm[1],
/// ...
struct Scope {
  std::string name;            ///< group name without its index
  std::int64_t instances = 0;  ///< groups of the whole tree that this scope stands for
  std::vector<CounterSummary> counters;
  std::vector<Scope> children;
};

/// The tree under `root`, per level instead of per instance, in order of first appearance. Works on
/// any tree, so no counter can be forgotten. Throws InternalError if one group has two counters of
/// the same name.
Scope summarize(const Group& root);

/// Sets the half-widths of the counters at or below `root` that `half_widths` has, by their names
/// in formulas: "sub_core.cycles_barrier".
void set_half_widths(Scope& root, const std::map<std::string, double>& half_widths);

/// The scope called `name` at or below `root`, depth first. Throws InternalError if there is none.
const Scope& scope_named(const Scope& root, std::string_view name);

/// "sm" for "sm[17]"; a name without index is returned as it is.
std::string without_index(const std::string& name);

}  // namespace tcsim::stats
