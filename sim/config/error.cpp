#include "sim/config/error.hpp"

#include <utility>

namespace tcsim::config {
namespace {

std::string joined(const std::vector<std::string>& messages) {
  std::string text;
  for (const std::string& message : messages) {
    if (!text.empty()) text += '\n';
    text += message;
  }
  return text;
}

}  // namespace

ConfigError::ConfigError(std::vector<std::string> messages)
    : std::runtime_error(joined(messages)), messages_(std::move(messages)) {}

}  // namespace tcsim::config
