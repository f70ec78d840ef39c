#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tcsim::files {

/// The number of insertions, deletions, replacements of one letter and swaps of neighbours that
/// turn `a` into `b`; upper and lower case are equal.
int edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `word`, or "" if none is near enough to be what was meant (one edit for
/// a short word, two or a third for a longer one). The first of equally near candidates wins.
std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates);

/// `; did you mean "x"?` for the nearest candidate, or "".
std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace tcsim::files
