#include "sim/config/tree_builder.hpp"

#include <yaml-cpp/exceptions.h>

namespace tcsim::config {

Place place_of(const YAML::Mark& mark) {
  if (mark.is_null()) return {};
  return {mark.line + 1, mark.column + 1, 0};
}

void TreeBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) {
  TreeNode node;
  node.place = place_of(mark);
  add(std::move(node));
}

void TreeBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) {
  throw YAML::ParserException(mark, "aliases are not supported; repeat the value");
}

void TreeBuilder::OnScalar(const YAML::Mark& mark, const std::string& tag,
                           YAML::anchor_t /*anchor*/, const std::string& value) {
  TreeNode node;
  node.kind = TreeNode::Kind::kText;
  node.place = place_of(mark);
  node.text = value;
  node.quoted = tag == "!";
  add(std::move(node));
}

void TreeBuilder::OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/,
                                  YAML::anchor_t /*anchor*/, YAML::EmitterStyle::value /*style*/) {
  open(mark, TreeNode::Kind::kList);
}

void TreeBuilder::OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/,
                             YAML::anchor_t /*anchor*/, YAML::EmitterStyle::value /*style*/) {
  open(mark, TreeNode::Kind::kMapping);
}

void TreeBuilder::open(const YAML::Mark& mark, TreeNode::Kind kind) {
  Open opened;
  opened.node.kind = kind;
  opened.node.place = place_of(mark);
  open_.push_back(std::move(opened));
}

void TreeBuilder::close() {
  TreeNode node = std::move(open_.back().node);
  open_.pop_back();
  add(std::move(node));
}

void TreeBuilder::add(TreeNode node) {
  if (open_.empty()) {
    root_ = std::move(node);
    return;
  }
  Open& parent = open_.back();
  if (parent.node.kind == TreeNode::Kind::kList) {
    parent.node.items.push_back(std::move(node));
  } else if (parent.key.empty()) {
    parent.key.push_back(std::move(node));
  } else {
    parent.node.entries.push_back({std::move(parent.key.front()), std::move(node)});
    parent.key.clear();
  }
}

}  // namespace tcsim::config
