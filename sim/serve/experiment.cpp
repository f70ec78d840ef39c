#include "sim/serve/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "sim/config/error.hpp"
#include "sim/config/load.hpp"
#include "sim/config/mistakes.hpp"
#include "sim/config/yaml_tree.hpp"
#include "sim/errors/errors.hpp"
#include "sim/files/nearest.hpp"
#include "sim/files/shown_text.hpp"
#include "sim/library/load.hpp"
#include "sim/networks/network_file.hpp"
#include "sim/run/request_fields.hpp"
#include "sim/run/request_io.hpp"

namespace tcsim::serve {
namespace {

using config::TreeNode;
using json::Json;
using json::View;

constexpr std::size_t kMostOverrides = 64;
/// The largest whole number up to which browsers, which read all numbers as doubles, keep each.
constexpr std::uint64_t kMostExact = 1ULL << 53U;
constexpr std::size_t kMostWord = 1000;  // bytes of a workload or an override

std::string word_in(const View& view) {
  auto word = view.get<std::string>();
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; };
  if (word.size() > kMostWord) view.refuse(fmt::format("more than {} bytes", kMostWord));
  if (std::ranges::any_of(word, is_control)) view.refuse("a control character");
  return word;
}

std::string shipped(const View& view, const std::vector<std::string>& names, const char* kind) {
  std::string name = word_in(view);
  if (std::ranges::find(names, name) != names.end()) return name;
  view.refuse(fmt::format("no {} {}{}", kind, files::shown(name),
                          files::did_you_mean(name, {names.begin(), names.end()})));
}

void refuse_unknown(const View& view, const std::vector<std::string_view>& known) {
  for (const auto& [name, value] : view.items())
    if (std::ranges::find(known, name) == known.end())
      value.refuse("unknown" + files::did_you_mean(name, known));
}

/// A key by which a machine may name other files, whose content messages would show. A client names
/// those that tcsim ships.
struct NamingKey {
  std::string_view name;
  std::string_view kind;
  std::vector<std::string> (*shipped)();
};

constexpr std::array<NamingKey, 2> kNamingKeys{{
    {"base", "machine", config::machine_names},
    {"libraries", "library", library::library_names},
}};

void check_names(const NamingKey& key, const TreeNode& value, config::Mistakes& mistakes) {
  for (const TreeNode& item : value.items) check_names(key, item, mistakes);
  if (value.kind == TreeNode::Kind::kNothing || value.kind == TreeNode::Kind::kList) return;
  const std::vector<std::string> names = key.shipped();
  if (value.kind == TreeNode::Kind::kText && std::ranges::find(names, value.text) != names.end())
    return;
  mistakes.add(value.place, key.name,
               fmt::format("{} is not a {} that tcsim ships{}", config::describe(value), key.kind,
                           files::did_you_mean(value.text, {names.begin(), names.end()})));
}

std::string machine_text_in(const View& view) {
  auto text = view.get<std::string>();
  if (text.find('\0') != std::string::npos) view.refuse("a NUL character");
  config::Mistakes unheard(kMachineFile);  // whoever reads the machine tells them
  const config::TreeFile file = config::parse_yaml(kMachineFile, text, unheard);
  config::Mistakes mistakes(kMachineFile);
  for (const config::TreeEntry& entry : file.root.entries)
    for (const NamingKey& key : kNamingKeys)
      if (entry.name.text == key.name) check_names(key, entry.value, mistakes);
  mistakes.finish();
  return text;
}

std::vector<std::string> overrides_in(const View& view) {
  std::vector<std::string> overrides;
  for (const View& each : view.elements()) {
    std::string word = word_in(each);
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) each.refuse("not of the form key.path=value");
    config::Mistakes mistakes("set");
    const config::Place place{.set = static_cast<int>(overrides.size()) + 1};
    for (const NamingKey& key : kNamingKeys) {
      if (word.substr(0, equals) != key.name) continue;
      const auto refuse = [&](const std::string& reason) { mistakes.add(place, key.name, reason); };
      if (const auto value = config::parse_yaml_value(word.substr(equals + 1), place, refuse))
        check_names(key, *value, mistakes);
    }
    mistakes.finish();
    overrides.push_back(std::move(word));
  }
  if (overrides.size() > kMostOverrides) view.refuse(fmt::format("more than {}", kMostOverrides));
  return overrides;
}

