#include "sim/config/nearest.hpp"

#include <algorithm>
#include <numeric>

namespace tcsim::config {

int edit_distance(std::string_view a, std::string_view b) {
  std::vector<int> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates) {
  // Long garbage is near to nothing, and the distance takes the product of the lengths.
  constexpr std::size_t kLongestWord = 64;
  if (word.size() > kLongestWord) return {};
  const int letters = static_cast<int>(word.size());
  int limit = letters < 2 ? 0 : letters < 5 ? 1 : std::max(2, letters / 3);
  std::string_view best;
  for (const std::string_view candidate : candidates) {
    const int distance = edit_distance(word, candidate);
    if (distance > limit) continue;
    best = candidate;
    limit = distance - 1;
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& candidates) {
  const std::string_view best = nearest(word, candidates);
  if (best.empty()) return {};
  return "; did you mean \"" + std::string(best) + "\"?";
}

}  // namespace tcsim::config
