#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/stats/scope.hpp"

namespace tcsim::results {

/// A name that reports and files use for a number.
struct DictionaryEntry {
  std::string name;
  std::string kind;  ///< metric, fact, either "of a network", counter
  std::string unit;
  std::string sentence;
  std::string formula;  ///< of a metric; else empty
};

/// Every metric, every fact and every counter of the tree `counters`. A counter is called
/// "scope.counter"; "scope.instances" is how many of a scope a machine has.
std::vector<DictionaryEntry> dictionary(const stats::Scope& counters);

/// Names in a formula, each once.
std::vector<std::string> names_in(std::string_view formula);

/// The entry called `name`, or null.
const DictionaryEntry* find_entry(const std::vector<DictionaryEntry>& entries,
                                  std::string_view name);

/// Unit, sentence and formula of `entry`, and of everything that its formula names, down to
/// counters and facts.
std::string entry_text(const DictionaryEntry& entry, const std::vector<DictionaryEntry>& entries);

}  // namespace tcsim::results