/// Of an object that may have other fields too.
MachineChoice machine_choice_in(const View& view) {
  MachineChoice choice;
  const auto name = view.find("machine");
  const auto text = view.find("machine_text");
  if (name.has_value() == text.has_value())
    view.refuse("give either machine, a name, or machine_text, a machine file");
  if (name) choice.name = shipped(*name, config::machine_names(), "machine");
  if (text) choice.text = machine_text_in(*text);
  if (const auto overrides = view.find("set")) choice.overrides = overrides_in(*overrides);
  return choice;
}

std::string workload_in(const View& view) {
  std::string words = word_in(view);
  const std::string kind = words.substr(0, words.find(':'));
  if (kind == "csv" || kind == "trace")
    view.refuse(
        fmt::format("{}: names a file of the server; write an operation or net:NAME", kind));
  if (!run::is_network(words)) return words;
  const std::vector<std::string> names = networks::network_names();
  const std::string name = words.substr(words.find(':') + 1);
  if (std::ranges::find(names, name) == names.end())
    view.refuse(fmt::format("no network {}{}", files::shown(name),
                            files::did_you_mean(name, {names.begin(), names.end()})));
  return words;
}

std::string option_text(const View& view) {
  if (view.is_boolean()) return view.get<bool>() ? "true" : "false";
  if (view.is_number()) return view.json().dump();
  return word_in(view);
}

void take_option(const std::string& name, const View& value, run::GivenFields& given) {
  const auto& names = option_names();
  if (std::ranges::find(names, name) == names.end())
    value.refuse("not an option of a run here" +
                 files::did_you_mean(name, {names.begin(), names.end()}));
  if (name == "library") {
    for (const View& each : value.elements())
      given[name].push_back(shipped(each, library::library_names(), "library"));
    return;
  }
  given[name] = {option_text(value)};
}

/// `value` in a form that a browser sends back as it received it.
Json kept_by_browsers(const Json& value) {
  const bool is_large = value.is_number_unsigned() && value.get<std::uint64_t>() > kMostExact;
  return is_large ? Json(value.dump()) : value;
}

}  // namespace

const std::vector<std::string>& option_names() {
  static const std::vector<std::string> names{
      "library",   "tile",    "unit",          "fidelity",       "clock",
      "data",      "warm_l2", "batch",         "tokens",         "precision",
      "weights",   "group",   "pass",          "rotate_weights", "overwrite_l2",
      "cold_code", "values",  "inputs",        "seed",           "ignore_capacity",
      "timeline",  "source",  "critical_path", "gpus",           "kv_cache",
      "max_cycles"};
  return names;
}

MachineChoice read_machine_choice(const View& view) {
  refuse_unknown(view, {"machine", "machine_text", "set"});
  return machine_choice_in(view);
}

Experiment read_experiment(const View& view) {
  refuse_unknown(view, {"machine", "machine_text", "set", "workload", "options"});
  Experiment experiment{machine_choice_in(view), {}};
  run::GivenFields given{{"workload", {workload_in(view.at("workload"))}},
                         {"machine", {experiment.machine.word()}},
                         {"set", experiment.machine.overrides},
                         {"jobs", {"1"}}};
  if (const auto options = view.find("options"))
    for (const auto& [name, value] : options->items()) take_option(name, value, given);
  experiment.request = run::make_request(given);
  return experiment;
}

Json experiment_json(const Experiment& experiment) {
  Json json = Json::object();
  if (experiment.machine.name.empty())
    json["machine_text"] = experiment.machine.text;
  else
    json["machine"] = experiment.machine.name;
  json["set"] = experiment.machine.overrides;
  json["workload"] = experiment.request.workload;
  json["options"] = Json::object();
  const Json fields = run::request_json(experiment.request);
  for (const std::string& name : option_names())
    if (fields.contains(name)) json["options"][name] = kept_by_browsers(fields.at(name));
  return json;
}

}  // namespace tcsim::serve
