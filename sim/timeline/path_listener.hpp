#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "models/isa/opcode.hpp"
#include "models/sm/kernel.hpp"
#include "models/sm/observer.hpp"
#include "models/sm/warp.hpp"
#include "sim/timeline/critical_path.hpp"
#include "sim/timeline/path_nodes.hpp"
#include "sim/timeline/path_reads.hpp"

namespace tcsim::timeline {

/// What the SMs have in common: they run one after the other, a window at a time.
struct PathEvents {
  /// An action of a CTA of a cluster that other CTAs of it may wait for.
  struct Reached {
    std::int64_t barrier = 0;  ///< byte of the mbarrier; kClusterBarrier
    PathRef event;
  };
  static constexpr std::int64_t kClusterBarrier = -1;
  static constexpr std::size_t kReachedKept = 256;

  PathNodes nodes;
  PathReads reads;
  Cycle origin = 0;
  std::vector<const sm::Kernel*> kernels;               ///< in the order of their launch
  std::vector<KernelPath> programs;                     ///< the same: names and instructions
  std::map<std::int64_t, std::deque<Reached>> reached;  ///< by cluster of the kernel under way

  /// Its place in the order of launches.
  std::size_t number_of(const sm::Kernel& kernel);
  /// The latest event at `barrier` of a cluster before `now`.
  PathRef latest(std::int64_t cluster, std::int64_t barrier, Cycle now) const;
};

/// Follows what every event on one SM waited for last.
class PathListener : public sm::Observer {
 public:
  PathListener(int number, PathEvents& shared)
      : sm_(static_cast<std::uint16_t>(number)), shared_(shared) {}

  void begin_kernel(const sm::Kernel& kernel) override;

  void launched(int cta_slots, Cycle launch) override;

  /// CTAs replace those that have ended, in that order.
  void started(const sm::Warp& warp, Cycle at) override;

  void issued(const sm::Warp& warp, const sm::IssueWait& wait, Cycle now) override;

  void entered_memory(sm::IssueId instruction, const sm::MemoryEntry& entry) override;

  void answered(std::uint32_t tag, Cycle now) override {
    answered_ = now;
    answered_read_ = shared_.reads.take(sm_, tag);
  }

  void completed(sm::IssueId instruction, Cycle at) override;

  void changes_mbarrier(sm::IssueId instruction, Cycle at) override;

  void started_product(const sm::Warp& first, const sm::ProductTurn& turn) override;

  void released(const sm::Warp& warp, Cycle now) override;

  void ended(std::uint16_t cta_slot, Cycle at) override;

  /// The last event of kernel `ordinal` on this SM, and the cause of the time until `end`.
  [[nodiscard]] std::pair<PathRef, PathCause> last_of(std::size_t ordinal, Cycle end) const;

 private:
  /// What something waited for last.
  struct Wait {
    PathRef before;
    PathCause cause = PathCause::kDependence;
  };
  /// A memory instruction of a warp.
  struct Operation {
    Cycle issue = 0;
    PathRef issued{};
    PathRef entered{};
    PathRef completed{};
    Cycle read = kNever;  ///< its sources
    Cycle done = kNever;
  };
  struct Recent {
    PathRef event;
    Cycle result = 0;  ///< where its latency is fixed
  };
  struct OfWarp {
    std::uint16_t cta_slot = 0;
    isa::Effect last_effect{};
    PathRef last;  ///< its latest issue, or its start
    Wait release;  ///< from what held it
    std::array<Recent, 16> recent;
    std::size_t issues = 0;
    std::int64_t waits_at = 0;          ///< byte of the mbarrier that it has waited at last
    std::vector<Operation> operations;  ///< that later instructions may wait for
  };
  struct OfSubCore {
    PathRef last;  ///< issue
    std::array<PathRef, isa::kPipeCount> users;
    PathRef entered;  ///< the memory pipeline
  };
  struct OfCta {
    PathRef start;
    PathRef exit;   ///< latest
    PathRef store;  ///< latest
  };
  struct OfKernel {
    PathRef cta;    ///< the latest end of one
    PathRef store;  ///< the latest store or atomic
  };
  /// An instruction that changes an mbarrier of its CTA.
  struct Signal {
    std::uint8_t warp = 0;
    std::uint16_t cta_slot = 0;
    bool is_box = false;
    Cycle issue = 0;
    PathRef event{};    ///< the issue; then the change
    Cycle at = kNever;  ///< of the change
  };
  struct Product {
    sm::ProductTurn turn{};
    std::uint16_t cta_slot = 0;
    PathRef start;
    PathRef joined;  ///< what let it into the queue
  };

  PathRef add(Cycle at, const PathRef& before, PathCause cause, const PathNode& place);

  /// The way of the read that has just been answered, behind `before`: what it took to send it is
  /// `until_sent`.
  PathRef add_answer(const PathRef& before, PathCause until_sent);
  PathNode place_of(const sm::Warp& warp) const;

  OfSubCore& sub_core_of(const sm::Warp& warp);

  Operation* find(sm::IssueId instruction);

  PathCause latency_of(const PathNode& place) const;

  /// What the instruction of `warp` that issues at `now` waited for last.
  Wait last_wait(const sm::Warp& warp, const sm::IssueWait& wait, Cycle now);

  /// What `operation` waited for last before it could enter the memory pipeline, apart from
  /// arriving data and operands on the path.
  [[nodiscard]] Wait wait_to_enter(const Operation& operation, const OfSubCore& sub_core,
                                   const sm::MemoryEntry& entry) const;

  /// The same, of what the warp itself was not ready for.
  Wait dependence(const OfWarp& own, const sm::IssueWait& wait) const;

  /// The memory operation whose end at `ready` let the warp go on.
  static Wait operation_result(const OfWarp& own, Cycle ready, PathCause otherwise);

  /// The latest instruction of the warp whose latency ended at `ready`, or its last one, whose
  /// stall did.
  static Wait fixed_result(const OfWarp& own, Cycle ready, PathCause cause);

  /// The product of a warpgroup that was written at `ready`, or could join the queue then; without,
  /// the warp's last MMA.
  Wait product_result(const OfWarp& own, Cycle ready) const;

  void note_asynchronous(const sm::Warp& warp, const PathRef& event);

  void note_reached(const sm::Warp& warp, std::int64_t barrier, const PathRef& event);

  std::int64_t cluster_of(const sm::Warp& warp) const;

  /// The change of an mbarrier at `now` that completed its phase.
  Wait end_of_phase(const sm::Warp& warp, Cycle now);

  const std::uint16_t sm_;
  PathEvents& shared_;
  const sm::Kernel* kernel_ = nullptr;
  std::size_t ordinal_ = 0;  ///< of the kernel under way
  PathRef launch_;
  std::size_t started_ = 0;    ///< CTAs
  std::deque<PathRef> ended_;  ///< CTAs in whose places none has started
  std::vector<OfWarp> warps_;  ///< by hardware warp
  std::vector<OfCta> ctas_;    ///< by slot
  std::vector<OfSubCore> sub_cores_;
  std::vector<OfKernel> ends_;  ///< by kernel
  std::deque<Signal> signals_;
  std::deque<Product> products_;
  PathRef latest_;        ///< issue
  PathRef last_entered_;  ///< the memory pipeline
  PathRef fp64_user_;
  Cycle answered_ = 0;  ///< the latest answer of the memory side
  std::optional<PathReads::Read> answered_read_;
};

}  // namespace tcsim::timeline
