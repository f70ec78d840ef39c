#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/config/mistakes.hpp"
#include "sim/config/schema.hpp"
#include "sim/config/yaml_tree.hpp"

namespace tcsim::config {

/// The values of a machine file by key path, checked for everything that needs no conversion:
/// unknown keys, keys given twice, merge keys, values where a mapping belongs. Instruction values
/// have paths like "sm.tensor.instructions.HMMA.16816.F32.latency_cycles".
class KeyTree {
 public:
  KeyTree(const TreeNode& root, Mistakes& mistakes);

  /// Adds the values of the file `root`; they replace those of earlier files.
  void overlay(const TreeNode& root);

  /// The same for one value.
  void replace(const std::string& path, TreeNode value) { values_[path] = std::move(value); }

  /// Replaces the file's value by that of "key.path=value". `number` counts from 1.
  void apply_override(const std::string& text, int number);

  /// The value at `path`, or null.
  [[nodiscard]] const TreeNode* find(const std::string& path) const;

  /// Mnemonics listed under sm.tensor.instructions, in order.
  [[nodiscard]] const std::vector<std::string>& instructions() const { return instructions_; }

  /// True when a mapping was given at `path`, sound or not.
  [[nodiscard]] bool has_section(const std::string& path) const { return seen_.contains(path); }

  /// Where the name of the section stands. Requires has_section(path).
  [[nodiscard]] const Place& section_place(const std::string& path) const { return seen_.at(path); }

  /// True if `path` is inside a value that was given but is not a mapping, which is already
  /// reported.
  [[nodiscard]] bool in_broken_section(std::string_view path) const;

 private:
  /// Paths of the keys of the listed instructions, given or left out.
  [[nodiscard]] std::vector<std::string> instruction_paths() const;
  /// If `path`, set to derived, is a key of an MMA that the file does not list, lists that MMA.
  void add_instruction(const std::string& path, const Place& place);
  void walk(const TreeNode& mapping, const std::string& path);
  void walk_value(const std::string& path, const TreeNode& name, const TreeNode& value);
  void add_value(const std::string& path, const TreeNode& name, const TreeNode& value);
  void walk_instructions(const TreeNode& mapping);
  void walk_instruction(const std::string& mnemonic, const TreeNode& mapping);
  /// False, and a mistake, if the name of an entry occurs twice in its mapping or is a merge key.
  bool accept_name(const TreeNode& name, const std::string& parent,
                   std::map<std::string, int>& first_lines);
  bool expect_mapping(const TreeNode& name, const TreeNode& value, const std::string& path,
                      const std::vector<std::string_view>& names);

  Mistakes& mistakes_;
  std::map<std::string, TreeNode> values_;
  std::vector<std::string> instructions_;
  std::map<std::string, Place> seen_;
  std::set<std::string> broken_;
  std::map<std::string, int> override_numbers_;
};

/// "; did you mean ...?" for `name`, which section `parent` lacks: a similar key there, or a key
/// elsewhere.
std::string suggest_key(std::string_view parent, std::string_view name);

/// The same for a whole path that names nothing; `more` are valid paths beyond the keys.
std::string suggest_path(std::string_view path, const std::vector<std::string_view>& more);

}  // namespace tcsim::config
