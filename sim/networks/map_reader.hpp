#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/mistakes.hpp"
#include "sim/config/yaml_tree.hpp"

namespace tcsim::networks {

/// Values that stand for "$name" in the layers of a block.
using Parameters = std::map<std::string, std::string, std::less<>>;

/// A mapping of a network file that is asked for its keys one by one and then refuses what nobody
/// asked for. Getters record a mistake and go on with the default.
class MapReader {
 public:
  /// `what` names the mapping in messages. A node that is no mapping is a mistake.
  MapReader(const config::TreeNode& node, std::string what, const Parameters& parameters,
            config::Mistakes& mistakes);

  /// The value of `key`, or null.
  const config::TreeNode* find(std::string_view key);
  /// Plain text, parameters put in; nothing if absent, which is a mistake if `required`.
  std::optional<std::string> text(std::string_view key, bool required = false);
  /// A whole number of [least, most]; without a default the key must be there.
  std::int64_t number(std::string_view key, std::optional<std::int64_t> absent, std::int64_t least,
                      std::int64_t most);
  bool flag(std::string_view key, bool absent);
  /// The items of a list, or of one plain value; empty if absent.
  std::vector<std::string> texts(std::string_view key);

  [[nodiscard]] config::Place place_of(std::string_view key) const;
  [[nodiscard]] const config::Place& place() const { return place_; }
  void mistake(const config::Place& place, std::string_view key, const std::string& reason);
  /// Refuses keys that were not asked for, with the nearest of those that were.
  void finish();

 private:
  std::optional<std::string> resolved(const config::TreeNode& node, std::string_view key);

  const config::TreeNode& node_;
  std::string what_;
  const Parameters& parameters_;
  config::Mistakes& mistakes_;
  config::Place place_;
  std::vector<std::string> asked_;
};

}  // namespace tcsim::networks
