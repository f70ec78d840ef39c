#pragma once

#include <string>

#include "sim/config/error.hpp"

namespace tcsim::test {

/// The message of the Error with which `action` is refused, or "accepted".
template <typename Error = config::ConfigError, typename Action>
std::string refusal(const Action& action) {
  try {
    (void)action();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace tcsim::test
