#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/config/mistakes.hpp"

namespace tcsim::config {

struct TreeEntry;

/// A YAML node as written: duplicate keys kept, nothing converted.
struct TreeNode {
  enum class Kind { kNothing, kText, kList, kMapping };

  Kind kind = Kind::kNothing;
  std::string text;     ///< kText
  bool quoted = false;  ///< kText
  Place place;
  std::vector<TreeNode> items;     ///< kList
  std::vector<TreeEntry> entries;  ///< kMapping
};

/// One key of a mapping.
struct TreeEntry {
  TreeNode name;
  TreeNode value;
};

/// A parsed file and the comment at the end of each of its lines ("" if none), first line at index
/// 0.
struct TreeFile {
  TreeNode root;
  std::vector<std::string> comments;
};

/// Parses `text`. Syntax errors and tabs used as indentation throw ConfigError at once, since
/// nothing after them can be trusted; a second document is recorded in `mistakes`. `file` names the
/// text in messages.
TreeFile parse_yaml(const std::string& file, const std::string& text, Mistakes& mistakes);

/// Parses the value that a --set option gives a key; nothing if it is not one YAML value, and then
/// `refuse` receives the reason.
std::optional<TreeNode> parse_yaml_value(
    const std::string& text, const Place& place,
    const std::function<void(const std::string& reason)>& refuse);

/// The content of `node`, for messages: 'text', "[1, 2]", "a mapping" or "nothing".
std::string describe(const TreeNode& node);

}  // namespace tcsim::config
