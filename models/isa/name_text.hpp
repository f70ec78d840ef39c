#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tcsim::isa {

/// Characters of words in the text form of kernels (.tct): a letter or underscore, then those,
/// digits and dots.
bool begins_word(char c);
bool continues_word(char c);
bool is_word(std::string_view text);

/// The two hexadecimal digits of `byte`.
std::string hex_pair(std::uint8_t byte);

/// `name` in one line, as that form writes it: bare if it is a word, else in quotes, with a
/// backslash before quotes and backslashes and bytes that are no printable ASCII as \xNN.
std::string name_text(std::string_view name);

}  // namespace tcsim::isa
