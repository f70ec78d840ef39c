#pragma once

#include <cstdint>

#include "models/isa/cycle.hpp"

namespace tcsim::memory {

/// Observes the progress of reads and atomics of SMs, in cycles of the SMs' clock, rounded up;
/// `tag` is that of their LineRequest. Changes nothing. A read that joins another one's answer in a
/// coalescer is reported only when it is sent.
class Observer {
 public:
  virtual ~Observer() = default;

  /// The request leaves the SM at `at` and, with its address translated, arrives at its slice at
  /// `arrives`.
  virtual void sent(std::uint16_t sm, std::uint32_t tag, Cycle at, Cycle arrives) = 0;
  /// Its slice looks it up at `at`; a miss entry is available if needed.
  virtual void looked_up(std::uint16_t sm, std::uint32_t tag, Cycle at) = 0;
  /// Its slice has all its sectors at `at`; the answer leaves at `leaves`.
  virtual void found(std::uint16_t sm, std::uint32_t tag, Cycle at, Cycle leaves) = 0;
};

}  // namespace tcsim::memory
