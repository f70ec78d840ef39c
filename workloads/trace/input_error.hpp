#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace tcsim {

/// Mistakes of the user in a workload: exit status 2. One message per mistake, each one line,
/// `file:line:column: what: reason` or `word: column N: what: reason`.
class InputError : public std::runtime_error {
 public:
  /// Requires at least one message. what() is the messages, one per line.
  explicit InputError(std::vector<std::string> messages)
      : std::runtime_error(joined(messages)), messages_(std::move(messages)) {}

  [[nodiscard]] const std::vector<std::string>& messages() const { return messages_; }

 private:
  static std::string joined(const std::vector<std::string>& messages) {
    std::string text;
    for (const std::string& message : messages) {
      if (!text.empty()) text += '\n';
      text += message;
    }
    return text;
  }

  std::vector<std::string> messages_;
};

/// A workload file that cannot be opened, read, written or unpacked: exit status 5.
class InputFileError : public std::filesystem::filesystem_error {
 public:
  /// The message is `path: reason`.
  InputFileError(const std::string& path, const std::string& reason)
      : filesystem_error(reason, path, std::make_error_code(std::errc::io_error)),
        message_(path + ": " + reason) {}

  [[nodiscard]] const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string message_;
};

}  // namespace tcsim
