#pragma once

#include <cstdint>

#include "models/isa/cycle.hpp"

namespace tcsim::memory {

/// Hears how far reads and atomics of SMs have come, in cycles of the SMs' clock, rounded up; `tag`
/// is that of their LineRequest. Changes nothing. A read that joins another one's answer in a
/// coalescer is heard of only when it is sent.
class Observer {
 public:
  virtual ~Observer() = default;

  /// It leaves the SM at `at` and is at its slice, address translated, at `arrives`.
  virtual void sent(std::uint16_t sm, std::uint32_t tag, Cycle at, Cycle arrives) = 0;
  /// Its slice looks it up at `at`, no entry being wanting.
  virtual void looked_up(std::uint16_t sm, std::uint32_t tag, Cycle at) = 0;
  /// Its slice has all its sectors at `at`; the answer leaves at `leaves`.
  virtual void found(std::uint16_t sm, std::uint32_t tag, Cycle at, Cycle leaves) = 0;
};

}  // namespace tcsim::memory
