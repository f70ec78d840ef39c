#pragma once

#include <cstdint>
#include <vector>

#include "models/functional/race_detector.hpp"

namespace tcsim::functional {

/// A box that UTMALDG, UTMASTG or UTMAREDG copies.
struct TileCopy {
  Accessor issuer;
  int map = 0;  ///< index into KernelLaunch::tensor_maps
  std::vector<std::int64_t> coordinates;
  std::int64_t shared_offset = 0;
  bool is_added = false;  ///< UTMAREDG.ADD: to what the tensor holds
};

}  // namespace tcsim::functional
