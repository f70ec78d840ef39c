#pragma once

#include <algorithm>
#include <string>

namespace tcsim::memory {

/// Network between SMs and L2 slices. Latencies and widths are in L2 clocks.
struct NocParams {
  int request_latency_cycles;     ///< SM port to slice port, nearest slice, without queueing
  int response_latency_cycles;    ///< slice port to SM port, nearest slice, without queueing
  int distance_spread_cycles;     ///< added to a request to the farthest slice
  int sm_read_bytes_per_cycle;    ///< response port of one SM
  int sm_write_bytes_per_cycle;   ///< request port of one SM
  int tpc_write_bytes_per_cycle;  ///< request port shared by the SMs of a TPC
  int gpc_read_bytes_per_cycle;   ///< response port of one GPC
  int gpc_write_bytes_per_cycle;  ///< request port of one GPC
  int request_header_bytes;       ///< size of a request without data
  int tpc_read_bytes_per_cycle;   ///< response port shared by the SMs of a TPC; 0: one per SM
  /// Request coalescer between network and L2 (LRC): lines that it tracks per slice; 0: there is
  /// none.
  int coalescer_entries;
  int coalescer_merges;          ///< most requests that one read of a line answers
  int coalescer_window_cycles;   ///< how long after its arrival others can join a read
  int multicast_latency_cycles;  ///< added to an answer for several CTAs of a cluster
};

struct L2Params {
  long long bytes;  ///< for the whole chip
  int slices;       ///< for the whole chip
  int partitions;   ///< 1, or 2 with near copies of far lines
  int ways;
  std::string replacement;  ///< a name in replacement::List
  int line_bytes;
  int sector_bytes;
  int hit_latency_cycles;  ///< slice port in to slice port out
  int bytes_per_cycle_per_slice;
  int miss_entries;              ///< lines being fetched at the same time, per slice
  int queue_entries;             ///< requests that wait at one slice before SMs are held
  int dirty_ways;                ///< most dirty lines of a set; beyond that, the oldest are cleaned
  int crossing_latency_cycles;   ///< extra time of a hit in the far slice over one in the near
                                 ///< slice: both crossings and the far slice's hit latency
  int crossing_bytes_per_cycle;  ///< for data from one partition to the other
  int interleave_bytes;          ///< consecutive bytes in one slice
  std::string slice_hash;        ///< a name in slice_hash::List
  int atomic_lanes_per_cycle;    ///< 32-bit lanes, of different words, that the atomic unit of one
                                 ///< slice processes per cycle; lanes of one word are processed one
                                 ///< by one
  int atomic_float_lanes_per_cycle;  ///< the same for FP32 and pairs of FP16
};

/// From one partition to the other. A hit in the far slice takes longer than one in the near slice
/// by two crossings and the far slice's hit latency: by crossing_latency_cycles, if an even number
/// of cycles, at least two, is left for the crossings.
inline int crossing_cycles(const L2Params& l2) {
  return std::max(1, (l2.crossing_latency_cycles - l2.hit_latency_cycles) / 2);
}

/// Address translation. Latencies are in L2 clocks.
struct TlbParams {
  int page_bytes;               ///< a power of two
  int tpc_entries;              ///< pages that the TLB of a TPC holds; 0: translation takes no time
  int tpc_miss_latency_cycles;  ///< added to a request whose page the chip's TLB holds
  int chip_entries;             ///< pages that the TLB of the whole chip holds
  int walk_latency_cycles;      ///< added on top if the chip's TLB does not hold it
  std::string replacement;      ///< of all TLBs, a name in replacement::List
};

}  // namespace tcsim::memory
