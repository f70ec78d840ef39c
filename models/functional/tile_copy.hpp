#pragma once

#include <cstdint>

#include "models/functional/race_detector.hpp"
#include "models/isa/box.hpp"

namespace tcsim::functional {

/// A box, or contiguous bytes, that UTMALDG, UBLKCP and similar instructions copy.
struct TileCopy {
  Accessor issuer;
  isa::Box box;
  std::int64_t shared_offset = 0;
  bool is_added = false;  ///< UTMAREDG.ADD, UBLKRED.ADD: added to the contents of memory
};

}  // namespace tcsim::functional
