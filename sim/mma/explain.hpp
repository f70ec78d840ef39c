#pragma once

#include <cstdint>
#include <ostream>
#include <span>

#include "models/numerics/arithmetic.hpp"

namespace tcsim::mma {

/// Prints how numerics::mma computes its result. For aligned blocks: each product's exponent, its
/// shift onto the common grid, the dropped bits, the integer sum and the rounding, block by block;
/// for the other schemes each step with its running value.
void explain(const numerics::Arithmetic& arithmetic, std::span<const std::uint64_t> a,
             std::span<const std::uint64_t> b, std::uint64_t c, std::ostream& out);

}  // namespace tcsim::mma
