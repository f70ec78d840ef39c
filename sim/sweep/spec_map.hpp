#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/mistakes.hpp"
#include "sim/config/yaml_tree.hpp"
#include "sim/sweep/spec.hpp"

namespace tcsim::sweep {

/// A mapping of a SPEC that is asked for its keys one by one and then refuses what nobody asked
/// for. Getters record a mistake and go on.
class SpecMap {
 public:
  /// `path` names the mapping in messages; "" is the whole file.
  SpecMap(const config::TreeNode& node, std::string path, config::Mistakes& mistakes);

  /// The value of `key`, or null.
  const config::TreeNode* find(std::string_view key);
  /// "" if absent; a mistake if `required`.
  std::string text(std::string_view key, bool required);
  std::optional<double> number(std::string_view key, double least, double most = 1e15);
  std::int64_t whole_number(std::string_view key, std::int64_t absent, std::int64_t least);
  /// The items of a list; a value that is no list is a mistake.
  std::vector<config::TreeNode> list(std::string_view key);
  /// The entries of a mapping of names to plain values.
  std::vector<NamedText> names(std::string_view key);

  [[nodiscard]] std::string path_of(std::string_view key) const;
  [[nodiscard]] const config::Place& place() const { return place_; }
  void mistake(const config::Place& place, std::string_view key, const std::string& reason);

  /// Refuses keys that were not asked for, with the nearest of those that were.
  void finish();

 private:
  const config::TreeNode& node_;
  std::string path_;
  config::Place place_;
  config::Mistakes& mistakes_;
  std::vector<std::string> asked_;
};

/// The entries of `node`, a mapping of names to plain values.
std::vector<NamedText> named_texts(const config::TreeNode& node, const std::string& path,
                                   config::Mistakes& mistakes);

}  // namespace tcsim::sweep
