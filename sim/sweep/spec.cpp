#include "sim/sweep/spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "sim/config/load.hpp"
#include "sim/config/number.hpp"
#include "sim/config/schema.hpp"
#include "sim/config/strict_map.hpp"
#include "sim/config/yaml_tree.hpp"
#include "sim/files/shown_text.hpp"
#include "sim/sweep/spec_checks.hpp"
#include "sim/sweep/template_text.hpp"
#include "sim/text/name.hpp"
#include "sim/text/number.hpp"

namespace tcsim::sweep {
namespace {

using config::describe;
using config::Mistakes;
using config::StrictMap;
using config::TreeNode;
using Kind = config::TreeNode::Kind;

constexpr std::size_t kMostValues = 10000;
constexpr double kMostNumber = 1e15;

/// The entries of `node`, a mapping of names to plain values.
std::vector<NamedText> named_texts(const TreeNode& node, const std::string& path,
                                   Mistakes& mistakes) {
  std::vector<NamedText> result;
  if (node.kind != Kind::kMapping || node.entries.empty()) {
    mistakes.add(node.place, path, "expected a mapping of names to values, got " + describe(node));
    return result;
  }
  std::set<std::string> seen;
  for (const config::TreeEntry& entry : node.entries) {
    const std::string name = path + "." + entry.name.text;
    if (!seen.insert(entry.name.text).second)
      mistakes.add(entry.name.place, name, "given twice");
    else if (entry.value.kind == Kind::kMapping || entry.value.kind == Kind::kNothing)
      mistakes.add(entry.value.place, name, "expected a value, got " + describe(entry.value));
    else
      result.push_back({entry.name.text,
                        entry.value.kind == Kind::kText ? entry.value.text : describe(entry.value),
                        entry.value.place});
  }
  return result;
}

std::vector<NamedText> names_at(StrictMap& map, std::string_view key) {
  const TreeNode* node = map.find(key);
  return node == nullptr ? std::vector<NamedText>{}
                         : named_texts(*node, map.path_of(key), map.mistakes());
}

bool is_shipped_machine(const std::string& name) {
  const std::vector<std::string> names = config::machine_names();
  return std::ranges::binary_search(names, name);
}

/// A machine that goes on `from` an earlier one takes over its base and changes.
MachineEntry read_machine_entry(const TreeNode& node, const std::string& path, Mistakes& mistakes,
                                const std::vector<MachineEntry>& earlier) {
  if (node.kind == Kind::kText) return {node.text, node.text, {}, node.place};
  StrictMap map(node, path, mistakes);
  MachineEntry entry{map.text("name"), map.text("base", /*required=*/false), {}, node.place};
  const TreeNode* from = map.find("from");
  if (from != nullptr && !entry.base.empty())
    map.mistake(from->place, "from", "contradicts base: give one of them");
  if (from == nullptr && entry.base.empty())
    map.mistake(node.place, "base", "missing; give base or from");
  if (from != nullptr) {
    const auto found = std::find_if(earlier.begin(), earlier.end(), [&](const MachineEntry& other) {
      return other.name == from->text;
    });
    if (found == earlier.end()) {
      map.mistake(from->place, "from",
                  files::shown(from->text) + " is not an earlier machine of this list");
    } else {
      entry.base = found->base;
      entry.set = found->set;
    }
  }
  if (entry.name != entry.base && is_shipped_machine(entry.name))
    map.mistake(
        node.place, "name",
        files::shown(entry.name) +
            " is a machine that comes with tcsim; one with another base needs another name");
  for (const NamedText& change : names_at(map, "set")) {
    std::erase_if(entry.set, [&](const NamedText& old) { return old.name == change.name; });
    entry.set.push_back(change);
  }
  map.finish();
  return entry;
}

WorkloadPart read_part(const TreeNode& node, const std::string& path, Mistakes& mistakes) {
  if (node.kind == Kind::kText) return {node.text, 1, node.place};
  StrictMap map(node, path, mistakes);
  WorkloadPart part{map.text("workload"), map.integer("count", 1, kMostRuns, 1), node.place};
  map.finish();
  return part;
}

WorkloadEntry read_workload(const TreeNode& node, const std::string& path, Mistakes& mistakes) {
  if (node.kind == Kind::kText) return {node.text, {{node.text, 1, node.place}}, node.place};
  StrictMap map(node, path, mistakes);
  WorkloadEntry entry{map.text("name"), {}, node.place};
  int index = 0;
  for (const TreeNode& part : map.list("parts", /*required=*/true))
    entry.parts.push_back(
        read_part(part, fmt::format("{}[{}]", map.path_of("parts"), index++), mistakes));
  map.finish();
  return entry;
}

/// `value` to 14 digits, counted from the first one of `largest`, without the noise of sums and
/// products of binary fractions; whole numbers keep all of their digits.
std::string without_noise(double value, double largest) {
  constexpr int kDigits = 14;
  const int first = static_cast<int>(std::floor(std::log10(largest)));
  std::string text = fmt::format("{:.{}f}", value, std::max(0, kDigits - 1 - first));
  if (text.find('.') != std::string::npos) {
    text.resize(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
  }
  return text == "-0" ? "0" : text;
}

/// {from, to, step} or {from, to, factor}, both ends included.
std::vector<std::string> read_range(const TreeNode& node, const std::string& path,
                                    Mistakes& mistakes) {
  StrictMap map(node, path, mistakes);
  const double from = map.number("from", -kMostNumber, kMostNumber);
  const double to = map.number("to", -kMostNumber, kMostNumber);
  const double step = map.number("step", 1e-9, kMostNumber, 0);
  const double factor = map.number("factor", 1.001, kMostNumber, 0);
  map.finish();
  std::vector<std::string> values;
  if (!map.is_sound()) return values;
  if ((step > 0) == (factor > 0) || from > to || (factor > 0 && from <= 0)) {
    mistakes.add(node.place, path,
                 "a range is {from, to, step} or {from, to, factor} with from <= to");
    return values;
  }
  constexpr double kLeast = std::numeric_limits<double>::min();  // where both ends are 0
  while (values.size() <= kMostValues) {
    const auto index = static_cast<double>(values.size());
    const double value = step > 0 ? from + step * index : from * std::pow(factor, index);
    const double largest = step > 0 ? std::max({-from, to, kLeast}) : value;
    const std::string word = without_noise(value, largest);
    if (text::number_of<double>(word) > text::number_of<double>(without_noise(to, largest))) break;
    if (!values.empty() && word == values.back()) {
      mistakes.add(node.place, path, "the step is too small to tell numbers of this size apart");
      break;
    }
    values.push_back(word);
  }
  return values;
}

Axis read_axis(const config::TreeEntry& entry, Mistakes& mistakes) {
  const std::string path = "axes." + entry.name.text;
  Axis axis{entry.name.text, {}, entry.name.place};
  const config::Key* key = config::find_key(axis.name);
  const std::string_view unit = key == nullptr ? "" : key->unit;
  std::map<double, std::string> spellings;  // of the numbers in the list
  if (entry.value.kind == Kind::kMapping) {
    axis.values = read_range(entry.value, path, mistakes);
  } else if (entry.value.kind == Kind::kList && !entry.value.items.empty()) {
    for (const TreeNode& item : entry.value.items) {
      if (item.kind != Kind::kText) {
        mistakes.add(item.place, path, "expected a value, got " + describe(item));
        continue;
      }
      const auto number = config::read_number(item.text, unit).value;
      if (std::find(axis.values.begin(), axis.values.end(), item.text) != axis.values.end())
        mistakes.add(item.place, path, files::shown(item.text) + " is in the list twice");
      else if (number && !spellings.emplace(*number, item.text).second)
        mistakes.add(item.place, path,
                     fmt::format("{} is in the list twice, first as {}", files::shown(item.text),
                                 files::shown(spellings.at(*number))));
      else
        axis.values.push_back(item.text);
    }
  } else {
    mistakes.add(entry.value.place, path,
                 "expected a list or {from, to, step}, got " + describe(entry.value));
  }
  if (axis.values.size() > kMostValues)
    mistakes.add(entry.name.place, path, fmt::format("more than {} values", kMostValues));
  return axis;
}

/// Columns of sweep.csv and totals.csv that every sweep has.
constexpr std::array<std::string_view, 13> kTakenNames{
    "point", "configuration", "name",   "machine", "workload", "part",    "count",
    "state", "reason",        "inputs", "key",     "revision", "complete"};

bool is_taken(const std::string& name, const std::vector<Axis>& axes) {
  return std::ranges::find(kTakenNames, name) != kTakenNames.end() ||
         std::ranges::find(axes, name, &Axis::name) != axes.end();
}

void refuse_taken_name(const config::Place& place, const std::string& path, Mistakes& mistakes) {
  mistakes.add(place, path, "this name is taken: every sweep has a column with it");
}

std::vector<Axis> read_axes(StrictMap& map, Mistakes& mistakes) {
  std::vector<Axis> axes;
  const TreeNode* node = map.find("axes");
  if (node == nullptr) return axes;
  if (node->kind != Kind::kMapping)
    map.mistake(node->place, "axes", "expected a mapping, got " + describe(*node));
  for (const config::TreeEntry& entry : node->entries) {
    if (is_taken(entry.name.text, axes))
      refuse_taken_name(entry.name.place, "axes." + entry.name.text, mistakes);
    else
      axes.push_back(read_axis(entry, mistakes));
  }
  return axes;
}

void read_zip(StrictMap& map, Spec& spec) {
  std::vector<std::string> zipped;
  for (const TreeNode& group : map.list("zip")) {
    std::vector<std::string> names;
    std::size_t length = 0;
    for (const TreeNode& item : group.items) {
      const auto axis = std::find_if(spec.axes.begin(), spec.axes.end(),
                                     [&](const Axis& a) { return a.name == item.text; });
      if (axis == spec.axes.end()) {
        map.mistake(item.place, "zip", files::shown(item.text) + " is not an axis");
        continue;
      }
      if (std::find(zipped.begin(), zipped.end(), item.text) != zipped.end())
        map.mistake(item.place, "zip", files::shown(item.text) + " is zipped twice");
      if (names.empty()) length = axis->values.size();
      if (axis->values.size() != length)
        map.mistake(item.place, "zip",
                    fmt::format("'{}' has {} values, '{}' has {}: zipped axes need equal lengths",
                                item.text, axis->values.size(), names.front(), length));
      names.push_back(item.text);
      zipped.push_back(item.text);
    }
    if (names.size() < 2) map.mistake(group.place, "zip", "expected lists of two axes or more");
    spec.zip.push_back(names);
  }
}

std::vector<Assignment> read_assignments(StrictMap& map, std::string_view key, Mistakes& mistakes) {
  std::vector<Assignment> assignments;
  int index = 0;
  for (const TreeNode& item : map.list(key))
    assignments.push_back(
        {named_texts(item, fmt::format("{}[{}]", key, index++), mistakes), item.place});
  return assignments;
}

/// A name that becomes a file's; none was told as missing already.
void check_name(StrictMap& map, const std::string& name) {
  const std::string mistake = name.empty() ? "" : text::name_mistake(name);
  if (!mistake.empty()) map.mistake(map.place(), "name", mistake);
}

PlotRequest read_plot(const TreeNode& node, const std::string& path, Mistakes& mistakes) {
  StrictMap map(node, path, mistakes);
  PlotRequest plot;
  plot.place = node.place;
  plot.kind = map.text("kind");
  plot.name = map.text("name", /*required=*/false);
  plot.title = map.text("title", /*required=*/false);
  // A kind that there is not is told with the words that are no parameters (check_spec); which keys
  // it would have is not known.
  const bool is_known = std::ranges::find(kPlotKinds, plot.kind) != kPlotKinds.end();
  const bool parallel = plot.kind == "parallel";
  if (parallel || !is_known) {
    for (const TreeNode& axis : map.list("axes")) plot.axes.push_back(axis.text);
    if (is_known && plot.axes.size() < 2)
      map.mistake(node.place, "axes", "expected a list of two or more");
  }
  if (!parallel) {
    plot.x = map.text("x", is_known);
    plot.y = map.text("y", is_known);
  }
  if (plot.kind == "heatmap" || !is_known) plot.value = map.text("value", is_known);
  if (plot.kind == "curves" || plot.kind == "pareto" || parallel || !is_known)
    plot.series = map.text("series", /*required=*/false);
  plot.where = names_at(map, "where");
  map.finish();
  if (plot.name.empty())
    plot.name =
        text::as_name(parallel ? "parallel" : fmt::format("{}-{}-{}", plot.kind, plot.y, plot.x));
  check_name(map, plot.name);
  return plot;
}

Limits read_limits(StrictMap& map) {
  auto limits = map.section("limits", /*required=*/false);
  if (!limits) return {};
  const Limits result{limits->number("time_s", 0.001, 1e9, 0),
                      limits->integer("memory_mib", 1, kMostMemoryMib, 0)};
  limits->finish();
  return result;
}

template <typename Entry>
void refuse_equal_names(const std::vector<Entry>& entries, const char* key, Mistakes& mistakes) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!entries[i].name.empty() && entries[i].name == entries[j].name)
        mistakes.add(entries[i].place, key,
                     files::shown(entries[i].name) + " is in the list twice");
    }
  }
}

