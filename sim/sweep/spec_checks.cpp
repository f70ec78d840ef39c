#include "sim/sweep/spec_checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "sim/config/key_tree.hpp"
#include "sim/config/schema.hpp"
#include "sim/config/value_reader.hpp"
#include "sim/errors/errors.hpp"
#include "sim/files/nearest.hpp"
#include "sim/files/shown_text.hpp"
#include "sim/sweep/expression.hpp"
#include "sim/sweep/metrics.hpp"
#include "sim/sweep/template_text.hpp"

namespace tcsim::sweep {
namespace {

using config::Mistakes;

/// The name of `field` in a SPEC, as on the command line but for the dashes: "max-cycles".
std::string option_name(const run::Field& field) {
  constexpr std::size_t kDashes = 2;
  return run::word_of(field.name).substr(kDashes);
}

/// Every text in which "{axis}" may stand, with its key.
std::vector<std::pair<std::string, NamedText>> templates_of(const Spec& spec) {
  std::vector<std::pair<std::string, NamedText>> texts;
  for (const NamedText& item : spec.set) texts.emplace_back("set." + item.name, item);
  for (const NamedText& item : spec.options) texts.emplace_back("options." + item.name, item);
  for (const MachineEntry& machine : spec.machines) {
    for (const NamedText& item : machine.set) texts.emplace_back("machines.set", item);
  }
  for (const WorkloadEntry& workload : spec.workloads) {
    for (const WorkloadPart& part : workload.parts)
      texts.emplace_back("workloads", NamedText{"", part.words, part.place});
  }
  return texts;
}

std::vector<std::string_view> names_of(const Spec& spec) {
  std::vector<std::string_view> names{"machine", "workload"};
  for (const Axis& axis : spec.axes) names.push_back(axis.name);
  for (const NamedText& derived : spec.derived) names.push_back(derived.name);
  return names;
}

bool holds(const std::vector<std::string_view>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void check_templates(const Spec& spec, std::set<std::string>& used, Mistakes& mistakes) {
  const std::vector<std::string_view> names = names_of(spec);
  for (const auto& [key, item] : templates_of(spec)) {
    for (const std::string& name : names_in(item.text)) {
      used.insert(name);
      if (!holds(names, name))
        mistakes.add(
            item.place, key,
            fmt::format("{{{}}} is not an axis{}", name, files::did_you_mean(name, names)));
    }
  }
}

/// Adds the names in `expression`, which says what else it needs when it is evaluated.
void add_names(const std::vector<std::string_view>& names, const std::string& expression,
               std::set<std::string>& used) {
  for (const std::string_view name : names)
    if (has_name(expression, name)) used.emplace(name);
}

/// Adds the names of which the derived values among `used` are made: axes and earlier ones.
void add_sources(const Spec& spec, std::set<std::string>& used) {
  const std::vector<std::string_view> names = names_of(spec);
  for (auto derived = spec.derived.rbegin(); derived != spec.derived.rend(); ++derived)
    if (used.contains(derived->name)) add_names(names, derived->text, used);
}

/// Axes have to change the points; of derived values it is enough that a condition or a plot reads
/// them. `used`: the names in texts of the points.
void refuse_without_effect(const Spec& spec, std::set<std::string> used, Mistakes& mistakes) {
  add_sources(spec, used);
  for (const Axis& axis : spec.axes) {
    if (!is_machine_key(axis) && !used.contains(axis.name))
      mistakes.add(axis.place, "axes." + axis.name,
                   fmt::format("has no effect: no workload, option or set uses {{{}}}, nor a "
                               "derived value in one of them",
                               axis.name));
  }
  for (const NamedText& condition : spec.where) add_names(names_of(spec), condition.text, used);
  for (const PlotRequest& plot : spec.plots) {
    used.insert({plot.x, plot.y, plot.series});
    used.insert(plot.axes.begin(), plot.axes.end());
    for (const NamedText& condition : plot.where) used.insert(condition.name);
  }
  add_sources(spec, used);
  for (const NamedText& derived : spec.derived) {
    if (!used.contains(derived.name))
      mistakes.add(derived.place, "derived." + derived.name,
                   fmt::format("has no effect: nothing uses {{{}}}", derived.name));
  }
}

void check_options(const Spec& spec, Mistakes& mistakes) {
  std::vector<std::string> swept;
  for (const run::Field& field : run::request_fields())
    if (field.is_swept) swept.push_back(option_name(field));
  const std::vector<std::string_view> names(swept.begin(), swept.end());
  for (const NamedText& item : spec.options) {
    if (!holds(names, item.name)) {
      mistakes.add(item.place, "options." + item.name,
                   fmt::format("unknown option (allowed: {}){}", fmt::join(names, ", "),
                               files::did_you_mean(item.name, names)));
      continue;
    }
    for (const std::string& text : known_texts(spec, item.text)) {
      if (text == "false") continue;  // as if it were not given
      try {
        run::RunRequest request;
        field_of_option(item.name).take(request, text);
      } catch (const run::RequestError& error) {
        mistakes.add(item.place, "options." + item.name, error.what());
      }
    }
  }
}

/// Keys of instructions depend on the machine, which says more of them.
void check_machine_keys(const Spec& spec, Mistakes& mistakes) {
  const auto check = [&](const config::Place& place, const std::string& where,
                         const std::string& key, const std::string& text) {
    if (key.starts_with(config::kInstructionsPath)) return;
    const std::string path = fmt::format("{}.{}", where, key);
    const config::Key* const known = config::find_key(key);
    if (known == nullptr)
      return mistakes.add(place, path, "unknown key" + config::suggest_path(key, {}));
    for (const std::string& value : known_texts(spec, text))
      if (const std::string reason = config::value_mistake(*known, value); !reason.empty())
        mistakes.add(place, path, reason);
  };
  for (const Axis& axis : spec.axes)
    if (is_machine_key(axis)) check(axis.place, "axes", axis.name, "{" + axis.name + "}");
  for (const NamedText& item : spec.set) check(item.place, "set", item.name, item.text);
  for (const MachineEntry& machine : spec.machines)
    for (const NamedText& item : machine.set)
      check(item.place, "machines." + machine.name, item.name, item.text);
}

void refuse_keys_set_twice(const Spec& spec, Mistakes& mistakes) {
  std::set<std::string> keys;
  for (const Axis& axis : spec.axes) {
    if (is_machine_key(axis)) keys.insert(axis.name);
  }
  for (const NamedText& item : spec.set) {
    if (!keys.insert(item.name).second)
      mistakes.add(item.place, "set." + item.name, "is an axis too");
  }
  for (const MachineEntry& machine : spec.machines) {
    for (const NamedText& item : machine.set) {
      if (keys.contains(item.name))
        mistakes.add(item.place, "machines." + machine.name + "." + item.name,
                     "contradicts the same key under set or axes");
    }
  }
}

void check_assignments(const Spec& spec, const std::vector<Assignment>& assignments,
                       const char* key, Mistakes& mistakes) {
  std::vector<std::string_view> names{"machine", "workload", "name"};
  for (const Axis& axis : spec.axes) names.push_back(axis.name);
  for (const Assignment& assignment : assignments) {
    for (const NamedText& item : assignment.values) {
      if (!holds(names, item.name))
        mistakes.add(
            item.place, key,
            fmt::format("'{}' is not an axis{}", item.name, files::did_you_mean(item.name, names)));
    }
  }
}

void check_plots(const Spec& spec, Mistakes& mistakes) {
  const std::vector<std::string_view> names = names_of(spec);
  const auto check = [&](const PlotRequest& plot, const char* key, const std::string& name) {
    if (!name.empty() && !holds(names, name))
      mistakes.add(plot.place, fmt::format("plots.{}", key),
                   fmt::format("'{}' is not a parameter (allowed: {}){}", name,
                               fmt::join(names, ", "), files::did_you_mean(name, names)));
  };
  const auto check_metric = [&](const PlotRequest& plot, const char* key, const std::string& name) {
    const std::string mistake = name.empty() ? "" : metric_mistake(name);
    if (!mistake.empty()) mistakes.add(plot.place, fmt::format("plots.{}", key), mistake);
  };
  for (const PlotRequest& plot : spec.plots) {
    if (plot.kind.empty()) continue;  // told as missing
    if (std::ranges::find(kPlotKinds, plot.kind) == kPlotKinds.end()) {
      mistakes.add(
          plot.place, "plots.kind",
          fmt::format("{} is not one of {}{}", files::shown(plot.kind), fmt::join(kPlotKinds, ", "),
                      files::did_you_mean(plot.kind, {kPlotKinds.begin(), kPlotKinds.end()})));
      continue;
    }
    if (plot.kind == "pareto")
      check_metric(plot, "x", plot.x);
    else
      check(plot, "x", plot.x);
    if (plot.kind == "heatmap")
      check(plot, "y", plot.y);
    else
      check_metric(plot, "y", plot.y);
    check_metric(plot, "value", plot.value);
    for (const std::string& axis : plot.axes)
      if (!holds(names, axis)) check_metric(plot, "axes", axis);
    check(plot, "series", plot.series);
    for (const NamedText& condition : plot.where) check(plot, "where", condition.name);
  }
}

}  // namespace

const run::Field& field_of_option(std::string_view name) {
  const auto fields = run::request_fields();
  const auto found = std::ranges::find(fields, name, option_name);
  if (found == fields.end()) throw InternalError(fmt::format("no option '{}'", name));
  return *found;
}

bool is_run_option(std::string_view name) {
  return std::ranges::any_of(run::request_fields(), [&](const run::Field& field) {
    return field.is_swept && option_name(field) == name;
  });
}

bool is_machine_key(const Axis& axis) { return axis.name.find('.') != std::string::npos; }

std::vector<std::string> known_texts(const Spec& spec, const std::string& text) {
  const std::vector<std::string> names = names_in(text);
  if (names.empty()) return {text};
  const auto axis = std::ranges::find(spec.axes, names.front(), &Axis::name);
  const bool is_one =
      std::ranges::all_of(names, [&](const std::string& name) { return name == names.front(); });
  const bool has_conditions = !spec.where.empty() || !spec.exclude.empty();
  std::vector<std::string> texts;
  if (!is_one || axis == spec.axes.end() || has_conditions) return texts;
  for (const std::string& value : axis->values)
    texts.push_back(replaced(text, {{axis->name, value}}));
  return texts;
}

void check_spec(const Spec& spec, std::set<std::string> used, Mistakes& mistakes) {
  check_templates(spec, used, mistakes);
  refuse_without_effect(spec, std::move(used), mistakes);
  check_options(spec, mistakes);
  check_machine_keys(spec, mistakes);
  refuse_keys_set_twice(spec, mistakes);
  check_assignments(spec, spec.exclude, "exclude", mistakes);
  check_assignments(spec, spec.points, "points", mistakes);
  check_plots(spec, mistakes);
}

}  // namespace tcsim::sweep
