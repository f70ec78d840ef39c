#include "sim/tensor_file/shown_word.hpp"

namespace tcsim::tensor_file {

std::string shown_word(std::string_view word) {
  constexpr std::size_t kMostCharacters = 40;
  std::string text = "'";
  for (const char character : word.substr(0, kMostCharacters))
    text += ' ' <= character && character <= '~' ? character : '?';
  return text + (word.size() > kMostCharacters ? "...'" : "'");
}

}  // namespace tcsim::tensor_file
