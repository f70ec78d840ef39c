#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace tcsim::tensor_file {

inline std::span<const std::uint8_t> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace tcsim::tensor_file
