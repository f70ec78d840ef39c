#pragma once

#include <cstdint>
#include <span>

namespace tcsim::kernels::testing {

/// Shared-memory wavefronts by the rule of microarchitecture.md 5.3. `offsets` holds the byte
/// offsets of the active lanes of a warp in lane order, -1 for lanes that are off. Accesses of 4
/// bytes and fewer go as a warp, 8 bytes per half warp, 16 bytes per quarter warp.
struct Wavefronts {
  int needed = 0;
  int conflict_free = 0;  ///< groups with an active lane: what the access needs without conflicts
};
Wavefronts count_wavefronts(std::span<const std::int64_t> offsets, int bytes);

}  // namespace tcsim::kernels::testing
