#pragma once

#include <cstdint>

#include "models/isa/launch.hpp"
#include "models/isa/timing.hpp"

namespace tcsim::microbench {

/// One cluster whose CTAs access the shared memory of the next rank, as the studies of `DSM` (16
/// bytes per thread and access) and `LUO24` (4) do (docs/machines.md).
struct ClusterStream {
  bool stores = false;    ///< or loads
  int bytes = 16;         ///< of a thread and access, 4 or 16
  int size = 2;           ///< CTAs of the cluster
  bool all_work = false;  ///< or rank 0 alone
  int warps = 32;         ///< of a CTA
  std::int64_t trips = 1;
};

/// Bytes that a CTA at work moves in a trip.
std::int64_t bytes_per_trip(const ClusterStream& stream);

isa::KernelLaunch cluster_stream(const ClusterStream& stream, const isa::TimingTable& timing);

/// One cluster whose CTAs copy a tile to the next rank by UBLKCP.S.S, once, as the study of `DSM`
/// does: commands of `command_bytes`, and one mbarrier there that all of them complete.
struct ClusterPut {
  static constexpr int kMostTileBytes = 96 * 1024;

  int size = 2;           ///< CTAs of the cluster
  bool all_work = false;  ///< or rank 0 alone
  int command_bytes = 16 * 1024;
  int tile_bytes = kMostTileBytes;  ///< a multiple of command_bytes
};

isa::KernelLaunch cluster_put(const ClusterPut& put, const isa::TimingTable& timing);

/// One thread of rank 0 of a cluster of two CTAs, which loads a word of `rank` so many times, each
/// address depending on the load before.
isa::KernelLaunch cluster_chase(std::int64_t loads, int rank, const isa::TimingTable& timing);

}  // namespace tcsim::microbench
