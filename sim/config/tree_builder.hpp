#pragma once

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/mark.h>

#include <string>
#include <utility>
#include <vector>

#include "sim/config/yaml_tree.hpp"

namespace tcsim::config {

/// yaml-cpp counts lines and columns from zero.
Place place_of(const YAML::Mark& mark);

/// Makes a TreeNode from the events of one document. Aliases throw YAML::ParserException: a node
/// that holds itself, or many copies of a large one, would have no end.
class TreeBuilder : public YAML::EventHandler {
 public:
  [[nodiscard]] TreeNode& root() { return root_; }

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override;
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override;
  void OnMapEnd() override { close(); }

 private:
  /// A list or a mapping that is not closed yet; the key of a mapping waits for its value.
  struct Open {
    TreeNode node;
    std::vector<TreeNode> key;
  };

  void open(const YAML::Mark& mark, TreeNode::Kind kind);
  void close();
  void add(TreeNode node);

  TreeNode root_;
  std::vector<Open> open_;
};

}  // namespace tcsim::config
