#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tcsim::config {

/// Whether `word` is a path, not a name: it has a slash or ends in .yaml or .yml.
bool is_path(std::string_view word);

/// `path`, which stands in `file`, relative to the folder of that file.
std::string path_beside(const std::string& file, const std::string& path);

/// Why a machine or a library may not have the key `name` as its name, which stands in lines of
/// text; empty if it may.
std::string name_problem(const std::string& name);

/// YAML files of one kind in a folder, which are requested by name or by path.
struct NamedFiles {
  std::filesystem::path folder;
  std::string_view kind;      ///< "machine"; for messages
  std::string_view kinds;     ///< "machines"; for messages
  std::string_view prefix{};  ///< before the word in messages, "net:"

  /// Names of the files in the folder (stems), sorted, but for hidden ones.
  [[nodiscard]] std::vector<std::string> names() const;
  /// Why `word` names no file; empty if it names one. A word with a slash or ending in .yaml or
  /// .yml is a path, which need not exist.
  [[nodiscard]] std::string why_none(const std::string& word) const;
  /// The file of `word`. Throws ConfigError if it names none.
  [[nodiscard]] std::filesystem::path file_of(const std::string& word) const;
};

}  // namespace tcsim::config
