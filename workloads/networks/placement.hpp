#pragma once

#include <cstdint>
#include <vector>

#include "workloads/networks/program.hpp"

namespace tcsim::networks {

inline constexpr std::uint64_t kPageBytes = std::uint64_t{1} << 21;  ///< page of device memory

/// The block of memory of every tensor.
struct Placement {
  std::vector<int> block_of;        ///< indexed by tensor
  std::vector<std::int64_t> bytes;  ///< indexed by block
};

/// Places the tensors like a caching allocator: when a tensor is last used in step i, its block
/// goes to the next tensor that fits; the block freed last is tried first. Weights have their own
/// blocks.
Placement place(const Program& program);

/// Sizes of the blocks, in bytes. Doubles, because the sums of large networks do not fit an
/// integer.
struct BlockSums {
  double weights = 0;
  double cache = 0;        ///< keys and values of attention
  double activations = 0;  ///< including gradients
};
BlockSums block_sums(const Program& program, const Placement& placement);

}  // namespace tcsim::networks
