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

/// When each constraint on a memory instruction that now enters the memory pipeline was lifted.
/// Later than all of them: entries for its misses have become free.
struct MemoryEntry {
  Cycle at;
  Cycle sources_read;
  Cycle address_ready;  ///< the address unit of its sub-core was done with it
  Cycle path_free;      ///< the data path behind
};

/// A product of a warpgroup on the tensor cores of the SM.
struct ProductTurn {
  Cycle joined;  ///< the queue in front of them
  Cycle start;
  Cycle end;
  Cycle written;  ///< its sums are in the registers
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
  virtual void entered_memory(IssueId instruction, const MemoryEntry& entry) = 0;
  /// `instruction` has its results written at `at`: dependents may issue then.
  virtual void completed(IssueId instruction, Cycle at) = 0;

  // What only some want to hear.

  /// The kernel that has begun was launched at `launch`; the SM holds `cta_slots` of its CTAs.
  virtual void launched(int /*cta_slots*/, Cycle /*launch*/) {}
  /// The answer of the memory side to the request of `tag` comes at `now`; what completes in the
  /// same call waited for it.
  virtual void answered(std::uint32_t /*tag*/, Cycle /*now*/) {}
  /// `instruction` changes its mbarrier at `at`: it arrives there, or all of its box is there.
  virtual void changes_mbarrier(IssueId /*instruction*/, Cycle /*at*/) {}
  /// The instruction that has issued last on this SM is the last of its warpgroup's to come to a
  /// product.
  virtual void started_product(const Warp& /*first*/, const ProductTurn& /*turn*/) {}
  /// What held `warp` ends at `now`: a barrier, the phase of an mbarrier, a fence.
  virtual void released(const Warp& /*warp*/, Cycle /*now*/) {}
  /// The CTA in slot `cta_slot` has ended before `at`.
  virtual void ended(std::uint16_t /*cta_slot*/, Cycle /*at*/) {}
};

}  // namespace tcsim::sm
