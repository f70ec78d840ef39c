#include "tests/kernels/bank_count.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace tcsim::kernels::testing {

Wavefronts count_wavefronts(std::span<const std::int64_t> offsets, int bytes) {
  constexpr std::int64_t kWord = 4;
  constexpr int kBanks = 32;
  const std::size_t group_lanes = bytes <= 4 ? 32 : 128 / static_cast<std::size_t>(bytes);
  Wavefronts total;
  for (std::size_t first = 0; first < offsets.size(); first += group_lanes) {
    std::array<std::set<std::int64_t>, kBanks> words;
    for (const std::int64_t offset :
         offsets.subspan(first, std::min(group_lanes, offsets.size() - first))) {
      if (offset < 0) continue;
      for (std::int64_t word = offset / kWord; word * kWord < offset + bytes; ++word)
        words[static_cast<std::size_t>(word % kBanks)].insert(word);
    }
    const auto most = std::ranges::max_element(words, {}, [](const auto& s) { return s.size(); });
    total.needed += static_cast<int>(most->size());
    total.conflict_free += most->empty() ? 0 : 1;
  }
  return total;
}

}  // namespace tcsim::kernels::testing
