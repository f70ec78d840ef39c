#pragma once

#include "models/isa/cycle.hpp"
#include "models/sm/load_store/completion.hpp"
#include "models/sm/load_store/counters.hpp"
#include "models/sm/load_store/data_path.hpp"
#include "models/sm/load_store/operation.hpp"
#include "models/sm/params.hpp"

namespace tcsim::sm {

/// Loads from, stores to and atomics on shared memory: wavefronts that occupy the data path.
class SharedAccess {
 public:
  /// The referenced objects outlive this object.
  SharedAccess(const SmParams& params, DataPath& path, MemoryCompletion& completion,
               MemoryCounters& counters)
      : params_(params.shared_memory),
        load_cycles_(params.shared_memory.load_latency_cycles -
                     params.memory_queue.address_interval_cycles - completion.register_cycles()),
        path_(path),
        completion_(completion),
        counters_(counters) {}

  /// `operation` enters the pipeline at `now`; the pipeline is then done with it.
  void enter(const MemoryOperation& operation, Cycle now);
  /// `access`, of this SM or another, takes the data path. Returns the cycles by which bank
  /// conflicts, or the passes of an atomic, delay its data.
  Cycle take_path(const PeerMessage::Access& access, Cycle now);

 private:
  const SharedMemoryParams params_;
  const Cycle load_cycles_;  ///< from entering the pipeline to the data of a load without conflicts
  DataPath& path_;
  MemoryCompletion& completion_;
  MemoryCounters& counters_;
};

}  // namespace tcsim::sm
