#include "sim/config/yaml_tree.hpp"

#include <fmt/core.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <sstream>
#include <string_view>

#include "sim/config/error.hpp"
#include "sim/config/tree_builder.hpp"
#include "sim/files/shown_text.hpp"

namespace tcsim::config {
namespace {

/// The text behind ` #` outside quotes, without blanks round it.
std::string comment_of(const std::string& line) {
  constexpr std::string_view kBeforeValues = ":,[{-?";
  char quote = 0;
  char before = kBeforeValues.front();  // the last character but for blanks
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0) {
      const bool is_escape = quote == '"' ? c == '\\' : c == quote && line.compare(i, 2, "''") == 0;
      if (is_escape)
        ++i;
      else if (c == quote)
        quote = 0;
    } else if ((c == '"' || c == '\'') && kBeforeValues.find(before) != std::string_view::npos) {
      quote = c;  // inside a word it is none
    } else if (c == '#' && (i == 0 || line[i - 1] == ' ')) {
      const std::size_t first = line.find_first_not_of("# ", i);
      if (first == std::string::npos) return {};
      return line.substr(first, line.find_last_not_of(" \r") - first + 1);
    }
    if (c != ' ') before = c;
  }
  return {};
}

void refuse_tabs(const std::string& file, const std::vector<std::string>& lines) {
  Mistakes tabs(file);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t first = lines[i].find_first_not_of(' ');
    if (first != std::string::npos && lines[i][first] == '\t')
      tabs.add({static_cast<int>(i) + 1, static_cast<int>(first) + 1, 0}, "",
               "a tab indents this line; YAML requires spaces");
  }
  tabs.finish();
}

/// What is wrong; yaml-cpp calls the file bad where it gives up.
std::string yaml_mistake(const YAML::Exception& error) {
  const bool is_deep = dynamic_cast<const YAML::DeepRecursion*>(&error) != nullptr;
  return is_deep ? "nested too deeply" : "not YAML: " + error.msg;
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
    std::istringstream yaml(text);
    YAML::Parser parser(yaml);
    TreeBuilder first;
    if (parser.HandleNextDocument(first)) result.root = std::move(first.root());
    TreeBuilder second;  // no more of them: a stray comma makes empty documents without end
    if (parser.HandleNextDocument(second))
      mistakes.add(second.root().place, "",
                   "a second document starts here; a file holds one document");
  } catch (const YAML::Exception& error) {
    Mistakes syntax(file);
    syntax.add(place_of(error.mark), "", yaml_mistake(error));
    syntax.finish();
  }
  return result;
}

std::optional<TreeNode> parse_yaml_value(
    const std::string& text, const Place& place,
    const std::function<void(const std::string& reason)>& refuse) {
  try {
    std::istringstream yaml(text);
    YAML::Parser parser(yaml);
    TreeBuilder builder;
    parser.HandleNextDocument(builder);
    TreeBuilder second;
    if (parser.HandleNextDocument(second)) {
      refuse(fmt::format("'{}' is more than one value", text));
      return {};
    }
    TreeNode node = std::move(builder.root());
    node.place = place;
    for (TreeNode& item : node.items) item.place = place;
    return node;
  } catch (const YAML::Exception& error) {
    refuse(fmt::format("'{}' is {}", text, yaml_mistake(error)));
  }
  return {};
}

std::string describe(const TreeNode& node) {
  switch (node.kind) {
    case TreeNode::Kind::kText:
      return files::shown(node.text);
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
