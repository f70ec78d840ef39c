#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tcsim::cli {

/// The word of `words` with the fewest insertions, deletions, replacements and swaps of neighbours
/// from `word`; empty if none is close enough to be what was meant (more than a third of its
/// letters differ).
std::string nearest_word(std::string_view word, const std::vector<std::string>& words);

}  // namespace tcsim::cli
