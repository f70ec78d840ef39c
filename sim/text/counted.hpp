#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace tcsim::text {

/// "1 row", "12 rows": `count` of `noun`, which takes an s unless there is one.
std::string counted(std::integral auto count, std::string_view noun) {
  return std::to_string(count) + ' ' + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace tcsim::text
