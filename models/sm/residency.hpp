#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/memory/cluster_table.hpp"
#include "models/sm/barrier.hpp"
#include "models/sm/cluster_barrier.hpp"
#include "models/sm/kernel.hpp"
#include "models/sm/load_store/writes_under_way.hpp"
#include "models/sm/mbarriers.hpp"
#include "models/sm/observer.hpp"
#include "models/sm/params.hpp"
#include "models/sm/warp.hpp"

namespace tcsim::sm {

/// A CTA from its start to the end of its last warp.
struct Cta {
  std::uint16_t number = 0;            ///< of WritesUnderWay
  Cycle start = 0;                     ///< its warps may issue from then on
  std::uint64_t first_completion = 0;  ///< smallest Completion::order of a token for it; earlier
                                       ///< tokens of its slot are for CTAs that have ended
  std::vector<int> warps;              ///< their hardware warps, by number in the CTA
  int warps_left = 0;                  ///< warps that have not exited
  CtaBarriers barriers;
  Mbarriers mbarriers;
  std::array<std::uint8_t, 8> met{};  ///< by warpgroup: warps that have issued the next product
  int boxes_under_way = 0;            ///< tensor reads in flight; for those for several CTAs, lines
  std::uint16_t cluster = memory::ClusterTable::kNone;  ///< its number in the ClusterTable
  std::uint8_t rank = 0;                                ///< in the cluster
  ClusterBarrier cluster_barrier;
  std::vector<std::uint32_t> taken;  ///< numbers received from a counter (isa::Loop::numbers)
};

/// The grid position and cluster of a CTA that is handed over.
struct CtaPlace {
  std::array<std::int64_t, 3> grid{};
  std::uint16_t cluster = memory::ClusterTable::kNone;
  std::uint8_t rank = 0;
};

/// The CTAs and warps that an SM holds, and the CTAs that have been handed over and start later.
class Residency {
 public:
  Residency(const ResidencyParams& params, int sub_cores)
      : sub_cores_(static_cast<std::size_t>(sub_cores)),
        warps_(static_cast<std::size_t>(params.max_warps)) {}

  /// Prepares `cta_slots` slots for CTAs of `kernel`. Requires that no CTA is resident.
  void begin_kernel(const Kernel& kernel, int cta_slots);

  int free_cta_slots() const { return static_cast<int>(free_cta_slots_.size()); }
  /// The CTA at `place` takes a slot; its warps start at `at`. Requires a free slot and that no
  /// earlier CTA has a later start.
  void hand_over(const CtaPlace& place, Cycle at);
  bool has_pending() const { return !pending_.empty(); }
  /// Calls `visit` with the place of every CTA that has been handed over and has not started.
  void for_each_pending(const auto& visit) {
    for (PendingCta& cta : pending_) visit(cta.place);
  }
  /// When the next CTA starts; kNever if none has been handed over.
  Cycle next_start() const { return pending_.empty() ? kNever : pending_.front().at; }
  /// Makes the warps of the next CTA resident, each before its first instruction. Requires that
  /// there is one.
  Cta& place_next();

  /// From now on `observer`, which must outlive this object, hears of the end of every CTA.
  void attach(Observer& observer) { observer_ = &observer; }

  Warp& warp(int slot) { return warps_[static_cast<std::size_t>(slot)]; }
  /// By hardware warp, including slots without a warp.
  std::vector<Warp>& warps() { return warps_; }
  const std::vector<Warp>& warps() const { return warps_; }
  Cta& cta(int slot) { return ctas_[static_cast<std::size_t>(slot)]; }
  const Cta& cta(int slot) const { return ctas_[static_cast<std::size_t>(slot)]; }
  Cta& cta_of(const Warp& warp) { return ctas_[warp.cta_slot]; }
  const Cta& cta_of(const Warp& warp) const { return ctas_[warp.cta_slot]; }

  /// The slot of the resident CTA with that rank in `cluster`, or kNoSlot.
  [[nodiscard]] int find(std::uint16_t cluster, int rank) const;
  static constexpr int kNoSlot = -1;

  int resident_warps() const { return resident_; }
  /// Resident warps, the oldest first.
  std::vector<const Warp*> by_age() const;

  /// Retires `warp` if it has exited and has nothing in flight; its CTA ends with its last warp.
  void retire_if_done(Warp& warp, Cycle now);
  /// Cycles at which CTAs ended since the owner last cleared the list.
  std::vector<Cycle>& ended_ctas() { return ended_ctas_; }
  /// The clusters of those CTAs, for CTAs that are in a cluster.
  std::vector<std::uint16_t>& left_clusters() { return left_clusters_; }

 private:
  struct PendingCta {
    CtaPlace place;
    Cycle at;
    int slot;
  };

  std::size_t lowest_free_place() const;
  void place_warp(const PendingCta& cta, int index);

  const std::size_t sub_cores_;
  const Kernel* kernel_ = nullptr;
  Observer* observer_ = nullptr;
  std::vector<Warp> warps_;  ///< by hardware warp
  std::vector<Cta> ctas_;
  std::size_t started_ = 0;          ///< CTAs so far
  std::vector<int> free_cta_slots_;  ///< the last one is used next
  std::deque<PendingCta> pending_;   ///< in order of their start
  std::vector<Cycle> ended_ctas_;
  std::vector<std::uint16_t> left_clusters_;
  std::uint64_t warps_started_ = 0;
  int resident_ = 0;
};

}  // namespace tcsim::sm
