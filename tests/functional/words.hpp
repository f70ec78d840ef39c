#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tcsim::functional::testing {

using Words = std::vector<std::uint32_t>;

/// Words of FP32 whose sums depend on their order: magnitudes from 2^-12 to 2^12 with both signs.
inline Words uneven_words(std::size_t count, std::uint32_t state) {
  Words words(count);
  for (std::uint32_t& word : words) {
    state = state * 1664525 + 1013904223;
    const std::uint32_t exponent = 115 + (state >> 24) % 25;
    word = (state & 0x8000'0000) | exponent << 23 | (state >> 1 & 0x007f'ffff);
  }
  return words;
}

}  // namespace tcsim::functional::testing
