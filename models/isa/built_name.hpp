#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace tcsim::isa {

/// A mnemonic that is composed when the instruction table is compiled.
struct BuiltName {
  std::array<char, 40> letters{};
  std::size_t size = 0;

  constexpr void add(std::string_view text) {
    for (const char c : text) letters[size++] = c;
  }
  constexpr void add(int number) {
    for (int unit = 100; unit > 0; unit /= 10)
      if (number >= unit) letters[size++] = static_cast<char>('0' + number / unit % 10);
  }
  [[nodiscard]] constexpr std::string_view text() const { return {letters.data(), size}; }
};

}  // namespace tcsim::isa
