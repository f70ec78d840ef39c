#include "sim/sweep/points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>

#include "sim/area/area.hpp"
#include "sim/config/error.hpp"
#include "sim/config/load.hpp"
#include "sim/config/number.hpp"
#include "sim/sweep/expression.hpp"
#include "sim/sweep/spec_checks.hpp"
#include "sim/sweep/template_text.hpp"
#include "sim/text/number.hpp"

namespace tcsim::sweep {
namespace {

using config::Mistakes;

/// Of the grid before `where` and `exclude`, which are evaluated at every combination.
constexpr double kMostCombinations = 1'000'000;

/// Axes that advance together, and which of their values is current.
struct Wheel {
  std::vector<const Axis*> axes;
  std::size_t current = 0;

  [[nodiscard]] std::size_t size() const { return axes.front()->values.size(); }
};

std::vector<Wheel> wheels_of(const Spec& spec) {
  std::vector<Wheel> wheels;
  std::map<std::string, std::size_t> wheel_of_axis;
  for (const Axis& axis : spec.axes) {
    const auto found = wheel_of_axis.find(axis.name);
    if (found != wheel_of_axis.end()) {
      wheels[found->second].axes.push_back(&axis);
      continue;
    }
    for (const auto& group : spec.zip) {
      if (std::find(group.begin(), group.end(), axis.name) == group.end()) continue;
      for (const std::string& name : group) wheel_of_axis[name] = wheels.size();
    }
    wheels.push_back({{&axis}, 0});
  }
  return wheels;
}

/// Turns the last wheel, and those before it as it comes round; false when all have.
bool advance(std::vector<Wheel>& wheels) {
  for (auto wheel = wheels.rbegin(); wheel != wheels.rend(); ++wheel) {
    if (++wheel->current < wheel->size()) return true;
    wheel->current = 0;
  }
  return false;
}

/// How many combinations a SPEC has, and the product as people write it.
struct GridSize {
  double combinations = 0;
  std::string text;  ///< "2 machines x 3 workloads x 10 n = 60"
};

GridSize size_of_grid(const Spec& spec) {
  GridSize grid{1, ""};
  const auto multiply = [&](std::size_t count, const std::string& what) {
    grid.combinations *= static_cast<double>(count);
    grid.text += fmt::format("{}{} {}", grid.text.empty() ? "" : " x ", count, what);
  };
  multiply(spec.machines.size(), "machines");
  multiply(spec.workloads.size(), "workloads");
  for (const Wheel& wheel : wheels_of(spec)) multiply(wheel.size(), wheel.axes.front()->name);
  grid.text += fmt::format(" = {:.6g}", grid.combinations);
  return grid;
}

std::map<std::string, double> numbers_in(const Parameters& parameters) {
  std::map<std::string, double> numbers;
  for (const auto& [name, text] : parameters) {
    if (const auto value = text::finite_number_of(text)) numbers[name] = *value;
  }
  return numbers;
}

bool matches(const Parameters& parameters, const Assignment& assignment) {
  return std::all_of(assignment.values.begin(), assignment.values.end(),
                     [&](const NamedText& item) {
                       const std::string* value = find_value(parameters, item.name);
                       return value != nullptr && *value == item.text;
                     });
}

class Expander {
 public:
  Expander(const Spec& spec, Mistakes& mistakes) : spec_(spec), mistakes_(mistakes) {}

  void add_grid() {
    std::vector<bool> excludes(spec_.exclude.size(), false);
    for (const MachineEntry& machine : spec_.machines) {
      for (const WorkloadEntry& workload : spec_.workloads) {
        std::vector<Wheel> wheels = wheels_of(spec_);
        do {
          Parameters parameters{{"machine", machine.name}, {"workload", workload.name}};
          for (const Axis& axis : spec_.axes)
            parameters.emplace_back(axis.name, value_of(axis, wheels));
          add_derived(parameters, machine);
          if (wanted(parameters, machine, excludes))
            add("", machine, workload, std::move(parameters));
        } while (advance(wheels) && result_.size() <= kMostPoints && !broken_);
      }
    }
    for (std::size_t i = 0; i < excludes.size(); ++i) {
      if (!excludes[i] && !broken_)
        mistakes_.add(spec_.exclude[i].place, fmt::format("exclude[{}]", i),
                      "excludes nothing: no point has these values");
    }
  }

  void add_named() {
    for (const Assignment& point : spec_.points) {
      const MachineEntry* machine = chosen(spec_.machines, point, "machine");
      const WorkloadEntry* workload = chosen(spec_.workloads, point, "workload");
      if (machine == nullptr || workload == nullptr) continue;
      Parameters parameters{{"machine", machine->name}, {"workload", workload->name}};
      for (const Axis& axis : spec_.axes) {
        const NamedText* value = find(point, axis.name);
        if (value == nullptr)
          mistakes_.add(point.place, "points", fmt::format("no value for axis '{}'", axis.name));
        parameters.emplace_back(axis.name, value == nullptr ? "" : value->text);
      }
      add_derived(parameters, *machine);
      const NamedText* name = find(point, "name");
      add(name == nullptr ? "" : name->text, *machine, *workload, std::move(parameters));
    }
  }

