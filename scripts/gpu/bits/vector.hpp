#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tcsim::measure {

/// One output element: operands as bit patterns, element k first.
struct Vector {
  std::string category;
  std::vector<std::uint64_t> a;
  std::vector<std::uint64_t> b;
  std::uint64_t c = 0;
};

/// Elements of `bits` bits in 32-bit words, the first element lowest: the order of the registers. A
/// 64-bit element takes two words, the low one first.
inline std::vector<std::uint32_t> pack(const std::vector<std::uint64_t>& elements, int bits) {
  std::vector<std::uint32_t> words((elements.size() * static_cast<std::size_t>(bits) + 31) / 32);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const std::size_t bit = i * static_cast<std::size_t>(bits);
    words[bit / 32] |= static_cast<std::uint32_t>(elements[i] << (bit % 32));
    if (bits == 64) words[bit / 32 + 1] = static_cast<std::uint32_t>(elements[i] >> 32);
  }
  return words;
}

/// Lower-case hexadecimal, `bits` / 4 digits.
inline std::string hex(std::uint64_t pattern, int bits) {
  std::string text(static_cast<std::size_t>(bits) / 4, '0');
  for (std::size_t i = text.size(); i-- > 0; pattern >>= 4)
    text[i] = "0123456789abcdef"[pattern & 15];
  return text;
}

/// All elements back to back, as `tcsim mma check` reads them.
inline std::string hex(const std::vector<std::uint64_t>& patterns, int bits) {
  std::string text;
  for (const std::uint64_t pattern : patterns) text += hex(pattern, bits);
  return text;
}

}  // namespace tcsim::measure
