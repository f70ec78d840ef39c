#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/errors/errors.hpp"
#include "sim/mma/position.hpp"

namespace tcsim::mma {

/// One line of a JSON-lines file that knows the positions of its values, for messages.
class JsonLine {
 public:
  /// Throws UsageError unless `text` is one JSON object.
  JsonLine(std::string text, std::string file, int line_number);

  /// The string at `key`, or empty if the key is absent. Throws if it is not a string.
  std::optional<std::string> string(const std::string& key) const;
  /// The integer at `key`, or empty if the key is absent. Throws if it is not an integer.
  std::optional<int> integer(const std::string& key) const;
  /// The strings at `key`. Throws if the key is absent or holds anything else.
  std::vector<std::string> strings(const std::string& key) const;

  /// An error at the value of `key`, or at the `index`-th string of its array.
  UsageError error(const std::string& key, const std::string& reason, int index = -1,
                   std::size_t offset = 0) const;
  NotCovered unsupported(const std::string& key, const std::string& reason) const;

 private:
  Position position(const std::string& key, int index, std::size_t offset) const;

  std::string text_;
  std::string file_;
  int line_number_;
  nlohmann::json object_;
};

}  // namespace tcsim::mma
