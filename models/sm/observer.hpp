#pragma once

#include "models/isa/cycle.hpp"
#include "models/sm/kernel.hpp"
#include "models/sm/warp.hpp"

namespace tcsim::sm {

/// When each constraint on an instruction that now issues was lifted.
struct IssueWait {
  Cycle ready;               ///< stalls, dependences, barriers and fetch
  CycleReason ready_reason;  ///< the last of them
  Cycle pipe_free;           ///< the issue interval of its pipe
  Cycle queue_free;          ///< the memory queue last refused an instruction before this cycle
  bool port_refused;         ///< register read ports refused one in the cycle before
};

/// Watches the warp instructions of one SM from outside and changes nothing. A warp issues at most
/// one instruction per cycle, so warp and cycle of issue name an instruction.
class Observer {
 public:
  virtual ~Observer() = default;

  /// `kernel`, which outlives its warps, is the next to start.
  virtual void begin_kernel(const Kernel& kernel) = 0;
  /// `warp` is resident; its first instruction may issue from `at` on.
  virtual void started(const Warp& warp, Cycle at) = 0;
  /// The next instruction of `warp` issues at `now`.
  virtual void issued(const Warp& warp, const IssueWait& wait, Cycle now) = 0;
  /// What `warp` issued at `issue` enters the memory pipeline at `now` and has read its sources at
  /// `sources_read`.
  virtual void entered_memory(const Warp& warp, Cycle issue, Cycle sources_read, Cycle now) = 0;
  /// What `warp` issued at `issue` has its results written at `at`: dependents may issue then.
  virtual void completed(const Warp& warp, Cycle issue, Cycle at) = 0;
};

}  // namespace tcsim::sm
