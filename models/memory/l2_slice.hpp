#pragma once

#include <deque>
#include <vector>

#include "models/memory/address_map.hpp"
#include "models/memory/line_request.hpp"
#include "models/memory/params.hpp"
#include "models/memory/port.hpp"
#include "models/memory/slice_tags.hpp"
#include "models/stats/stats.hpp"

namespace tcsim::memory {

/// A request on its way to a slice: from an SM through the network, or (`near_slice` >= 0) from the
/// slice of the other partition that keeps a copy for its SMs.
struct SliceRequest {
  LineRequest line;
  std::uint64_t local = 0;       ///< of the line's HomeAddress
  std::uint32_t near_place = 0;  ///< place of the line that waits there
  std::uint32_t set = 0;         ///< set of the line, in every slice that may hold it
  std::uint16_t slice = 0;       ///< destination
  std::uint16_t home = 0;        ///< home slice of the line
  std::int16_t near_slice = -1;
};
static_assert(sizeof(SliceRequest) <= 64, "a line of the host's cache");

struct SliceCounters {
  explicit SliceCounters(stats::Group& group);

  stats::Counter read_bytes;
  stats::Counter write_bytes;
  stats::Counter hits;
  stats::Counter misses;
  stats::Counter prefetches;
  stats::Counter crossings;
  stats::Counter writeback_bytes;
  stats::Counter blocked;
  stats::Counter atomic_lanes;
  stats::Counter atomic_cycles;
};

/// Sets of a slice, each at most once, in order of insertion.
class SetQueue {
 public:
  explicit SetQueue(int sets) : waits_(static_cast<std::size_t>(sets)) {}

  bool empty() const { return order_.empty(); }
  void add(std::uint32_t set) {
    if (waits_[set]) return;
    waits_[set] = true;
    order_.push_back(set);
  }
  /// Removes and returns the first one. Requires !empty().
  std::uint32_t take() {
    const std::uint32_t set = order_.front();
    order_.pop_front();
    waits_[set] = false;
    return set;
  }

 private:
  std::deque<std::uint32_t> order_;
  std::vector<bool> waits_;
};

/// State of one L2 slice. MemorySystem models its behaviour in time.
struct L2Slice {
  /// Slice number `slice` of its chip.
  L2Slice(const L2Params& params, int sets, int slice, stats::Group& parent);

  stats::Group group;
  SliceCounters counters;
  SliceTags tags;
  Port data;              ///< data leave here
  Cycle tag_free = 0;     ///< one look-up per L2 clock
  Cycle atomic_free = 0;  ///< when the atomic unit finishes its current work
  /// Lines with sectors in flight: own lines and copies of far lines, each at most
  /// L2Params::miss_entries. They are counted separately, and their queues are separate, so that
  /// two slices that fetch from each other cannot deadlock.
  int own_fetches = 0;
  int copy_fetches = 0;
  int writebacks = 0;  ///< dirty sectors on their way to DRAM; none added from miss_entries on
  SetQueue to_clean;   ///< sets with too many dirty lines
  Cycle last_eviction = -(1LL << 40);  ///< when a dirty line was last replaced
  std::deque<SliceRequest>
      blocked;  ///< from SMs, waiting for a miss entry or a line; served in order
  std::deque<SliceRequest> blocked_crossing;  ///< from slices of the other partition
};

}  // namespace tcsim::memory
