#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/mistakes.hpp"
#include "sim/config/yaml_tree.hpp"

namespace tcsim::config {

/// A mapping of a YAML file. It is asked for its keys one by one and then refuses keys that were
/// not asked for. Getters record a mistake at the place of the value and continue with the default
/// of an absent key, or with the least value or first word that is allowed. The node must outlive
/// it.
class StrictMap {
 public:
  /// `path` names the mapping in messages, "" the file. A node that is not a mapping, keys that are
  /// not words and keys given twice are mistakes.
  StrictMap(const TreeNode& node, std::string path, Mistakes& mistakes);

  [[nodiscard]] Mistakes& mistakes() const { return mistakes_; }
  [[nodiscard]] const Place& place() const { return place_; }
  [[nodiscard]] std::string path_of(std::string_view key) const;
  /// Where the value of `key` is; the mapping's own place if it has none.
  [[nodiscard]] Place place_of(std::string_view key) const;
  void mistake(const Place& place, std::string_view key, const std::string& reason);
  /// True as long as the mapping itself has no mistake.
  [[nodiscard]] bool is_sound() const { return is_sound_; }

  /// The value of `key`, or null, which is a mistake if the key is `required`.
  const TreeNode* find(std::string_view key, bool required = false);
  /// The mapping at `key`.
  std::optional<StrictMap> section(std::string_view key, bool required = true);
  /// Text, not empty if `required`; "" if absent.
  std::string text(std::string_view key, bool required = true);
  /// A whole number of [least, most]; the key may be left out if it has a default.
  std::int64_t integer(std::string_view key, std::int64_t least, std::int64_t most,
                       std::optional<std::int64_t> absent = {});
  double number(std::string_view key, double least, double most, std::optional<double> absent = {});
  bool flag(std::string_view key, std::optional<bool> absent = {});
  /// Index of the word in `words`.
  std::size_t word(std::string_view key, const std::vector<std::string_view>& words,
                   std::optional<std::size_t> absent = {});
  /// Indices of a list of words, each at most once, at least one.
  std::vector<std::size_t> words(std::string_view key, const std::vector<std::string_view>& words);
  /// Whole numbers that ascend, at least one.
  std::vector<int> integers(std::string_view key, int least, int most);
  /// Numbers joined by letters 'x', as "128x64"; nothing and a mistake if there are not `count`.
  std::vector<int> sizes(std::string_view key, std::size_t count, bool required = true);
  /// The items of a list, which must not be empty; none if absent.
  std::span<const TreeNode> list(std::string_view key, bool required = false);
  /// The texts of a list, or one text.
  std::vector<std::string> texts(std::string_view key, bool required = false);

  /// Refuses keys that were not asked for, and names the most similar one that was.
  void finish();

 private:
  std::optional<std::string> plain(const TreeNode& node, std::string_view key,
                                   std::string_view wanted);
  std::optional<std::int64_t> integer_in(const TreeNode& node, std::string_view key,
                                         std::int64_t least, std::int64_t most);
  std::optional<std::size_t> index_in(const TreeNode& node, std::string_view key,
                                      const std::vector<std::string_view>& words);

  const TreeNode& node_;
  std::string path_;
  Place place_;
  Mistakes& mistakes_;
  std::vector<std::string> asked_;
  bool is_sound_ = true;
};

}  // namespace tcsim::config
