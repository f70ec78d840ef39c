#pragma once

#include <string>

#include "sim/config/error.hpp"

namespace tcsim::test {

/// The message with which `action` is refused, or "accepted".
template <typename Action>
std::string refusal(const Action& action) {
  try {
    (void)action();
  } catch (const config::ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace tcsim::test
