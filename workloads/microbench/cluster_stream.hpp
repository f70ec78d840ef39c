#pragma once

#include <cstdint>

#include "models/isa/launch.hpp"
#include "models/isa/timing.hpp"

namespace tcsim::microbench {

/// One cluster whose CTAs access the shared memory of the next rank, as in the studies of `DSM` (16
/// bytes per thread and access) and `LUO24` (4) (docs/machines.md).
struct ClusterStream {
  bool stores = false;    ///< false: loads
  int bytes = 16;         ///< per thread and access, 4 or 16
  int size = 2;           ///< CTAs of the cluster
  bool all_work = false;  ///< false: only rank 0
  int warps = 32;         ///< per CTA
  std::int64_t trips = 1;
};

/// Bytes that a working CTA moves in an iteration.
std::int64_t bytes_per_trip(const ClusterStream& stream);

isa::KernelLaunch cluster_stream(const ClusterStream& stream, const isa::TimingTable& timing);

/// One cluster whose CTAs each copy a tile to the next rank by UBLKCP.S.S, once, as in the study of
/// `DSM`: copies of `command_bytes`, and one mbarrier there that all of them complete.
struct ClusterPut {
  static constexpr int kMostTileBytes = 96 * 1024;

  int size = 2;           ///< CTAs of the cluster
  bool all_work = false;  ///< false: only rank 0
  int command_bytes = 16 * 1024;
  int tile_bytes = kMostTileBytes;  ///< a multiple of command_bytes
};

isa::KernelLaunch cluster_put(const ClusterPut& put, const isa::TimingTable& timing);

/// One thread of rank 0 of a cluster of two CTAs, which loads a word of `rank` that many times;
/// each address depends on the previous load.
isa::KernelLaunch cluster_chase(std::int64_t loads, int rank, const isa::TimingTable& timing);

}  // namespace tcsim::microbench
