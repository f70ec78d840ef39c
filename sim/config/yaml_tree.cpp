#include "sim/config/yaml_tree.hpp"

#include <fmt/core.h>
#include <yaml-cpp/yaml.h>

#include <sstream>

#include "sim/config/error.hpp"

namespace tcsim::config {
namespace {

/// yaml-cpp counts lines and columns from zero.
Place place_of(const YAML::Mark& mark) {
  if (mark.is_null()) return {};
  return {mark.line + 1, mark.column + 1, 0};
}

TreeNode copy(const YAML::Node& node) {
  TreeNode result;
  result.place = place_of(node.Mark());
  switch (node.Type()) {
    case YAML::NodeType::Scalar:
      result.kind = TreeNode::Kind::kText;
      result.text = node.Scalar();
      result.quoted = node.Tag() == "!";
      break;
    case YAML::NodeType::Sequence:
      result.kind = TreeNode::Kind::kList;
      for (const auto& item : node) result.items.push_back(copy(item));
      break;
    case YAML::NodeType::Map:
      result.kind = TreeNode::Kind::kMapping;
      for (const auto& entry : node)
        result.entries.push_back({copy(entry.first), copy(entry.second)});
      break;
    case YAML::NodeType::Null:
    case YAML::NodeType::Undefined:
      break;
  }
  return result;
}

/// The text behind ` #` outside quotes, without blanks round it.
std::string comment_of(const std::string& line) {
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#' && (i == 0 || line[i - 1] == ' ')) {
      const std::size_t first = line.find_first_not_of("# ", i);
      if (first == std::string::npos) return {};
      return line.substr(first, line.find_last_not_of(" \r") - first + 1);
    }
  }
  return {};
}

void refuse_tabs(const std::string& file, const std::vector<std::string>& lines) {
  Mistakes tabs(file);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t first = lines[i].find_first_not_of(' ');
    if (first != std::string::npos && lines[i][first] == '\t')
      tabs.add({static_cast<int>(i) + 1, static_cast<int>(first) + 1, 0}, "",
               "a tab indents this line; YAML wants blanks");
  }
  tabs.finish();
}

}  // namespace

TreeFile parse_yaml(const std::string& file, const std::string& text, Mistakes& mistakes) {
  TreeFile result;
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  refuse_tabs(file, lines);
  for (const std::string& line : lines) result.comments.push_back(comment_of(line));
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(text);
    if (!documents.empty()) result.root = copy(documents.front());
    if (documents.size() > 1)
      mistakes.add(place_of(documents[1].Mark()), "",
                   "a second document starts here; a file holds one machine");
  } catch (const YAML::Exception& error) {
    Mistakes syntax(file);
    syntax.add(place_of(error.mark), "", "not YAML: " + error.msg);
    syntax.finish();
  }
  return result;
}

std::optional<TreeNode> parse_yaml_value(const std::string& text, const Place& place,
                                         std::string_view key, Mistakes& mistakes) {
  try {
    TreeNode node = copy(YAML::Load(text));
    node.place = place;
    for (TreeNode& item : node.items) item.place = place;
    return node;
  } catch (const YAML::Exception& error) {
    mistakes.add(place, key, fmt::format("'{}' is not YAML: {}", text, error.msg));
  }
  return {};
}

std::string describe(const TreeNode& node) {
  switch (node.kind) {
    case TreeNode::Kind::kText:
      return "'" + node.text + "'";
    case TreeNode::Kind::kList: {
      std::string list = "[";
      for (const TreeNode& item : node.items) {
        if (list.size() > 1) list += ", ";
        list += item.kind == TreeNode::Kind::kText ? item.text : describe(item);
      }
      return list + "]";
    }
    case TreeNode::Kind::kMapping:
      return "a mapping";
    case TreeNode::Kind::kNothing:
      break;
  }
  return "nothing";
}

}  // namespace tcsim::config
