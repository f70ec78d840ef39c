#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/functional/cluster_memory.hpp"
#include "models/functional/group_products.hpp"
#include "models/functional/mbarriers.hpp"
#include "models/functional/tile_unit.hpp"

namespace tcsim::functional {

/// The barrier of a cluster: a phase is complete when all warps of its CTAs have arrived.
struct ClusterBarrier {
  int warps = 0;    ///< warps that have not exited
  int pending = 0;  ///< of these, warps that have not arrived
  int phase = 0;    ///< number of completed phases
  Clock arrived;    ///< joint knowledge of the warps that have arrived
  Clock complete;
  std::vector<int> arrivals;    ///< arrivals of each warp
  std::vector<int> waited_for;  ///< of these, the arrivals before its last wait
};

/// The asynchronous hardware of a CTA: mbarriers and named barriers of some warps, copies of boxes,
/// products of warpgroups, and the interaction with the other CTAs of its cluster.
class AsyncUnit {
 public:
  using Failure = std::optional<numerics::Refusal>;

  /// Everything except `launch` and `order` belongs to one CTA, that of rank `rank`; all of it
  /// outlives this object.
  AsyncUnit(const isa::KernelLaunch& launch, std::span<const std::span<std::uint8_t>> buffers,
            SharedMemory& shared, std::span<Warp> warps, MatrixUnit& matrix_unit,
            CausalOrder& order, int rank);

  /// True if `launch` needs this unit.
  static bool is_used_by(const isa::KernelLaunch& launch);

  /// The units and the shared memory of all CTAs of the cluster, by rank, including this one.
  void join(std::span<AsyncUnit* const> peers, const ClusterMemory& memory,
            ClusterBarrier& barrier) {
    peers_ = peers;
    cluster_memory_ = &memory;
    cluster_barrier_ = &barrier;
  }

  /// Executes the next instruction of `warp`, which has an asynchronous effect. If it sets
  /// `goes_on` to false, the instruction has not been executed: the warp waits for others.
  [[nodiscard]] Failure execute(Warp& warp, bool& goes_on);
  /// Checks the next instruction of `warp`, whatever it is, for races with open products.
  void check_registers(const Warp& warp) { products_.check_registers(warp); }
  /// `warp` exits: the cluster barrier no longer waits for it.
  void leave_cluster(const Warp& warp);
  /// Stores boxes whose completion `warp` has waited for.
  void store(std::span<const TileCopy> boxes);
  /// Describes what `warp`, whose next instruction was not executed, waits for.
  [[nodiscard]] std::string wait_text(const Warp& warp);

 private:
  Failure synchronize(Warp& warp, isa::Effect effect, bool& goes_on);
  Failure meet(Warp& warp, bool waits, bool& goes_on);
  Failure init(const Warp& warp, std::int64_t address, std::int64_t arrivals);
  Failure copy(Warp& warp, isa::Effect effect);
  Failure load(const TileCopy& copy, std::int64_t barrier);
  Failure put(const TileCopy& copy, std::int64_t barrier);
  void hand_over_copies(Warp& warp, std::int64_t address);
  Failure arrive(const Warp& warp, std::int64_t address, std::int64_t bytes);
  numerics::Result<AsyncUnit*> peer(std::int64_t rank);
  void arrive_at_cluster(const Warp& warp);
  void complete_cluster_phase();
  Failure wait_for_cluster(const Warp& warp, bool& goes_on);

  SharedMemory& shared_;
  CausalOrder& order_;
  std::span<Warp> warps_;
  TileUnit tiles_;
  Mbarriers barriers_;
  Mbarriers named_;  ///< barriers for some warps of the CTA, by number
  GroupProducts products_;
  std::span<AsyncUnit* const> peers_;
  const ClusterMemory* cluster_memory_ = nullptr;
  ClusterBarrier* cluster_barrier_ = nullptr;
};

}  // namespace tcsim::functional
