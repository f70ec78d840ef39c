#include "workloads/trace/nearest_word.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace tcsim::trace {
namespace {

char lower(char letter) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
}

/// Insertions, deletions, replacements and swaps of neighbours that turn `from` into `to`.
int edit_distance(std::string_view from, std::string_view to) {
  std::vector<int> before_last(to.size() + 1);
  std::vector<int> last(to.size() + 1);
  std::vector<int> row(to.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= from.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const bool equal = lower(from[i - 1]) == lower(to[j - 1]);
      row[j] = std::min({last[j - 1] + (equal ? 0 : 1), last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && lower(from[i - 1]) == lower(to[j - 2]) &&
                           lower(from[i - 2]) == lower(to[j - 1]);
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row.back();
}

}  // namespace

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& candidates) {
  // Long garbage is near to nothing, and the distance takes the product of the lengths.
  constexpr std::size_t kLongestWord = 64;
  if (word.empty() || word.size() > kLongestWord) return {};
  const int length = static_cast<int>(word.size());
  int limit = std::min(std::max(2, length / 3), length - 1);
  std::string_view best;
  for (const std::string_view candidate : candidates) {
    const int distance = edit_distance(word, candidate);
    if (distance > limit) continue;
    best = candidate;
    limit = distance - 1;
  }
  if (best.empty()) return {};
  return "; did you mean \"" + std::string(best) + "\"?";
}

}  // namespace tcsim::trace
