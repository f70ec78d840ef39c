#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tcsim::trace {

/// `; did you mean "x"?` for the candidate with the fewest insertions, deletions and replacements
/// from `word`, or "" if none is close enough to be what was meant. The first of equals wins; upper
/// and lower case count as equal.
std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace tcsim::trace
