#include "sim/config/key_tree.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "models/isa/opcode.hpp"
#include "sim/files/nearest.hpp"

namespace tcsim::config {
namespace {

std::string joined(std::string_view parent, std::string_view name) {
  return parent.empty() ? std::string(name) : fmt::format("{}.{}", parent, name);
}

std::vector<std::string_view> instruction_key_names() {
  std::vector<std::string_view> names;
  for (const InstructionKey& key : instruction_keys()) names.push_back(key.name);
  return names;
}

bool is_instruction_path(std::string_view path) {
  return path.starts_with(kInstructionsPath) && path.size() > kInstructionsPath.size() &&
         path[kInstructionsPath.size()] == '.';
}

/// The mnemonic in `path` of a key of an instruction; empty if that is no such path.
std::string mnemonic_in(std::string_view path) {
  if (!is_instruction_path(path)) return {};
  const std::string_view below = path.substr(kInstructionsPath.size() + 1);
  for (const std::string_view name : instruction_key_names())
    if (const std::string end = fmt::format(".{}", name); below.ends_with(end))
      return std::string(below.substr(0, below.size() - end.size()));
  return {};
}

bool is_mma(const std::string& mnemonic) {
  const auto opcode = isa::parse_opcode(mnemonic);
  return opcode && isa::is_mma(*opcode);
}

/// Why `path` of a --set names nothing; `listed` are the paths of the listed instructions.
std::string why_unknown(const std::string& path, const std::vector<std::string>& listed) {
  const std::string mnemonic = mnemonic_in(path);
  if (mnemonic.empty()) return "unknown key" + suggest_path(path, {listed.begin(), listed.end()});
  if (!is_mma(mnemonic)) return unknown_mma(mnemonic);
  return fmt::format("the machine has no {1}; {0}.{1}.latency_cycles={2} adds it",
                     kInstructionsPath, mnemonic, kDerived);
}

/// Where `value` is reported: one that is left out is found at the next token, lines away.
const Place& place_of(const TreeNode& name, const TreeNode& value) {
  return value.kind == TreeNode::Kind::kNothing ? name.place : value.place;
}

}  // namespace

std::string suggest_key(std::string_view parent, std::string_view name) {
  std::string near = files::did_you_mean(name, children(parent));
  if (!near.empty()) return near;
  for (const Key& key : keys())
    if (key.path.substr(key.path.rfind('.') + 1) == name)
      return fmt::format("; did you mean \"{}\"?", key.path);
  return {};
}

std::string suggest_path(std::string_view path, const std::vector<std::string_view>& more) {
  const std::size_t dot = path.rfind('.');
  const std::string_view last = path.substr(dot + 1);
  for (const Key& key : keys())
    if (key.path.substr(key.path.rfind('.') + 1) == last)
      return fmt::format("; did you mean \"{}\"?", key.path);
  std::vector<std::string_view> known = more;
  for (const Key& key : keys()) known.push_back(key.path);
  return files::did_you_mean(path, known);
}

KeyTree::KeyTree(const TreeNode& root, Mistakes& mistakes) : mistakes_(mistakes) { overlay(root); }

void KeyTree::overlay(const TreeNode& root) {
  if (root.kind == TreeNode::Kind::kMapping) {
    walk(root, "");
    return;
  }
  mistakes_.add({1, 1, 0, root.place.base}, "",
                fmt::format("expected a mapping with the keys {}; got {}",
                            fmt::join(children(""), ", "), describe(root)));
  broken_.insert("");
}

bool KeyTree::accept_name(const TreeNode& name, const std::string& parent,
                          std::map<std::string, int>& first_lines) {
  if (name.kind != TreeNode::Kind::kText) {
    mistakes_.add(name.place, parent, fmt::format("a key must be a word; got {}", describe(name)));
    return false;
  }
  const std::string path = joined(parent, name.text);
  if (name.text == "<<") {
    mistakes_.add(name.place, path, "merge keys are not supported; write the keys out");
    return false;
  }
  const auto [first, is_new] = first_lines.emplace(name.text, name.place.line);
  if (!is_new)
    mistakes_.add(name.place, path, fmt::format("given twice, first at line {}", first->second));
  return is_new;
}

bool KeyTree::expect_mapping(const TreeNode& name, const TreeNode& value, const std::string& path,
                             const std::vector<std::string_view>& names) {
  seen_.insert_or_assign(path, name.place);
  if (value.kind == TreeNode::Kind::kMapping) return true;
  mistakes_.add(place_of(name, value), path,
                fmt::format("expected a mapping with the keys {}; got {}", fmt::join(names, ", "),
                            describe(value)));
  broken_.insert(path);
  return false;
}

void KeyTree::walk(const TreeNode& mapping, const std::string& path) {
  std::map<std::string, int> first_lines;
  for (const auto& [name, value] : mapping.entries) {
    if (!accept_name(name, path, first_lines)) continue;
    if (name.text.find('.') == std::string::npos)
      walk_value(joined(path, name.text), name, value);
    else  // joined, it could be the path of a key that is also given below its section
      mistakes_.add(name.place, joined(path, name.text),
                    "unknown key; write the names of a path as nested mappings");
  }
}

void KeyTree::add_value(const std::string& path, const TreeNode& name, const TreeNode& value) {
  TreeNode& added = values_[path];
  added = value;
  added.place = place_of(name, value);
}

void KeyTree::walk_value(const std::string& path, const TreeNode& name, const TreeNode& value) {
  if (is_section(path)) {
    if (expect_mapping(name, value, path, children(path))) walk(value, path);
  } else if (path == kInstructionsPath) {
    if (expect_mapping(name, value, path, {"of MMA mnemonics"})) walk_instructions(value);
  } else if (find_key(path) != nullptr) {
    add_value(path, name, value);
  } else {
    const std::size_t dot = path.size() - name.text.size();
    const std::string_view parent = dot == 0 ? "" : std::string_view(path).substr(0, dot - 1);
    mistakes_.add(name.place, path, "unknown key" + suggest_key(parent, name.text));
  }
}

void KeyTree::walk_instructions(const TreeNode& mapping) {
  std::map<std::string, int> first_lines;
  const std::string parent(kInstructionsPath);
  for (const auto& [name, value] : mapping.entries) {
    if (!accept_name(name, parent, first_lines)) continue;
    const std::string path = joined(parent, name.text);
    if (!is_mma(name.text)) {
      mistakes_.add(name.place, path, unknown_mma(name.text));
      continue;
    }
    if (std::ranges::find(instructions_, name.text) == instructions_.end())
      instructions_.push_back(name.text);
    if (expect_mapping(name, value, path, instruction_key_names())) walk_instruction(path, value);
  }
}

void KeyTree::walk_instruction(const std::string& path, const TreeNode& mapping) {
  std::map<std::string, int> first_lines;
  const std::vector<std::string_view> names = instruction_key_names();
  for (const auto& [name, value] : mapping.entries) {
    if (!accept_name(name, path, first_lines)) continue;
    if (std::find(names.begin(), names.end(), name.text) == names.end())
      mistakes_.add(name.place, joined(path, name.text),
                    "unknown key" + files::did_you_mean(name.text, names));
    else
      add_value(joined(path, name.text), name, value);
  }
}

std::vector<std::string> KeyTree::instruction_paths() const {
  std::vector<std::string> paths;
  for (const std::string& mnemonic : instructions_)
    for (const std::string_view name : instruction_key_names())
      paths.push_back(fmt::format("{}.{}.{}", kInstructionsPath, mnemonic, name));
  return paths;
}

void KeyTree::add_instruction(const std::string& path, const Place& place) {
  const std::string mnemonic = mnemonic_in(path);
  if (!is_mma(mnemonic) || std::ranges::find(instructions_, mnemonic) != instructions_.end())
    return;
  instructions_.push_back(mnemonic);
  seen_[joined(kInstructionsPath, mnemonic)] = place;
}

void KeyTree::apply_override(const std::string& text, int number) {
  const Place place{0, 0, number};
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    mistakes_.add(place, "", fmt::format("expected key.path=value, got '{}'", text));
    return;
  }
  const std::string path = text.substr(0, equals);
  const auto [first, is_new] = override_numbers_.emplace(path, number);
  if (!is_new) {
    mistakes_.add(place, path, fmt::format("given twice, first in --set #{}", first->second));
    return;
  }
  if (is_section(path) || path == kInstructionsPath) {
    mistakes_.add(place, path, "is a mapping; set the keys in it one by one");
    return;
  }
  if (text.substr(equals + 1) == kDerived) add_instruction(path, place);
  const std::vector<std::string> of_instructions = instruction_paths();
  const bool is_known = is_instruction_path(path)
                            ? std::ranges::find(of_instructions, path) != of_instructions.end()
                            : find_key(path) != nullptr;
  if (!is_known) {
    mistakes_.add(place, path, why_unknown(path, of_instructions));
    return;
  }
  const auto refuse = [&](const std::string& reason) { mistakes_.add(place, path, reason); };
  if (auto value = parse_yaml_value(text.substr(equals + 1), place, refuse)) values_[path] = *value;
}

const TreeNode* KeyTree::find(const std::string& path) const {
  const auto found = values_.find(path);
  return found == values_.end() ? nullptr : &found->second;
}

bool KeyTree::in_broken_section(std::string_view path) const {
  if (broken_.contains("")) return true;
  for (std::size_t dot = path.find('.'); dot != std::string_view::npos;
       dot = path.find('.', dot + 1))
    if (broken_.contains(std::string(path.substr(0, dot)))) return true;
  return false;
}

}  // namespace tcsim::config
