#pragma once

#include <cstdint>
#include <ostream>
#include <span>
#include <vector>

#include "models/numerics/block.hpp"

namespace tcsim::mma {

/// The contents of a block's title.
struct BlockHeading {
  std::vector<int> positions;  ///< k of each product.
  numerics::BlockParams params;
};

/// Prints one traced block as a table of its terms, then sum, rounding and result.
void explain_block(const BlockHeading& heading, const numerics::BlockTrace& trace,
                   std::span<const std::uint64_t> a, std::span<const std::uint64_t> b,
                   std::uint64_t c, std::ostream& out);

}  // namespace tcsim::mma
