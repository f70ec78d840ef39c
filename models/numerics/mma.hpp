#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "models/numerics/arithmetic.hpp"

namespace tcsim::numerics {

/// One element of D: c + a[0]*b[0] + ... chained over blocks (section 7) in the order of
/// `arithmetic`, or as its scheme defines. Patterns: a and b of the input types, c and the result
/// of the accumulator type (INT32 as its 32-bit pattern). Requires a.size() == b.size(); missing
/// products of a partly filled last block count as zero.
std::uint64_t mma(const Arithmetic& arithmetic, std::span<const std::uint64_t> a,
                  std::span<const std::uint64_t> b, std::uint64_t c);

/// The elements along k that one block of a chain takes: first, first + step, ...
struct ChainBlock {
  std::size_t first;
  std::size_t step;
  std::size_t count;
};

/// Block `index` of the chain over `length` elements. Requires index < chain_blocks(...).
ChainBlock chain_block(const Arithmetic& arithmetic, std::size_t length, std::size_t index);
std::size_t chain_blocks(const Arithmetic& arithmetic, std::size_t length);

/// Adds the blocks of the chain over a and b to c, one after the other.
std::uint64_t chain(const Arithmetic& arithmetic, std::span<const std::uint64_t> a,
                    std::span<const std::uint64_t> b, std::uint64_t c);

}  // namespace tcsim::numerics