/// Adds every name that a text below `node` has in braces.
void add_names_in(const TreeNode& node, std::set<std::string>& names) {
  for (const std::string& name : names_in(node.text)) names.insert(name);
  for (const TreeNode& item : node.items) add_names_in(item, names);
  for (const config::TreeEntry& entry : node.entries) add_names_in(entry.value, names);
}

}  // namespace

Spec read_spec(const std::string& file, const std::string& text, Mistakes& mistakes) {
  const config::TreeFile tree = config::parse_yaml(file, text, mistakes);
  StrictMap map(tree.root, "", mistakes);
  Spec spec;
  spec.file = file;
  spec.name = map.text("name");
  check_name(map, spec.name);
  spec.description = map.text("description", /*required=*/false);
  int index = 0;
  for (const TreeNode& node : map.list("machines", /*required=*/true))
    spec.machines.push_back(
        read_machine_entry(node, fmt::format("machines[{}]", index++), mistakes, spec.machines));
  index = 0;
  for (const TreeNode& node : map.list("workloads", /*required=*/true))
    spec.workloads.push_back(read_workload(node, fmt::format("workloads[{}]", index++), mistakes));
  refuse_equal_names(spec.machines, "machines", mistakes);
  refuse_equal_names(spec.workloads, "workloads", mistakes);
  spec.axes = read_axes(map, mistakes);
  read_zip(map, spec);
  spec.derived = names_at(map, "derived");
  std::erase_if(spec.derived, [&](const NamedText& derived) {
    const bool is_refused = is_taken(derived.name, spec.axes);
    if (is_refused) refuse_taken_name(derived.place, "derived." + derived.name, mistakes);
    return is_refused;
  });
  spec.set = names_at(map, "set");
  spec.options = names_at(map, "options");
  for (const TreeNode& node : map.list("where")) spec.where.push_back({"", node.text, node.place});
  spec.exclude = read_assignments(map, "exclude", mistakes);
  spec.points = read_assignments(map, "points", mistakes);
  spec.limits = read_limits(map);
  index = 0;
  for (const TreeNode& node : map.list("plots"))
    spec.plots.push_back(read_plot(node, fmt::format("plots[{}]", index++), mistakes));
  refuse_equal_names(spec.plots, "plots", mistakes);
  map.finish();
  std::set<std::string> used;  // by what was not read for its mistakes
  if (!mistakes.empty()) add_names_in(tree.root, used);
  check_spec(spec, std::move(used), mistakes);
  return spec;
}

}  // namespace tcsim::sweep
