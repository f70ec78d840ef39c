#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/errors/errors.hpp"

namespace tcsim::files {

/// Mistakes of the user in the content of a file or a command: exit status 2. One message per
/// mistake, each one line, `file:line:column: what: reason`, `file: reason` or `word: reason`.
class ContentError : public UsageError {
 public:
  /// Requires at least one message. what() joins the messages, one per line.
  explicit ContentError(std::vector<std::string> messages)
      : UsageError(joined(messages)), messages_(std::move(messages)) {}

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

}  // namespace tcsim::files
