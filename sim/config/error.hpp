#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace tcsim::config {

/// Mistakes of the user in a command, a machine file or a workload: exit status 2. One message per
/// mistake, each `file:line:column: key: reason`, `file: key: reason`, `--set #n: key: reason` or
/// `word: reason`.
class ConfigError : public std::runtime_error {
 public:
  /// Requires at least one message. what() is the messages, one per line.
  explicit ConfigError(std::vector<std::string> messages);

  [[nodiscard]] const std::vector<std::string>& messages() const { return messages_; }

 private:
  std::vector<std::string> messages_;
};

/// A file that cannot be read or written: exit status 5.
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace tcsim::config
