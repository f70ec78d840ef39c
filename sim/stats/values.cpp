#include "sim/stats/values.hpp"

#include "sim/errors/errors.hpp"

namespace tcsim::stats {

Values::Values(const Scope& root) { add(root); }

void Values::add(const Scope& scope) {
  const auto insert = [&](const std::string& counter, double value) {
    const std::string name = scope.name + "." + counter;
    if (!values_.emplace(name, value).second) ambiguous_.insert(name);
  };
  insert("instances", static_cast<double>(scope.instances));
  for (const CounterSummary& counter : scope.counters)
    insert(counter.name, static_cast<double>(counter.sum));
  for (const Scope& child : scope.children) add(child);
}

void Values::set_fact(const std::string& name, std::optional<double> value) {
  values_[name] = value;
}

std::optional<double> Values::at(std::string_view name) const {
  if (ambiguous_.contains(name))
    throw InternalError("two scopes of the counter tree provide " + std::string(name));
  const auto found = values_.find(name);
  if (found == values_.end())
    throw InternalError("no counter and no fact named " + std::string(name));
  return found->second;
}

}  // namespace tcsim::stats
