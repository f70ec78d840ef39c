#include "models/sm/load_store/counters.hpp"

namespace tcsim::sm {

MemoryCounters::MemoryCounters(stats::Group& group)
    : shared_wavefronts(
          group, "shared_wavefronts", "wavefront",
          "Passes of shared-memory instructions over all banks, bank conflicts included."),
      shared_conflict_wavefronts(
          group, "shared_conflict_wavefronts", "wavefront",
          "Wavefronts beyond those that the bytes need: cost of bank conflicts."),
      shared_fill_bytes(group, "shared_fill_bytes", "B",
                        "Bytes that LDGSTS and copies by TMA wrote into shared memory."),
      l1_hits(group, "l1_hits", "sector", "Sectors that loads found in L1."),
      l1_misses(group, "l1_misses", "sector",
                "Sectors that loads did not find in L1, those under way included."),
      l1_bypassed(group, "l1_bypassed", "sector",
                  "Sectors read past L1, besides hits and misses: LDGSTS of 16 bytes, copies by "
                  "TMA, strong loads, no line free, or a line that takes no more loads."),
      shared_atomic_lanes(group, "shared_atomic_lanes", "lane",
                          "Lanes of atomics on shared memory."),
      global_write_bytes(group, "global_write_bytes", "B",
                         "Bytes of sectors written through to L2."),
      pipeline_busy_cycles(
          group, "memory_pipeline_busy_cycles", "cycle",
          "Cycles of the SM's data path taken by wavefronts, operands of wgmma and fills."),
      shared_busy_cycles(
          group, "shared_busy_cycles", "cycle",
          "Of these, cycles of shared-memory wavefronts, all passes of atomics included."),
      box_path_busy_cycles(group, "box_path_busy_cycles", "cycle",
                           "Cycles in which boxes of TMA are written into shared memory.") {}

}  // namespace tcsim::sm
