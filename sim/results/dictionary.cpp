#include "sim/results/dictionary.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/report/facts.hpp"
#include "sim/report/layout.hpp"
#include "sim/report/network_metrics.hpp"
#include "sim/stats/metrics.hpp"

namespace tcsim::results {
namespace {

void add_counters(const stats::Scope& scope, std::vector<DictionaryEntry>& entries) {
  const auto add = [&](const std::string& name, const std::string& unit,
                       const std::string& sentence) {
    if (find_entry(entries, name) == nullptr)
      entries.push_back({name, "counter", unit, sentence, ""});
  };
  add(scope.name + ".instances", "1", "How many of them the machine has.");
  for (const stats::CounterSummary& counter : scope.counters)
    add(scope.name + "." + counter.name, counter.unit, counter.sentence);
  for (const stats::Scope& child : scope.children) add_counters(child, entries);
}

bool is_name_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

/// Adds what `formula` names and what their formulas name, each once, in that order.
void add_names(std::string_view formula, const std::vector<DictionaryEntry>& entries,
               std::vector<const DictionaryEntry*>& found) {
  for (const std::string& name : names_in(formula)) {
    const DictionaryEntry* entry = find_entry(entries, name);
    if (entry == nullptr || std::find(found.begin(), found.end(), entry) != found.end()) continue;
    found.push_back(entry);
    add_names(entry->formula, entries, found);
  }
}

}  // namespace

std::vector<DictionaryEntry> dictionary(const stats::Scope& counters) {
  std::vector<DictionaryEntry> entries;
  for (const stats::MetricDefinition& metric : stats::metric_definitions())
    entries.push_back({std::string(metric.name), "metric", std::string(metric.unit),
                       std::string(metric.sentence), std::string(metric.formula)});
  for (const report::FactDefinition& fact : report::fact_definitions())
    entries.push_back(
        {std::string(fact.name), "fact", std::string(fact.unit), std::string(fact.sentence), ""});
  for (const stats::MetricDefinition& metric : report::network_metric_definitions())
    entries.push_back({std::string(metric.name), "metric of a network", std::string(metric.unit),
                       std::string(metric.sentence), std::string(metric.formula)});
  for (const report::NetworkFact& fact : report::network_facts())
    entries.push_back({std::string(fact.name), "fact of a network", std::string(fact.unit),
                       std::string(fact.sentence), ""});
  add_counters(counters, entries);
  return entries;
}

std::vector<std::string> names_in(std::string_view formula) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < formula.size();) {
    std::size_t end = i;
    while (end < formula.size() && is_name_letter(formula[end])) ++end;
    const std::string word(formula.substr(i, end - i));
    const bool is_function = end < formula.size() && formula[end] == '(';
    const bool is_name = !word.empty() && word.front() >= 'a' && !is_function;
    if (is_name && std::find(names.begin(), names.end(), word) == names.end())
      names.push_back(word);
    i = std::max(end, i + 1);
  }
  return names;
}

const DictionaryEntry* find_entry(const std::vector<DictionaryEntry>& entries,
                                  std::string_view name) {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const DictionaryEntry& entry) { return entry.name == name; });
  return found == entries.end() ? nullptr : &*found;
}

std::string entry_text(const DictionaryEntry& entry, const std::vector<DictionaryEntry>& entries) {
  std::string text =
      fmt::format("{}  {}, unit {}\n  {}\n", entry.name, entry.kind, entry.unit, entry.sentence);
  if (entry.formula.empty()) return text;
  text += fmt::format("  = {}\n\n", entry.formula);
  std::vector<const DictionaryEntry*> named;
  add_names(entry.formula, entries, named);
  std::vector<std::vector<std::string>> rows;
  for (const DictionaryEntry* other : named)
    rows.push_back({other->name, other->kind, other->unit,
                    other->formula.empty() ? other->sentence : "= " + other->formula});
  return text + report::aligned_table({{"name", "kind", "unit", "meaning"}, rows});
}

}  // namespace tcsim::results
