#include "sim/config/machine_reader.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <type_traits>
#include <utility>

#include "models/isa/opcode.hpp"
#include "models/sm/tensor_core.hpp"
#include "sim/config/derived_settings.hpp"
#include "sim/config/key_tree.hpp"
#include "sim/config/machine_checks.hpp"
#include "sim/config/named_files.hpp"
#include "sim/config/number.hpp"
#include "sim/config/numerics.hpp"
#include "sim/config/schema.hpp"
#include "sim/config/value_reader.hpp"
#include "workloads/kernels/library.hpp"

namespace tcsim::config {
namespace {

constexpr std::string_view kArchitecture = "architecture";
constexpr std::string_view kLibraries = "libraries";

/// ["A100", "A100-PCIE"], which reads as JSON and as YAML.
std::string json_list(const std::vector<std::string>& texts) {
  std::vector<std::string> quoted;
  for (const std::string& text : texts)
    quoted.push_back(
        nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  return fmt::format("[{}]", fmt::join(quoted, ", "));
}

std::string text_of(const std::optional<int>& derivable) {
  return derivable ? std::to_string(*derivable) : std::string(kDerived);
}

/// Converts the values of a KeyTree into a Machine.
class MachineReader {
 public:
  MachineReader(const std::string& file, const std::string& text,
                const std::vector<std::string>& overrides, PresetLookup preset,
                const BaseLookup& bases)
      : preset_(std::move(preset)),
        mistakes_(file),
        chain_(file, text, "machine", bases, mistakes_),
        tree_(chain_.files().back().root, mistakes_),
        values_([this](const Place& place, std::string_view path, const std::string& reason) {
          mistakes_.add(place, path, reason);
        }) {
    result_.file = file;
    for (std::size_t i = chain_.files().size() - 1; i-- > 0;) tree_.overlay(chain_.files()[i].root);
    if (chain_.has_base()) drop_identity();
    for (std::size_t i = 0; i < overrides.size(); ++i)
      tree_.apply_override(overrides[i], static_cast<int>(i) + 1);
  }

  MachineFile read() {
    for (const Key& key : keys()) read_key(key);
    for (const MachineCheck& check : machine_checks()) run(check);
    mistakes_.finish();
    resolve_derived(result_.machine, result_.settings);
    return std::move(result_);
  }

  NumericsFile read_numerics() {
    const bool has_architecture = tree_.find(std::string(kArchitecture)) != nullptr;
    for (const Key& key : keys())
      if (key.path.starts_with("numerics.") || (has_architecture && key.path == kArchitecture))
        read_key(key);
    for (const MachineCheck& check : numerics_checks()) run(check);
    Machine& machine = result_.machine;
    if (!has_architecture && !chain_.lacks_base() && machine.numerics.base == kArchitecture) {
      std::vector<std::string_view> words = allowed_words(*find_key("numerics.base"));
      std::erase(words, kArchitecture);
      mistakes_.add(enclosing_place("numerics.base"), "numerics.base",
                    fmt::format("missing; must be one of {} if the file has no architecture",
                                fmt::join(words, ", ")));
    }
    mistakes_.finish();
    return {machine.architecture, machine.numerics};
  }

 private:
  /// A machine that builds on another one is not that one: it has a name of its own, and tables of
  /// measurements mean it by what it says itself.
  void drop_identity() {
    const TreeNode* const name = tree_.find("name");
    if (name != nullptr && name->place.base > 0)
      mistakes_.add(enclosing_place("name"), "name",
                    "missing; a machine with a base needs its own name");
    const std::string measured_as = "descriptive.measured_as";
    const TreeNode* const boards = tree_.find(measured_as);
    if (boards == nullptr || boards->place.base == 0) return;
    TreeNode none;
    none.kind = TreeNode::Kind::kList;
    tree_.replace(measured_as, std::move(none));
  }

  void read_key(const Key& key) {
    const std::string path(key.path);
    if (path == kInstructionsPath) {
      read_instructions(path);
      return;
    }
    const TreeNode* node = tree_.find(path);
    const TreeNode left_out = text_node(std::string(key.fallback), {});
    if (node == nullptr && !key.fallback.empty() && !tree_.in_broken_section(path))
      node = &left_out;
    if (node == nullptr) {
      report_missing(path);
      return;
    }
    if (values_.read(*node, key, result_.machine)) {
      if (path == kLibraries && node->place.set == 0) find_libraries(node->place);
      good_.emplace(path, node->place);
      record(path, *node, key.unit, key.descriptive(), canonical(key));
    }
  }

  /// Paths in a file are relative to its folder.
  void find_libraries(const Place& place) {
    for (std::string& word : result_.machine.libraries)
      if (is_path(word)) word = path_beside(chain_.name_of(place.base), word);
  }

  /// "missing" once for a key, or once for the outermost section that is absent as a whole.
  void report_missing(const std::string& path) {
    if (chain_.lacks_base() || tree_.in_broken_section(path)) return;
    for (std::size_t dot = path.find('.'); dot != std::string::npos;
         dot = path.find('.', dot + 1)) {
      const std::string section = path.substr(0, dot);
      if (!is_section(section) || tree_.has_section(section)) continue;
      if (missing_sections_.insert(section).second)
        mistakes_.add(
            enclosing_place(section), section,
            fmt::format("missing; a mapping with the keys {}", fmt::join(children(section), ", ")));
      return;
    }
    const TreeNode* const architecture = tree_.find("architecture");
    const auto shipped =
        preset_ ? preset_(path, architecture != nullptr ? architecture->text : "") : std::nullopt;
    mistakes_.add(
        enclosing_place(path), path,
        shipped ? fmt::format("missing; the {} preset has {}", shipped->machine, shipped->value)
                : "missing");
  }

  /// Where the mapping stands that `path` belongs in; the file's own if it is not given.
  Place enclosing_place(const std::string& path) {
    const std::size_t dot = path.rfind('.');
    return dot == std::string::npos || !tree_.has_section(path.substr(0, dot))
               ? chain_.files().front().root.place
               : tree_.section_place(path.substr(0, dot));
  }

  void read_instructions(const std::string& path) {
    if (!tree_.has_section(path)) {
      report_missing(path);
      return;
    }
    sm::TensorParams& tensor = result_.machine.sm.tensor;
    bool good = !tree_.in_broken_section(path + ".");
    for (const std::string& mnemonic : tree_.instructions()) {
      sm::TensorInstructionParams row{*isa::parse_opcode(mnemonic), {}, {}};
      const std::string prefix = fmt::format("{}.{}", path, mnemonic);
      for (const InstructionKey& key : instruction_keys())
        good = read_instruction_key(prefix, key, row) && good;
      tensor.instructions.push_back(row);
    }
    // A machine without tensor cores has none of the instructions that its base may list.
    if (good_.contains("sm.tensor.cores_per_sub_core") && tensor.cores_per_sub_core == 0) {
      tensor.instructions.clear();
      std::erase_if(result_.settings, [&](const Setting& setting) {
        return setting.key.starts_with(path + ".") && setting.set == 0;
      });
    }
    if (good) good_.emplace(path, tree_.section_place(path));
  }

  bool read_instruction_key(const std::string& mnemonic_path, const InstructionKey& key,
                            sm::TensorInstructionParams& row) {
    const std::string path = fmt::format("{}.{}", mnemonic_path, key.name);
    const TreeNode* node = tree_.find(path);
    const TreeNode left_out = text_node(std::string(kDerived), tree_.section_place(mnemonic_path));
    if (node == nullptr) node = &left_out;
    if (!values_.read_derivable(*node, path, {key.unit, key.min, key.max}, row.*key.field))
      return false;
    record(path, *node, key.unit, false, text_of(row.*key.field));
    return true;
  }

  std::string canonical(const Key& key) {
    return std::visit(
        [&](auto slot) -> std::string {
          const auto& value = slot(result_.machine);
          using Value = std::decay_t<decltype(value)>;
          if constexpr (std::is_same_v<Value, std::string>)
            return value;
          else if constexpr (std::is_same_v<Value, std::optional<int>>)
            return text_of(value);
          else if constexpr (std::is_same_v<Value, sm::CoreShape>)
            return to_string(value);
          else if constexpr (std::is_same_v<Value, double>)
            return number_text(value);
          else if constexpr (std::is_integral_v<Value>)
            return std::to_string(value);
          else if constexpr (std::is_same_v<Value, std::vector<sm::TensorInstructionParams>>)
            return {};
          else if constexpr (std::is_same_v<Value, std::vector<std::string>>)
            return json_list(value);
          else
            return fmt::format("[{}]", fmt::join(value, ", "));
        },
        key.slot);
  }

  void record(const std::string& path, const TreeNode& node, std::string_view unit,
              bool descriptive, std::string value) {
    const Key* key = find_key(path);
    Setting setting;
    setting.key = path;
    setting.value = std::move(value);
    setting.is_text = setting.value == kDerived ||
                      (key != nullptr && (kind_name(*key) == "text" || kind_name(*key) == "shape"));
    setting.unit = unit;
    setting.line = node.place.line;
    setting.column = node.place.column;
    setting.set = node.place.set;
    setting.descriptive = descriptive;
    const auto& comments = chain_.files().at(static_cast<std::size_t>(node.place.base)).comments;
    const auto index = static_cast<std::size_t>(node.place.line) - 1;
    if (node.place.base > 0) setting.base = chain_.name_of(node.place.base);
    if (node.place.set == 0)
      setting.source = index < comments.size() ? comments[index] : "left out";
    result_.settings.push_back(std::move(setting));
  }

  void run(const MachineCheck& check) {
    std::set<int> overrides;
    for (const std::string& key : check.keys) {
      const auto found = good_.find(key);
      if (found == good_.end()) return;
      if (found->second.set > 0) overrides.insert(found->second.set);
    }
    std::string problem = check.problem(result_.machine);
    if (problem.empty()) return;
    const Place& place = good_.at(check.keys.front());
    if (place.set == 0 && !overrides.empty())
      problem += fmt::format(" (with --set #{})", fmt::join(overrides, ", #"));
    mistakes_.add(place, check.keys.front(), problem);
  }

  PresetLookup preset_;
  Mistakes mistakes_;
  BaseChain chain_;
  KeyTree tree_;
  ValueReader values_;
  MachineFile result_{};
  std::map<std::string, Place> good_;
  std::set<std::string> missing_sections_;
};

const TreeNode* descend(const TreeNode& root, std::string_view key) {
  for (const auto& [name, value] : root.entries) {
    if (name.text == key) return &value;
    // Mnemonics hold dots, so a name may be several words of the path.
    if (key.starts_with(name.text) && key.size() > name.text.size() && key[name.text.size()] == '.')
      if (const TreeNode* found = descend(value, key.substr(name.text.size() + 1))) return found;
  }
  return nullptr;
}

/// The libraries that `machine` names. Where the files of others are makes no difference.
std::string named_libraries(const Machine& machine) {
  std::vector<std::string> names = machine.libraries;
  std::erase_if(names, is_path);
  return json_list(names);
}

/// Whether a machine reads alike without the setting.
bool is_left_out(const Setting& setting) {
  const Key* key = find_key(setting.key);
  if (key == nullptr || key->fallback.empty()) return false;
  return setting.value == key->fallback || (setting.derived && key->fallback == kDerived);
}

}  // namespace

MachineFile read_machine_text(const std::string& file, const std::string& text,
                              const std::vector<std::string>& overrides, const PresetLookup& preset,
                              const BaseLookup& bases) {
  return MachineReader(file, text, overrides, preset, bases).read();
}

NumericsFile read_numerics_text(const std::string& file, const std::string& text,
                                const BaseLookup& bases) {
  return MachineReader(file, text, {}, {}, bases).read_numerics();
}

std::optional<std::string> written_value(const std::string& text, std::string_view key) {
  Mistakes ignored("");
  const TreeFile file = parse_yaml("", text, ignored);
  const TreeNode* node = descend(file.root, key);
  if (node == nullptr) return {};
  if (node->kind == TreeNode::Kind::kText) return node->text;
  if (node->kind == TreeNode::Kind::kList) return describe(*node);
  return {};
}

std::string canonical_text(const MachineFile& file) {
  std::string text;
  for (const Setting& setting : file.settings) {
    if (setting.descriptive || is_left_out(setting)) continue;
    const std::string value =
        setting.key == kLibraries ? named_libraries(file.machine) : setting.value;
    text += fmt::format("{} {}\n", setting.key, value);
  }
  for (const auto& library : file.machine.kernel_libraries)
    text += fmt::format("library.{} {}\n", library->name, library->identity);
  return text;
}

}  // namespace tcsim::config
