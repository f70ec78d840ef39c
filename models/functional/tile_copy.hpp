#pragma once

#include <cstdint>

#include "models/functional/race_detector.hpp"
#include "models/isa/box.hpp"

namespace tcsim::functional {

/// A box, or bytes in a row, that UTMALDG, UBLKCP and their like copy.
struct TileCopy {
  Accessor issuer;
  isa::Box box;
  std::int64_t shared_offset = 0;
  bool is_added = false;  ///< UTMAREDG.ADD, UBLKRED.ADD: to what memory holds
};

}  // namespace tcsim::functional