  std::vector<Configuration> take() { return std::move(result_); }

 private:
  static const NamedText* find(const Assignment& point, const std::string& name) {
    const auto found = std::find_if(point.values.begin(), point.values.end(),
                                    [&](const NamedText& item) { return item.name == name; });
    return found == point.values.end() ? nullptr : &*found;
  }

  /// The entry that `point` names; the only one if it names none.
  template <typename Entry>
  const Entry* chosen(const std::vector<Entry>& entries, const Assignment& point,
                      const std::string& key) {
    const NamedText* word = find(point, key);
    if (word == nullptr && entries.size() == 1) return &entries.front();
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) {
      return word != nullptr && entry.name == word->text;
    });
    if (found != entries.end()) return &*found;
    mistakes_.add(point.place, "points",
                  word == nullptr ? fmt::format("which {}? There are several", key)
                                  : fmt::format("'{}' is not a {} of this sweep", word->text, key));
    return nullptr;
  }

  static const std::string& value_of(const Axis& axis, const std::vector<Wheel>& wheels) {
    const auto wheel = std::find_if(wheels.begin(), wheels.end(), [&](const Wheel& candidate) {
      return std::find(candidate.axes.begin(), candidate.axes.end(), &axis) != candidate.axes.end();
    });
    return axis.values[wheel->current];
  }

  std::optional<double> value(const NamedText& expression, const std::string& key,
                              const Parameters& parameters, const MachineEntry& machine) {
    const bool asks_area = has_name(expression.text, "area_mm2");
    const bool asks_units = expression.text.find("mm2.") != std::string::npos;
    bool has_areas = true;
    try {
      std::map<std::string, double> numbers = numbers_in(parameters);
      if (asks_area) has_areas = add_area(numbers, expression.text, machine, parameters);
      if (asks_units) has_areas = add_unit_areas(numbers, machine) && has_areas;
      return evaluate(expression.text, numbers);
    } catch (const ExpressionError& error) {
      if (!broken_)
        mistakes_.add(
            expression.place, key,
            fmt::format("{}{} (at {})", error.what(),
                        has_areas ? "" : "; no areas are known for the chip of " + machine.base,
                        label_of(parameters)));
      broken_ = true;
    }
    return {};
  }

  /// The machine of `base` with `overrides`; null if it cannot be built, for which the plan says
  /// why. Valid until the next call.
  const config::Machine* machine_of(const std::string& base,
                                    const std::vector<std::string>& overrides) {
    std::string id = base;
    for (const std::string& change : overrides) id += '\n' + change;
    auto known = machines_.find(id);
    if (known == machines_.end()) {
      if (machines_.size() >= kMostMachines) machines_.clear();
      std::optional<config::Machine> machine;
      try {
        machine = config::load_machine(base, overrides);
      } catch (const config::ConfigError&) {
        machine.reset();
      }
      known = machines_.emplace(id, std::move(machine)).first;
    }
    return known->second ? &*known->second : nullptr;
  }

  /// Adds `area_mm2`, of the machine with all its changes; false if it is not known. Throws
  /// ExpressionError if a change uses a derived value that has none yet.
  bool add_area(std::map<std::string, double>& numbers, const std::string& text,
                const MachineEntry& entry, const Parameters& parameters) {
    require_values(text, entry, parameters);
    std::vector<std::string> overrides;
    for (const NamedText& change : changes_of(entry, parameters))
      overrides.push_back(override_of(change));
    const config::Machine* machine = machine_of(entry.base, overrides);
    const auto mm2 = machine == nullptr ? std::nullopt : area::area_mm2(*machine);
    if (mm2) numbers["area_mm2"] = *mm2;
    return mm2.has_value();
  }

  /// Adds the areas of units, as `mm2.sm`, on the chip of the machine without changes; false if
  /// they are not known.
  bool add_unit_areas(std::map<std::string, double>& numbers, const MachineEntry& entry) {
    const config::Machine* machine = machine_of(entry.base, {});
    const auto units = machine == nullptr ? std::nullopt : area::unit_areas(*machine);
    if (!units) return false;
    numbers["mm2.sm"] = area::sm_mm2(*units, *machine);
    numbers["mm2.tensor_fma"] = units->tensor_fma_mm2;
    numbers["mm2.cache_mib"] = units->cache_mib_mm2;
    numbers["mm2.dram_channel"] = units->dram_channel_mm2;
    return true;
  }

