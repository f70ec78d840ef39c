#include "sim/cli/machine_views.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "sim/cli/instruction_derivation.hpp"
#include "sim/config/error.hpp"
#include "sim/config/inert_keys.hpp"
#include "sim/config/key_tree.hpp"
#include "sim/config/load.hpp"
#include "sim/config/machine_text.hpp"
#include "sim/config/named_files.hpp"
#include "sim/config/number.hpp"
#include "sim/config/peak.hpp"
#include "sim/config/schema.hpp"
#include "sim/files/json_text.hpp"

namespace tcsim::cli {
namespace {

using Json = nlohmann::ordered_json;
using config::Key;
using config::MachineFile;
using config::Setting;

/// A list of names and paths that means the same in a file of any folder.
std::string with_whole_paths(const std::string& list) {
  Json words = Json::parse(list);
  bool has_paths = false;
  for (Json& word : words) {
    const auto text = word.get<std::string>();
    if (!config::is_path(text)) continue;
    word = std::filesystem::absolute(text).lexically_normal().string();
    has_paths = true;
  }
  return has_paths ? words.dump() : list;
}

Json json_value(const Setting& setting) {
  return setting.is_text ? Json(setting.value) : Json::parse(setting.value);
}

std::string quoted(const std::string& text) { return files::json_text(Json(text)); }

std::string dump(const Json& json) { return files::json_text(json, 2) + "\n"; }

std::string origin(const Setting& setting) {
  if (setting.set > 0) return fmt::format("--set #{}", setting.set);
  if (setting.line == 0) return "";
  if (setting.base.empty()) return fmt::format("line {}", setting.line);
  return fmt::format("{}:{}", std::filesystem::path(setting.base).filename().string(),
                     setting.line);
}

std::string range_text(const Key& key) {
  if (!key.words.empty()) return std::string(key.words);
  const std::string_view kind = config::kind_name(key);
  if (kind == "text" || kind == "list of texts" || kind == "mapping of instructions") return {};
  return fmt::format("{} to {}", config::number_text(key.min), fmt::format("{:.10g}", key.max));
}

/// A key, or a key of an instruction, in the form in which it is explained.
struct Explained {
  std::string path;
  std::string kind;
  std::string unit;
  std::string range;
  std::string read_by;
  std::string sentence;
};

Explained explained(const Key& key) {
  return {std::string(key.path),
          std::string(config::kind_name(key)),
          std::string(key.unit),
          range_text(key),
          key.read_by.empty() ? "no model (descriptive)" : std::string(key.read_by),
          std::string(key.sentence)};
}

/// All keys; the two of each instruction follow sm.tensor.instructions, with a * for the
/// mnemonic.
std::vector<Explained> all_explained() {
  std::vector<Explained> rows;
  for (const Key& key : config::keys()) {
    rows.push_back(explained(key));
    if (key.path != config::kInstructionsPath) continue;
    for (const config::InstructionKey& inner : config::instruction_keys())
      rows.push_back({fmt::format("{}.*.{}", key.path, inner.name), "integer or derived",
                      std::string(inner.unit), fmt::format("{} to {}", inner.min, inner.max),
                      std::string(inner.read_by), std::string(inner.sentence)});
  }
  return rows;
}

Table explained_table(const std::vector<Explained>& rows) {
  Table table{{"key", "kind", "unit", "range", "read by", "meaning"}, {}};
  for (const Explained& row : rows)
    table.rows.push_back({row.path, row.kind, row.unit, row.range, row.read_by, row.sentence});
  return table;
}

Json explained_json(const Explained& row) {
  return {{"key", row.path},    {"kind", row.kind},       {"unit", row.unit},
          {"range", row.range}, {"read_by", row.read_by}, {"meaning", row.sentence}};
}

/// "sm.tensor.instructions.HMMA.16816.F32.latency_cycles" ->
/// "sm.tensor.instructions.*.latency_cycles".
std::string pattern_of(const std::string& key) {
  const std::string prefix = std::string(config::kInstructionsPath) + ".";
  if (!key.starts_with(prefix)) return key;
  return prefix + "*" + key.substr(key.rfind('.'));
}

[[noreturn]] void refuse_key(const std::string& key) {
  std::vector<std::string_view> section_paths;
  for (const config::Section& section : config::sections()) section_paths.push_back(section.path);
  throw config::ConfigError(
      {fmt::format("{}: unknown key{}", key, config::suggest_path(key, section_paths))});
}

/// Value and source of `key` on every shipped machine that has it.
std::vector<std::pair<std::string, Setting>> values_of(const std::string& key) {
  std::vector<std::pair<std::string, Setting>> values;
  for (const std::string& name : config::machine_names())
    for (const Setting& setting : config::read_machine(name).settings)
      if (setting.key == key) values.emplace_back(name, setting);
  return values;
}

/// The mnemonic in "sm.tensor.instructions.HMMA.16816.F32.latency_cycles", or "".
std::string mnemonic_of(const std::string& key) {
  const std::string prefix = std::string(config::kInstructionsPath) + ".";
  if (!key.starts_with(prefix)) return {};
  const std::size_t last = key.rfind('.');
  return last > prefix.size() ? key.substr(prefix.size(), last - prefix.size()) : "";
}

/// Throws ConfigError, for what `place` names, if `mnemonic` is not that of an MMA.
void require_mma(std::string_view place, const std::string& mnemonic) {
  if (const auto opcode = isa::parse_opcode(mnemonic); !opcode || !isa::is_mma(*opcode))
    throw config::ConfigError(
        {fmt::format("{}: {}: {}", place, mnemonic, config::unknown_mma(mnemonic))});
}

/// A row per value in `json`, those of a section as "derived.pass".
void add_quantities(const std::string& machine, const std::string& section, const Json& json,
                    Table& table) {
  for (const auto& [name, value] : json.items()) {
    if (value.is_object())
      add_quantities(machine, name + ".", value, table);
    else
      table.rows.push_back(
          {machine, section + name, value.is_string() ? value.get<std::string>() : value.dump()});
  }
}

/// Why the value of `key` of `machine` does not act, as far as another key decides.
std::vector<std::string> reasons_of(const std::string& machine, const std::string& key) {
  std::vector<std::string> reasons;
  for (const config::InertKey& inert : config::inert_keys(config::load_machine(machine)))
    if (inert.concerns(key)) reasons.push_back(inert.why);
  return reasons;
}

std::string explain_one(const Explained& row, const std::string& key, Format format) {
  const auto values = values_of(key);
  const std::string mnemonic = mnemonic_of(key);
  if (format == Format::kJson) {
    Json json = explained_json(row);
    json["key"] = key;
    json["values"] = Json::array();
    for (const auto& [machine, setting] : values)
      json["values"].push_back({{"machine", machine},
                                {"value", json_value(setting)},
                                {"source", setting.source},
                                {"does_not_act", reasons_of(machine, key)}});
    if (!mnemonic.empty())
      for (auto& value : json["values"])
        value["derivation"] = derivation_json(config::load_machine(value["machine"]), mnemonic);
    return dump(json);
  }
  Table table{{"machine", "value", "source"}, {}};
  for (const auto& [machine, setting] : values)
    table.rows.push_back({machine, setting.value, setting.source});
  if (format != Format::kText) return render(table, format);
  std::string facts = row.kind;
  if (!row.unit.empty()) facts += ", " + row.unit;
  if (!row.range.empty()) facts += ", " + row.range;
  std::string text =
      fmt::format("{}\n  {}\n  {}; read by {}\n", key, row.sentence, facts, row.read_by);
  if (!table.rows.empty()) text += "\n" + render(table, format);
  for (const auto& [machine, setting] : values)
    for (const std::string& reason : reasons_of(machine, key))
      text += fmt::format("\n{}: {} {}\n", machine, setting.value, reason);
  if (mnemonic.empty() || values.empty()) return text;
  Table derivations{{"machine", "derivation"}, {}};
  for (const auto& [machine, setting] : values)
    derivations.rows.push_back({machine, derivation_text(config::load_machine(machine), mnemonic)});
  return text + "\n" + render(derivations, format);
}

std::string show_json(const MachineFile& file) {
  Json json{{"machine", file.machine.name}, {"file", file.file}, {"settings", Json::array()}};
  for (const Setting& setting : file.settings)
    json["settings"].push_back({{"key", setting.key},
                                {"value", json_value(setting)},
                                {"unit", setting.unit},
                                {"origin", setting.set > 0        ? "--set"
                                           : setting.base.empty() ? "file"
                                                                  : "base"},
                                {"base", setting.base},
                                {"line", setting.line},
                                {"source", setting.source},
                                {"descriptive", setting.descriptive}});
  return dump(json);
}

}  // namespace

std::string list_machines(Format format) {
  Table table{{"machine", "chip", "architecture", "SMs", "SM MHz", "FP16 tensor TFLOPS",
               "DRAM GB/s", "description"},
              {}};
  Json json = Json::array();
  for (const std::string& name : config::machine_names()) {
    const config::Machine machine = config::load_machine(name);
    const auto rate = config::peak_rate(machine, "tensor", "fp16");
    const double bandwidth = config::dram_bandwidth(machine).gb_per_s;
    table.rows.push_back({name, machine.chip, machine.architecture, std::to_string(machine.gpu.sms),
                          std::to_string(machine.clocks.sm_mhz),
                          rate ? fmt::format("{:.1f}", *rate->tera_ops_per_s) : "not supported",
                          fmt::format("{:.0f}", bandwidth), machine.description});
    json.push_back({{"machine", name},
                    {"name", machine.name},
                    {"chip", machine.chip},
                    {"architecture", machine.architecture},
                    {"sms", machine.gpu.sms},
                    {"sm_mhz", machine.clocks.sm_mhz},
                    {"fp16_tensor_tflops", rate ? Json(*rate->tera_ops_per_s) : Json()},
                    {"dram_gb_per_s", bandwidth},
                    {"description", machine.description}});
  }
  return format == Format::kJson ? dump(json) : render(table, format);
}

std::string show_machine(const std::string& machine, const std::vector<std::string>& overrides,
                         Format format) {
  const MachineFile file = config::read_machine(machine, overrides);
  if (format == Format::kJson) return show_json(file);
  Table table{{"key", "value", "unit", "origin", "source"}, {}};
  for (const Setting& setting : file.settings)
    table.rows.push_back(
        {setting.key, setting.value, setting.unit, origin(setting), setting.source});
  const std::string head =
      format == Format::kText ? fmt::format("{}  ({})\n\n", file.machine.name, file.file) : "";
  return head + render(table, format);
}

std::string machine_yaml(const std::string& machine, const std::vector<std::string>& overrides) {
  MachineFile file = config::read_machine(machine, overrides);
  for (Setting& setting : file.settings)
    if (setting.key == "libraries") setting.value = with_whole_paths(setting.value);
  return fmt::format("# {}, complete, by tcsim machine show -f yaml\n",
                     std::filesystem::path(file.file).filename().string()) +
         config::machine_text(file.settings);
}

std::string new_machine(const NewMachine& machine) {
  const MachineFile base = config::read_machine(machine.base, machine.overrides);
  std::vector<Setting> changed;
  std::string description = quoted(fmt::format("{}, after {}", machine.name, base.machine.name));
  for (const Setting& setting : base.settings) {
    if (setting.set == 0) continue;
    if (setting.key == "name")
      throw config::ConfigError(
          {fmt::format("--set #{}: name: the machine's name is {}, the word after machine new",
                       setting.set, machine.name)});
    if (setting.key == "description") {
      description = quoted(setting.value);
      continue;
    }
    changed.push_back(setting);
    changed.back().set = 0;
    changed.back().source = "assumption: as given to tcsim machine new";
  }
  return fmt::format(
             "# Has only what differs from {0}; give each value its source after a #.\n"
             "# tcsim machine explain lists the keys, tcsim machine show {1}.yaml the values.\n"
             "base: {2}\nname: {3}\ndescription: {4}\n",
             machine.base, machine.name, quoted(machine.base), quoted(machine.name), description) +
         config::machine_text(changed);
}

std::string explain_all(Format format) {
  const std::vector<Explained> rows = all_explained();
  if (format != Format::kJson) return render(explained_table(rows), format);
  Json json = Json::array();
  for (const Explained& row : rows) json.push_back(explained_json(row));
  return dump(json);
}

std::string explain_key(const std::string& key, Format format) {
  const std::vector<Explained> rows = all_explained();
  const std::string pattern = pattern_of(key);
  const auto exact = std::find_if(rows.begin(), rows.end(),
                                  [&](const Explained& row) { return row.path == pattern; });
  if (exact != rows.end() && key != config::kInstructionsPath) {
    if (pattern != key) require_mma(key, mnemonic_of(key));
    return explain_one(*exact, key, format);
  }
  std::vector<Explained> below;
  for (const Explained& row : rows)
    if (row.path == key || row.path.starts_with(key + ".")) below.push_back(row);
  if (below.empty()) refuse_key(key);
  if (format == Format::kJson) {
    Json json = Json::array();
    for (const Explained& row : below) json.push_back(explained_json(row));
    return dump(json);
  }
  return render(explained_table(below), format);
}

std::string explain_instruction(const std::string& mnemonic,
                                const std::vector<std::string>& machines,
                                const std::vector<std::string>& overrides, Format format) {
  require_mma("machine explain", mnemonic);
  std::string text;
  Json json = Json::array();
  Table table{{"machine", "quantity", "value"}, {}};
  for (const std::string& name : machines.empty() ? config::machine_names() : machines) {
    const config::Machine machine = config::load_machine(name, overrides);
    const std::string calculation = calculation_text(machine, mnemonic);
    if (calculation.empty() && machines.empty()) continue;
    if (calculation.empty())
      throw config::ConfigError({fmt::format(
          "machine explain: {} has no {}; tcsim machine show {} lists its instructions",
          machine.name, mnemonic, name)});
    text += (text.empty() ? "" : "\n") + calculation;
    Json row = derivation_json(machine, mnemonic);
    add_quantities(machine.name, "", row, table);
    row["machine"] = machine.name;
    json.push_back(std::move(row));
  }
  if (json.empty())
    throw config::ConfigError({fmt::format("machine explain: no machine has {}", mnemonic)});
  if (format == Format::kText) return text;
  return format == Format::kJson ? dump(json) : render(table, format);
}

std::string diff_machines(const std::string& a, const std::string& b, Format format) {
  const std::vector<Setting> left = config::read_machine(a).settings;
  const std::vector<Setting> right = config::read_machine(b).settings;
  std::map<std::string, const Setting*> by_key;
  for (const Setting& setting : right) by_key[setting.key] = &setting;
  Table table{{"key", a, b, "unit"}, {}};
  Json json = Json::array();
  const auto add = [&](const Setting* one, const Setting* other) {
    const Setting& any = one != nullptr ? *one : *other;
    table.rows.push_back({any.key, one != nullptr ? one->value : "-",
                          other != nullptr ? other->value : "-", any.unit});
    json.push_back({{"key", any.key},
                    {"a", one != nullptr ? json_value(*one) : Json()},
                    {"b", other != nullptr ? json_value(*other) : Json()},
                    {"unit", any.unit}});
  };
  for (const Setting& setting : left) {
    const auto found = by_key.find(setting.key);
    const Setting* other = found == by_key.end() ? nullptr : found->second;
    if (other == nullptr || other->value != setting.value) add(&setting, other);
    if (other != nullptr) by_key.erase(found);
  }
  // Instructions that only the second machine has, in the order of its file.
  for (const Setting& setting : right)
    if (by_key.contains(setting.key)) add(nullptr, &setting);
  if (format == Format::kJson) return dump({{"a", a}, {"b", b}, {"differences", json}});
  if (table.rows.empty() && format == Format::kText)
    return fmt::format("{} and {} agree in every key\n", a, b);
  return render(table, format);
}

}  // namespace tcsim::cli
