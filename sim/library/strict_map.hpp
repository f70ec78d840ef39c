#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/mistakes.hpp"
#include "sim/config/yaml_tree.hpp"

namespace tcsim::library {

/// A mapping of a library file that is asked for its keys one by one and then refuses what nobody
/// asked for. Getters record a mistake at the place of the value and go on with `least` or the
/// first word.
class StrictMap {
 public:
  /// `path` names the mapping in messages, "" the file. A node that is no mapping is a mistake.
  StrictMap(const config::TreeNode& node, std::string path, config::Mistakes& mistakes);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] config::Mistakes& mistakes() const { return mistakes_; }
  [[nodiscard]] const config::Place& place() const { return node_.place; }
  [[nodiscard]] std::string path_of(std::string_view key) const;
  /// Where the value of `key` stands; the mapping's own place if it has none.
  [[nodiscard]] config::Place place_of(std::string_view key) const;
  void mistake(const config::Place& place, std::string_view key, const std::string& reason);
  /// True as long as the mapping itself has no mistake.
  [[nodiscard]] bool is_sound() const { return is_sound_; }

  /// The value of `key`, or null; a null is a mistake if the key is `required`.
  const config::TreeNode* find(std::string_view key, bool required = true);
  std::string text(std::string_view key, bool required = true);
  int integer(std::string_view key, int least, int most);
  double number(std::string_view key, double least, double most);
  bool flag(std::string_view key);
  /// Index of the word in `words`; with `absent` the key may be left out.
  std::size_t word(std::string_view key, const std::vector<std::string_view>& words,
                   std::optional<std::size_t> absent = {});
  /// Indices of a list of words, each at most once, at least one.
  std::vector<std::size_t> words(std::string_view key, const std::vector<std::string_view>& words);
  std::vector<int> integers(std::string_view key, int least, int most);
  /// Calls `item` for every item of a list that is not empty.
  void each(std::string_view key, const std::function<void(const config::TreeNode&)>& item);
  /// Numbers joined by letters 'x', as "128x64"; nothing and a mistake if there are not `count`.
  std::vector<int> sizes(std::string_view key, std::size_t count);

  /// Refuses keys that were not asked for, with the nearest of those that were.
  void finish();

 private:
  std::optional<std::string> plain(const config::TreeNode& node, std::string_view key,
                                   std::string_view wanted);
  std::optional<int> integer_in(const config::TreeNode& node, std::string_view key, int least,
                                int most);

  const config::TreeNode& node_;
  std::string path_;
  config::Mistakes& mistakes_;
  std::vector<std::string> asked_;
  bool is_sound_ = true;
};

}  // namespace tcsim::library
