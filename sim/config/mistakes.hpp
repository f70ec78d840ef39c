#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tcsim::config {

/// Where a value was written. `set` counts --set options from 1 and wins over line and column.
struct Place {
  int line = 0;    ///< from 1; 0: nowhere
  int column = 0;  ///< from 1
  int set = 0;
  int base = 0;  ///< of files that build on each other: 0 the last one, 1 its base, and so on
};

/// Collects every mistake of one file, so that the user sees all of them at once.
class Mistakes {
 public:
  explicit Mistakes(std::string file);

  /// Adds the base of the file that was added last; places refer to it by their `base`.
  void add_base(std::string file) { files_.push_back(std::move(file)); }

  /// Records `file:line:column: key: reason`; without the key part if the key is empty.
  void add(const Place& place, std::string_view key, const std::string& reason);

  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] std::size_t count() const { return entries_.size(); }

  /// Throws ConfigError with all mistakes, each once: first those of bases, by line, then those
  /// without a place, then those of --set. Does nothing if there are none.
  void finish() const;

 private:
  struct Entry {
    Place place;
    std::string message;
  };

  std::vector<std::string> files_;
  std::vector<Entry> entries_;
};

}  // namespace tcsim::config
