#pragma once

#include <string>

namespace tcsim::memory {

/// Network between SMs and L2 slices. Latencies and widths are per L2 clock.
struct NocParams {
  int request_latency_cycles;     ///< SM port to slice port, nearest slice, without queueing
  int response_latency_cycles;    ///< slice port to SM port, nearest slice, without queueing
  int distance_spread_cycles;     ///< added to the request on the way to the farthest slice
  int sm_read_bytes_per_cycle;    ///< response port of one SM
  int sm_write_bytes_per_cycle;   ///< request port of one SM
  int tpc_write_bytes_per_cycle;  ///< request port shared by the SMs of a TPC
  int gpc_read_bytes_per_cycle;   ///< response port of one GPC
  int gpc_write_bytes_per_cycle;  ///< request port of one GPC
  int request_header_bytes;       ///< size of a request without data
  int tpc_read_bytes_per_cycle;   ///< response port shared by the SMs of a TPC; 0: each has its own
  /// Request coalescer between network and L2 (LRC): lines that it follows before each slice; 0:
  /// there is none.
  int coalescer_entries;
  int coalescer_merges;          ///< requests that one read of a line answers at most
  int coalescer_window_cycles;   ///< for which others can join a read after it came
  int multicast_latency_cycles;  ///< that an answer for several CTAs of a cluster takes longer
};

struct L2Params {
  long long bytes;  ///< whole chip
  int slices;       ///< whole chip
  int partitions;   ///< 1, or 2 with near copies of far lines
  int ways;
  std::string replacement;  ///< a name of replacement::List
  int line_bytes;
  int sector_bytes;
  int hit_latency_cycles;  ///< slice port in to slice port out
  int bytes_per_cycle_per_slice;
  int miss_entries;              ///< lines being fetched at once, per slice
  int queue_entries;             ///< requests that wait at one slice before SMs are held
  int dirty_ways;                ///< dirty lines that a set keeps; beyond, the oldest are cleaned
  int crossing_latency_cycles;   ///< what a hit in the far slice takes longer than one in the near
                                 ///< slice: the way over and back and the far slice's hit latency
  int crossing_bytes_per_cycle;  ///< data from one partition to the other
  int interleave_bytes;          ///< consecutive bytes on one slice
  std::string slice_hash;        ///< a name of slice_hash::List
  int atomic_lanes_per_cycle;    ///< 32-bit lanes, of different words, that the atomic unit of one
                                 ///< slice does in a cycle; lanes of one word go one by one
  int atomic_float_lanes_per_cycle;  ///< the same for FP32 and pairs of FP16
};

/// Address translation. Latencies are in L2 clocks.
struct TlbParams {
  int page_bytes;               ///< a power of two
  int tpc_entries;              ///< pages that the TLB of a TPC holds; 0: translation costs nothing
  int tpc_miss_latency_cycles;  ///< added to a request whose page the chip's TLB holds
  int chip_entries;             ///< pages that the TLB of the whole chip holds
  int walk_latency_cycles;      ///< added on top where it does not hold the page
  std::string replacement;      ///< of all of them, a name of replacement::List
};

}  // namespace tcsim::memory
