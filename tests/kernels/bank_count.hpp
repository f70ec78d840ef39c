#pragma once

#include <cstdint>
#include <span>

namespace tcsim::kernels::testing {

/// Shared-memory wavefronts by the rule of microarchitecture.md 5.3. `offsets` contains the byte
/// offsets of the active lanes of a warp in lane order, -1 for inactive lanes. Accesses of up to 4
/// bytes are executed per warp, of 8 bytes per half warp, of 16 bytes per quarter warp.
struct Wavefronts {
  int needed = 0;
  int conflict_free = 0;  ///< groups with an active lane: wavefronts needed without conflicts
};
Wavefronts count_wavefronts(std::span<const std::int64_t> offsets, int bytes);

}  // namespace tcsim::kernels::testing
