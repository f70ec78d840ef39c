#pragma once

#include <cstdint>

#include "models/numerics/arithmetic.hpp"
#include "tests/numerics/vector_file.hpp"

namespace tcsim::numerics {

/// D of a row by the fast path. Requires fast_path_covers(arithmetic).
std::uint64_t fast_element(const Arithmetic& arithmetic, const VectorRow& row);

}  // namespace tcsim::numerics
