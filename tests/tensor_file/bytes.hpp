#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sim/config/error.hpp"

namespace tcsim::tensor_file {

inline std::span<const std::uint8_t> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

/// The message with which `action` is refused, or "accepted".
template <typename Action>
std::string refusal(const Action& action) {
  try {
    action();
  } catch (const config::ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace tcsim::tensor_file
