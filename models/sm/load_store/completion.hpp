#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/sm/completion_queue.hpp"
#include "models/sm/load_store/operation.hpp"
#include "models/sm/observer.hpp"
#include "models/sm/params.hpp"

namespace tcsim::sm {

/// How memory operations end: loads pass through the write-back path of their sub-core into their
/// registers. Then, or when a copy is in shared memory, the completion is reported.
class MemoryCompletion {
 public:
  /// `told` outlives this object.
  MemoryCompletion(const SmParams& params, CompletionQueue& told)
      : bytes_per_cycle_(params.memory_queue.load_return_bytes_per_cycle),
        told_(told),
        write_back_free_(static_cast<std::size_t>(params.sub_cores)) {}

  /// From now on `observer`, which must outlive this object, hears of every end.
  void attach(Observer& observer) { observer_ = &observer; }

  /// How long one register of a warp occupies the write-back path. Measured latencies of 32-bit
  /// loads include this time.
  Cycle register_cycles() const { return ceil_div(kRegisterBytes, bytes_per_cycle_); }

  /// Writes back the data of a load, which are available at `data_at`.
  void write_back(const MemoryOperation& load, Cycle data_at, CycleReason reason) {
    Cycle& free = write_back_free_[static_cast<std::size_t>(load.sub_core)];
    free = std::max(free, data_at) +
           ceil_div(load.instruction->dst_registers * kRegisterBytes, bytes_per_cycle_);
    end(load, free, reason);
  }

  /// `operation` is done at `at`.
  void end(const MemoryOperation& operation, Cycle at, CycleReason reason) {
    if (observer_ != nullptr) observer_->completed(operation.id, at);
    told_.push(at, operation.done, reason);
  }

 private:
  const int bytes_per_cycle_;
  CompletionQueue& told_;
  Observer* observer_ = nullptr;
  std::vector<Cycle> write_back_free_;  ///< by sub-core
};

}  // namespace tcsim::sm
