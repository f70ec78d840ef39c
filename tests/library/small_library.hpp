#pragma once

#include <string>

namespace tcsim::library::testing {

/// A library of three FP16 tiles for A100, with every optional part.
std::string small_library();

/// small_library() with the first `from` replaced by `to`. Throws std::invalid_argument if it has
/// no `from`.
std::string small_library_with(const std::string& from, const std::string& to);

}  // namespace tcsim::library::testing
