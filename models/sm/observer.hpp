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
  CycleReason ready_reason;  ///< the constraint lifted last
  Cycle pipe_free;           ///< when the issue interval of its pipe ended
  Cycle queue_free;          ///< the memory queue last refused an instruction before this cycle
  bool port_refused;         ///< register read ports refused an instruction in the previous cycle
};

/// Identifies an issued warp instruction: a warp issues at most one per cycle.
struct IssueId {
  std::uint8_t warp = 0;  ///< hardware warp
  Cycle issue = 0;
};

/// When each constraint on a memory instruction that now enters the memory pipeline was lifted. If
/// it enters later than all of these, arriving data or operands of a wgmma had the data path.
struct MemoryEntry {
  Cycle at;
  Cycle sources_read;
  Cycle address_ready;  ///< when the address unit of its sub-core finished with it
  Cycle turn;           ///< when those before it had left the data path and, for lines, the tags
  Cycle entries_free;   ///< when an answer last made room in the L1 for one of its sub-core
  int sectors;          ///< of global memory that its lanes touch
  int conflicts;        ///< passes over the banks of shared memory beyond those its bytes need
};

/// A product of a warpgroup on the tensor cores of the SM.
struct ProductTurn {
  Cycle joined;  ///< when it joined the queue for them
  Cycle start;
  Cycle end;
  Cycle written;  ///< when its sums are in the registers
};

/// Observes the warp instructions of one SM from outside; changes nothing.
class Observer {
 public:
  virtual ~Observer() = default;

  /// `kernel`, which outlives its warps, starts next.
  virtual void begin_kernel(const Kernel& kernel) = 0;
  /// `warp` is resident; its first instruction may issue from `at` on.
  virtual void started(const Warp& warp, Cycle at) = 0;
  /// The next instruction of `warp` issues at `now`.
  virtual void issued(const Warp& warp, const IssueWait& wait, Cycle now) = 0;
  virtual void entered_memory(IssueId instruction, const MemoryEntry& entry) = 0;
  /// The results of `instruction` are written at `at`: dependents may issue then.
  virtual void completed(IssueId instruction, Cycle at) = 0;

  // Events that only some observers need.

  /// The run ends at `end`, and the next instruction of `warp` has not issued.
  virtual void stopped(const Warp& /*warp*/, const IssueWait& /*wait*/, Cycle /*end*/) {}

  /// The kernel that has begun was launched at `launch`; the SM holds `cta_slots` of its CTAs.
  virtual void launched(int /*cta_slots*/, Cycle /*launch*/) {}
  /// The memory side answers the request of `tag` at `now`; whatever completes in the same call
  /// waited for it.
  virtual void answered(std::uint32_t /*tag*/, Cycle /*now*/) {}
  /// `instruction` changes its mbarrier at `at`: it arrives there, or its whole box has arrived.
  virtual void changes_mbarrier(IssueId /*instruction*/, Cycle /*at*/) {}
  /// The instruction that issued last on this SM is the last one of its warpgroup to reach a
  /// product.
  virtual void started_product(const Warp& /*first*/, const ProductTurn& /*turn*/) {}
  /// `warp` is released at `now` from what held it: a barrier, the phase of an mbarrier, a fence.
  virtual void released(const Warp& /*warp*/, Cycle /*now*/) {}
  /// The CTA in slot `cta_slot` has ended before `at`.
  virtual void ended(std::uint16_t /*cta_slot*/, Cycle /*at*/) {}
};

}  // namespace tcsim::sm