  /// Refuses the expression `text` with `area_mm2` where a derived value behind it decides the
  /// changes of the machine.
  void require_values(const std::string& text, const MachineEntry& machine,
                      const Parameters& values) const {
    for (const auto* list : {&machine.set, &spec_.set}) {
      for (const NamedText& item : *list) {
        for (const std::string& name : names_in(item.text)) {
          if (find_value(values, name) == nullptr)
            throw ExpressionError(fmt::format(
                "'{}': area_mm2 is not known before {}, which {} uses", text, name, item.name));
        }
      }
    }
  }

  void add_derived(Parameters& parameters, const MachineEntry& machine) {
    for (const NamedText& derived : spec_.derived) {
      const auto number = value(derived, "derived." + derived.name, parameters, machine);
      parameters.emplace_back(derived.name, config::number_text(number.value_or(0)));
    }
  }

  bool wanted(const Parameters& parameters, const MachineEntry& machine,
              std::vector<bool>& excludes) {
    bool keeps = true;
    for (const NamedText& condition : spec_.where)
      keeps = keeps && value(condition, "where", parameters, machine).value_or(1) != 0;
    for (std::size_t i = 0; i < spec_.exclude.size(); ++i) {
      if (!matches(parameters, spec_.exclude[i])) continue;
      excludes[i] = true;
      keeps = false;
    }
    return keeps;
  }

  static std::string override_of(const NamedText& change) {
    return change.name + "=" + change.text;
  }

  /// Keys of the machine with their values.
  [[nodiscard]] std::vector<NamedText> changes_of(const MachineEntry& machine,
                                                  const Parameters& values) const {
    std::vector<NamedText> changes;
    for (const Axis& axis : spec_.axes) {
      if (is_machine_key(axis))
        changes.push_back({axis.name, *find_value(values, axis.name), axis.place});
    }
    for (const auto* list : {&machine.set, &spec_.set}) {
      for (const NamedText& item : *list)
        changes.push_back({item.name, replaced(item.text, values), item.place});
    }
    return changes;
  }

  void add(const std::string& name, const MachineEntry& machine, const WorkloadEntry& workload,
           Parameters parameters) {
    Configuration configuration{name, std::move(parameters), &machine, &workload, {}, {}, {}, {}};
    const Parameters& values = configuration.parameters;
    for (const NamedText& change : changes_of(machine, values)) {
      configuration.overrides.push_back(override_of(change));
      configuration.places.push_back(change.place);
    }
    for (const NamedText& option : spec_.options) {
      const std::string word = replaced(option.text, values);
      if (word != "false") configuration.options.push_back({option.name, word, option.place});
    }
    for (const WorkloadPart& part : workload.parts)
      configuration.parts.push_back({replaced(part.words, values), part.count, part.place});
    result_.push_back(std::move(configuration));
  }

  const Spec& spec_;
  Mistakes& mistakes_;
  std::vector<Configuration> result_;
  std::map<std::string, std::optional<config::Machine>> machines_;  ///< by base and changes
  bool broken_ = false;  ///< an expression failed; it would at every point
};

}  // namespace

const std::string* find_value(const Parameters& parameters, std::string_view name) {
  const auto found = std::find_if(parameters.begin(), parameters.end(),
                                  [&](const auto& parameter) { return parameter.first == name; });
  return found == parameters.end() ? nullptr : &found->second;
}

const std::string& value_of(const Parameters& parameters, std::string_view name) {
  if (const std::string* value = find_value(parameters, name)) return *value;
  throw std::invalid_argument(fmt::format("no parameter '{}'", name));
}

std::string label_of(const Parameters& parameters) {
  std::string label;
  for (const auto& [name, value] : parameters)
    label += fmt::format("{}{}={}", label.empty() ? "" : " ", name, value);
  return label;
}

std::vector<Configuration> expand(const Spec& spec, Mistakes& mistakes) {
  if (const GridSize grid = size_of_grid(spec); grid.combinations > kMostCombinations) {
    mistakes.add({1, 1, 0}, "axes",
                 fmt::format("{}: more than {:.0f} combinations", grid.text, kMostCombinations));
    return {};
  }
  Expander expander(spec, mistakes);
  expander.add_grid();
  expander.add_named();
  std::vector<Configuration> configurations = expander.take();
  if (configurations.empty())
    mistakes.add(spec.where.empty() ? spec.exclude.front().place : spec.where.front().place,
                 spec.where.empty() ? "exclude" : "where", "the conditions leave no point");
  if (configurations.size() > kMostPoints)
    mistakes.add({1, 1, 0}, "axes",
                 fmt::format("{}: more than {} of them are left, the most that a sweep may have",
                             size_of_grid(spec).text, kMostPoints));
  return configurations;
}

}  // namespace tcsim::sweep
