#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "models/stats/stats.hpp"

namespace tcsim::test {

/// Every counter of a tree with its path, in the order of the tree; equal trees compare equal.
using CounterValues = std::vector<std::pair<std::string, std::uint64_t>>;

inline void append_counters(const stats::Group& group, const std::string& path,
                            CounterValues& values) {
  for (const stats::Counter* counter : group.counters())
    values.emplace_back(path + std::string(counter->name()), counter->value());
  for (const stats::Group* child : group.children())
    append_counters(*child, path + child->name() + ".", values);
}

/// Paths leave out the name of `root` itself.
inline CounterValues counter_values(const stats::Group& root) {
  CounterValues values;
  append_counters(root, "", values);
  return values;
}

/// The counter at `path`. Throws std::out_of_range if there is none, so that a misspelt path cannot
/// pass as zero.
inline std::uint64_t counter_at(const stats::Group& root, const std::string& path) {
  for (const auto& [name, value] : counter_values(root))
    if (name == path) return value;
  throw std::out_of_range("no counter " + path);
}

/// Sum of the counters called `name`, wherever they are. Throws std::out_of_range if there is none.
inline std::uint64_t counter_sum(const stats::Group& root, const std::string& name) {
  std::uint64_t sum = 0;
  bool found = false;
  for (const auto& [path, value] : counter_values(root)) {
    if (path != name && !path.ends_with("." + name)) continue;
    sum += value;
    found = true;
  }
  if (!found) throw std::out_of_range("no counter " + name);
  return sum;
}

}  // namespace tcsim::test
