#pragma once

#include <cstdint>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/sm/constant_cache.hpp"
#include "models/sm/lane_addresses.hpp"
#include "models/sm/load_store/completion.hpp"
#include "models/sm/load_store/data_path.hpp"
#include "models/sm/load_store/operation.hpp"
#include "models/sm/params.hpp"

namespace tcsim::sm {

/// Loads of constants by the memory pipeline (LDC), which delivers one word per cycle to all lanes
/// that need it.
class ConstantAccess {
 public:
  /// The referenced objects outlive this object.
  ConstantAccess(const SmParams& params, ConstantCache& cache, MemoryOperations& operations,
                 DataPath& path, MemoryCompletion& completion)
      : load_cycles_(params.constant_cache.load_latency_cycles -
                     params.memory_queue.address_interval_cycles - completion.register_cycles()),
        cache_(cache),
        operations_(operations),
        path_(path),
        completion_(completion) {}

  /// Records in `operation` which words `lanes` need.
  static void resolve(MemoryOperation& operation, const LaneAddresses& addresses,
                      std::uint32_t lanes);

  /// Operation `number` enters the pipeline at `now`.
  void enter(int number, Cycle now);
  /// Line `line` of code memory has arrived from L2 at `now`, for the loads that wait for it.
  void arrived(std::uint32_t line, Cycle now);

 private:
  bool finish_if_complete(int number);

  const Cycle load_cycles_;  ///< pipeline entry to the only word, if the cache holds it
  ConstantCache& cache_;
  MemoryOperations& operations_;
  DataPath& path_;
  MemoryCompletion& completion_;
  std::vector<int> waiting_;  ///< operations that wait for constants from L2
};

}  // namespace tcsim::sm
