#pragma once

#include <cstdint>
#include <vector>

#include "workloads/networks/program.hpp"

namespace tcsim::networks {

inline constexpr std::uint64_t kPageBytes = std::uint64_t{1} << 21;  ///< of device memory

/// Which block of memory every tensor lies in.
struct Placement {
  std::vector<int> block_of;        ///< by tensor
  std::vector<std::int64_t> bytes;  ///< by block
};

/// Places the tensors as a caching allocator does: one that is last used in step i leaves its block
/// to the next tensor that fits, the one freed last first. Weights have blocks of their own.
Placement place(const Program& program);

/// What the blocks take, in bytes. Sums of large networks fit no whole number.
struct BlockSums {
  double weights = 0;
  double cache = 0;        ///< keys and values of attention
  double activations = 0;  ///< and gradients
};
BlockSums block_sums(const Program& program, const Placement& placement);

}  // namespace tcsim::networks
