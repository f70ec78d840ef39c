#pragma once

#include <cstdint>

#include "models/isa/cycle.hpp"
#include "models/sm/cycle_reason.hpp"

namespace tcsim::sm {

class Kernel;
struct Warp;

/// When each constraint on an instruction that now issues was lifted.
struct IssueWait {
  Cycle ready;               ///< stalls, dependences, barriers and fetch
  CycleReason ready_reason;  ///< the last of them
  Cycle pipe_free;           ///< the issue interval of its pipe
  Cycle queue_free;          ///< the memory queue last refused an instruction before this cycle
  bool port_refused;         ///< register read ports refused one in the cycle before
};

/// Names a warp instruction that has issued: a warp issues at most one per cycle.
struct IssueId {
  std::uint8_t warp = 0;  ///< hardware warp
  Cycle issue = 0;
};

/// Watches the warp instructions of one SM from outside and changes nothing.
class Observer {
 public:
  virtual ~Observer() = default;

  /// `kernel`, which outlives its warps, is the next to start.
  virtual void begin_kernel(const Kernel& kernel) = 0;
  /// `warp` is resident; its first instruction may issue from `at` on.
  virtual void started(const Warp& warp, Cycle at) = 0;
  /// The next instruction of `warp` issues at `now`.
  virtual void issued(const Warp& warp, const IssueWait& wait, Cycle now) = 0;
  /// `instruction` enters the memory pipeline at `now` and has read its sources at `sources_read`.
  virtual void entered_memory(IssueId instruction, Cycle sources_read, Cycle now) = 0;
  /// `instruction` has its results written at `at`: dependents may issue then.
  virtual void completed(IssueId instruction, Cycle at) = 0;
};

}  // namespace tcsim::sm
