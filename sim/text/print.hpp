#pragma once

#include <fmt/core.h>

#include <cstdio>
#include <string_view>
#include <utility>

namespace tcsim::text {

/// Writes `text` to `stream` as visible() shows it. Everything that tcsim prints goes through here.
void write(std::FILE* stream, std::string_view text);

template <typename... Arguments>
void print(std::FILE* stream, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  write(stream, fmt::format(format, std::forward<Arguments>(arguments)...));
}

template <typename... Arguments>
void print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  write(stdout, fmt::format(format, std::forward<Arguments>(arguments)...));
}

}  // namespace tcsim::text
