#include "models/memory/l2_slice.hpp"

#include <string>

namespace tcsim::memory {

SliceCounters::SliceCounters(stats::Group& group)
    : read_bytes(group, "l2_read_bytes", "B",
                 "Bytes that reads of SMs took from this slice, hits and misses."),
      write_bytes(group, "l2_write_bytes", "B",
                  "Bytes of the sectors that stores of SMs touched in this slice, each counted "
                  "whole by every store, and of the words of atomics and reductions."),
      hits(group, "l2_hits", "sector",
           "Sectors that reads, prefetches, atomics and reductions of SMs found in this slice."),
      misses(group, "l2_misses", "sector",
             "Sectors that reads, prefetches, atomics and reductions of SMs did not find here, "
             "sectors already under way included."),
      prefetches(group, "l2_prefetches", "sector",
                 "Sectors that LDGSTS with LTC128B, which brings whole lines into L2, fetched from "
                 "DRAM besides those that were asked for."),
      crossings(group, "l2_crossings", "sector",
                "Sectors fetched from the slice of the other partition."),
      writeback_bytes(group, "l2_writeback_bytes", "B",
                      "Dirty bytes written to DRAM, of lines replaced or cleaned."),
      blocked(group, "l2_blocked", "request",
              "Requests that waited for a miss entry or a free line."),
      atomic_lanes(group, "l2_atomic_lanes", "lane", "Lanes of atomics and reductions."),
      atomic_cycles(group, "l2_atomic_cycles", "cycle",
                    "L2 cycles in which the slice's atomic unit worked.") {}

L2Slice::L2Slice(const L2Params& params, int sets, int slice, stats::Group& parent)
    : group("l2_slice[" + std::to_string(slice) + "]", parent),
      counters(group),
      tags(params.replacement, sets, params.ways, slice),
      data(params.bytes_per_cycle_per_slice),
      to_clean(sets) {}

}  // namespace tcsim::memory
