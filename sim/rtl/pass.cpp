#include "sim/rtl/pass.hpp"

namespace tcsim::rtl {

void pack(const std::vector<std::uint64_t>& patterns, int bits, std::vector<std::uint32_t>& words) {
  const auto per_word = static_cast<std::size_t>(32 / bits);
  words.assign((patterns.size() + per_word - 1) / per_word, 0);
  for (std::size_t i = 0; i < patterns.size(); ++i)
    words[i / per_word] |= static_cast<std::uint32_t>(patterns[i])
                           << (static_cast<int>(i % per_word) * bits);
}

}  // namespace tcsim::rtl
