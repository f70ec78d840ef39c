#pragma once

#include "models/stats/stats.hpp"

namespace tcsim::sm {

/// What the units of a MemoryPipeline count.
struct MemoryCounters {
  explicit MemoryCounters(stats::Group& group);

  stats::Counter shared_wavefronts;
  stats::Counter shared_conflict_wavefronts;
  stats::Counter shared_fill_bytes;
  stats::Counter l1_hits;
  stats::Counter l1_misses;
  stats::Counter l1_bypassed;
  stats::Counter shared_atomic_lanes;
  stats::Counter global_write_bytes;
  stats::Counter pipeline_busy_cycles;
  stats::Counter shared_busy_cycles;
  stats::Counter box_path_busy_cycles;
};

}  // namespace tcsim::sm
