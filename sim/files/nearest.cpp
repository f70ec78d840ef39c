#include "sim/files/nearest.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace tcsim::files {

namespace {

char lower(char letter) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
}

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  std::vector<int> before_last(b.size() + 1);
  std::vector<int> last(b.size() + 1);
  std::vector<int> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool is_equal = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({last[j - 1] + (is_equal ? 0 : 1), last[j] + 1, row[j - 1] + 1});
      const bool is_swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                              lower(a[i - 2]) == lower(b[j - 1]);
      if (is_swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row.back();
}

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates) {
  // Long garbage is near to nothing, and the cost of the distance is the product of the lengths.
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

}  // namespace tcsim::files
