#pragma once

#include "models/stats/stats.hpp"

namespace tcsim::dram {

/// Event counts of a channel. row_hits + row_misses + row_conflicts = reads + writes.
struct ChannelCounters {
  explicit ChannelCounters(stats::Group& group);

  stats::Counter reads;
  stats::Counter writes;
  stats::Counter read_bytes;
  stats::Counter write_bytes;
  stats::Counter activates;
  stats::Counter precharges;
  stats::Counter refreshes;
  stats::Counter row_hits;
  stats::Counter row_misses;
  stats::Counter row_conflicts;
  stats::Counter turnarounds;
  stats::Counter data_bus_busy_clocks;
  stats::Counter queue_full_clocks;
};

}  // namespace tcsim::dram
