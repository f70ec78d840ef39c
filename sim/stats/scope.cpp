#include "sim/stats/scope.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "sim/errors/errors.hpp"

namespace tcsim::stats {
namespace {

void add_counter(const Counter& counter, std::vector<CounterSummary>& counters) {
  const auto same_name = [&](const CounterSummary& summary) {
    return summary.name == counter.name();
  };
  const auto found = std::find_if(counters.begin(), counters.end(), same_name);
  if (found == counters.end()) {
    counters.push_back({std::string(counter.name()), std::string(counter.unit()),
                        std::string(counter.sentence()), counter.value(), counter.value(),
                        counter.value()});
    return;
  }
  found->sum += counter.value();
  found->min = std::min(found->min, counter.value());
  found->max = std::max(found->max, counter.value());
}

Scope& child_named(const std::string& name, std::vector<Scope>& children) {
  const auto same_name = [&](const Scope& scope) { return scope.name == name; };
  const auto found = std::find_if(children.begin(), children.end(), same_name);
  if (found != children.end()) return *found;
  children.push_back({name, 0, {}, {}});
  return children.back();
}

void add_group(const Group& group, Scope& scope) {
  ++scope.instances;
  std::set<std::string_view> names;
  for (const Counter* counter : group.counters()) {
    if (!names.insert(counter->name()).second) {
      throw InternalError("group " + group.name() + " holds two counters named " +
                          std::string(counter->name()));
    }
    add_counter(*counter, scope.counters);
  }
  for (const Group* child : group.children()) {
    add_group(*child, child_named(without_index(child->name()), scope.children));
  }
}

const Scope* find_scope(const Scope& root, std::string_view name) {
  if (root.name == name) return &root;
  for (const Scope& child : root.children) {
    if (const Scope* found = find_scope(child, name)) return found;
  }
  return nullptr;
}

}  // namespace

const Scope& scope_named(const Scope& root, std::string_view name) {
  const Scope* scope = find_scope(root, name);
  if (scope == nullptr)
    throw InternalError("the counter tree has no group named " + std::string(name));
  return *scope;
}

std::string without_index(const std::string& name) { return name.substr(0, name.find('[')); }

void set_half_widths(Scope& root, const std::map<std::string, double>& half_widths) {
  for (CounterSummary& counter : root.counters) {
    const auto found = half_widths.find(root.name + "." + counter.name);
    if (found != half_widths.end()) counter.half_width = found->second;
  }
  for (Scope& child : root.children) set_half_widths(child, half_widths);
}

Scope summarize(const Group& root) {
  Scope scope{without_index(root.name()), 0, {}, {}};
  add_group(root, scope);
  return scope;
}

}  // namespace tcsim::stats
