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
};

struct L2Params {
  long long bytes;  ///< whole chip
  int slices;       ///< whole chip
  int partitions;   ///< 1, or 2 with near copies of far lines
  int ways;
  int line_bytes;
  int sector_bytes;
  int hit_latency_cycles;  ///< slice port in to slice port out
  int bytes_per_cycle_per_slice;
  int miss_entries;              ///< lines being fetched at once, per slice
  int crossing_latency_cycles;   ///< what a hit in the far slice takes longer than one in the near
                                 ///< slice: the way over and back and the far slice's hit latency
  int crossing_bytes_per_cycle;  ///< data from one partition to the other
  int interleave_bytes;          ///< consecutive bytes on one slice
  std::string slice_hash;        ///< xor_fold, modulo
};

}  // namespace tcsim::memory
