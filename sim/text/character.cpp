#include "sim/text/character.hpp"

#include <array>

namespace tcsim::text {

Character first_of(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {text.substr(0, 1), lead, true};
  // Length, least code and bits of the lead byte of each form; RFC 3629.
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  constexpr std::array<char32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  const Character alone{text.substr(0, 1), lead, false};
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return alone;
  char32_t code = lead & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0U) != 0x80) return alone;
    code = code << 6U | (next & 0x3fU);
  }
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kLeast[length] || code > 0x10ffff || surrogate) return alone;
  return {text.substr(0, length), code, true};
}

}  // namespace tcsim::text
