#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/memory/cluster_table.hpp"
#include "models/memory/line_request.hpp"
#include "models/sm/async_operands.hpp"
#include "models/sm/barrier_unit.hpp"
#include "models/sm/code_supply.hpp"
#include "models/sm/completion_queue.hpp"
#include "models/sm/constant_cache.hpp"
#include "models/sm/grid_jump.hpp"
#include "models/sm/group_tensor.hpp"
#include "models/sm/kernel.hpp"
#include "models/sm/loop_jump.hpp"
#include "models/sm/memory_pipeline.hpp"
#include "models/sm/observer.hpp"
#include "models/sm/params.hpp"
#include "models/sm/peer_message.hpp"
#include "models/sm/peer_port.hpp"
#include "models/sm/residency.hpp"
#include "models/sm/scoreboard.hpp"
#include "models/sm/sub_core.hpp"
#include "models/sm/wait.hpp"
#include "models/sm/warp.hpp"
#include "models/stats/stats.hpp"

namespace tcsim::sm {

/// One streaming multiprocessor. Its owner starts CTAs, delivers data from the memory side and
/// takes requests out. In between, `run` advances it from event to event, so that cycles in which
/// nothing can happen cost nothing.
class Sm {
 public:
  Sm(const SmParams& params, int index, stats::Group& parent);

  int sub_cores() const { return static_cast<int>(sub_cores_.size()); }
  /// From now on `unit`, which must outlive the SM, decides when a sub-core may issue an MMA.
  void attach(int sub_core, TensorUnit& unit) {
    sub_cores_[static_cast<std::size_t>(sub_core)]->attach(unit);
  }
  /// From now on `observer`, which must outlive the SM, sees what it does. Requires is_idle().
  void attach(Observer& observer);

  /// Makes room for `cta_slots` CTAs of `kernel`, launched at `launch`; warps start at `first_cta`
  /// at the earliest. The L1 starts empty with `l1_bytes`. Requires is_idle().
  void begin_kernel(const Kernel& kernel, int cta_slots, std::int64_t l1_bytes, Cycle launch,
                    Cycle first_cta);
  /// Puts line `line` of code memory into the instruction L1, if there is one.
  void install_code(std::uint32_t line) {
    if (!code_.is_perfect()) code_.caches().install(line);
  }
  /// Line `line` of code memory, a line of constants, has been rewritten: cached copies are stale.
  void drop_constants(std::uint32_t line) {
    if (constants_.is_perfect()) return;
    constants_.drop(line);
    code_.caches().drop(line);
  }
  /// Starts the CTA at `place`; its warps may issue from `at` on. Requires a free slot, that `at`
  /// is not before the end of the last `run`, and that no earlier CTA has a later start. CTAs of a
  /// cluster start at the same time.
  void start_cta(const CtaPlace& place, Cycle at) { residency_.hand_over(place, at); }
  /// From now on `clusters`, which must outlive the SM, tells where the CTAs of clusters are.
  void use(const memory::ClusterTable& clusters) { peer_port_.use(clusters); }
  /// Messages to other SMs so far; the owner takes all of them. None is due before the end of the
  /// `run` that produced it.
  std::vector<PeerMessage>& outgoing_messages() { return peer_port_.outgoing(); }
  /// `message` has arrived from another SM. Requires message.at >= the end of the last `run`.
  void post(const PeerMessage& message) { incoming_.insert(message); }
  int free_cta_slots() const { return residency_.free_cta_slots(); }
  /// True if all its warps are in loops whose iterations they may skip (sm::are_in_loops).
  bool are_in_loops() const { return sm::are_in_loops(residency_); }
  /// How far its CTAs have advanced through their loops.
  std::vector<LoopProgress> loop_progress() const { return sm::loop_progress(residency_); }
  /// Replaces its CTAs by those `ctas` places later in the grid (sm::renumber).
  void renumber(std::int64_t ctas) {
    if (kernel_ != nullptr) sm::renumber(residency_, *kernel_, ctas);
  }
  /// What its CTAs have read until now (sm::read_again).
  std::int64_t most_trips_done() const { return sm::most_trips_done(residency_); }
  void read_again(std::int64_t trip, const AccessListener& listener) {
    if (kernel_ != nullptr) sm::read_again(residency_, *kernel_, trip, listener);
  }
  /// Starts skipping iterations of these loops. Requires a resident CTA.
  LoopJump jump() { return {residency_, *kernel_, sub_cores()}; }

  /// Answers of the memory side, to be consumed by later `run` calls; in order of cycle, none
  /// before the end of the last `run`.
  std::vector<memory::LineResponse>& inbox() { return inbox_; }
  /// Advances to `until` (exclusive).
  void run(Cycle until);

  /// Requests for data so far, in order of their cycle; the owner takes a prefix.
  std::vector<memory::LineRequest>& requests() { return pipeline_.requests(); }
  /// The same for code.
  std::vector<memory::LineRequest>& code_requests() { return code_.requests(); }
  /// The same for boxes of tensors.
  std::vector<memory::LineRequest>& tile_requests() { return pipeline_.tile_requests(); }
  bool has_requests() const { return pipeline_.has_requests() || code_.has_requests(); }
  /// Cycles at which CTAs ended since the owner last cleared the list.
  std::vector<Cycle>& ended_ctas() { return residency_.ended_ctas(); }
  /// The clusters of those CTAs, for CTAs that are in a cluster.
  std::vector<std::uint16_t>& left_clusters() { return residency_.left_clusters(); }

  /// Its last CTA of a kernel ended at `ended` and its last access of global memory at `done`:
  /// charges the cycles up to then. Requires is_idle().
  void drain(Cycle ended, Cycle done);
  /// Charges the remaining cycles before `end`, at which the run ends, to what the warps wait for,
  /// or to having no warp.
  void charge_rest(Cycle end);

  bool is_idle() const {
    return residency_.resident_warps() == 0 && !residency_.has_pending() && pipeline_.is_idle() &&
           completions_.is_empty();
  }
  /// The cycle in which it became idle. Requires is_idle().
  Cycle idle_since() const { return idle_since_; }
  int resident_warps() const { return residency_.resident_warps(); }
  /// The cycle of the last answer to an access of global memory; CTAs do not wait for stores, nor
  /// for loads and atomics whose results nothing uses.
  Cycle last_answer() const { return pipeline_.last_answer(); }
  std::uint64_t warp_instructions() const;
  std::uint64_t mma_instructions() const;

  /// The cycle at which `run` next has something to do; kNever if only its owner can change that.
  Cycle next_event() const;
  /// True if a store or an atomic of some warp has not been answered, wherever it is on its way.
  bool has_writes_under_way() const { return pipeline_.writes().any(); }
  /// True if more than results of loads is on its way to the warps and CTAs: copies, boxes,
  /// products, arrivals, messages from other SMs.
  bool has_more_than_loads_under_way() const;
  /// True if a CTA has been handed over and has not started.
  bool has_pending_ctas() const { return residency_.has_pending(); }
  /// What the resident warps wait for, oldest warp first.
  std::vector<WarpWait> waits() const;
  /// The kernel that began last, or null.
  const Kernel* kernel() const { return kernel_; }

 private:
  Cycle next_event(std::size_t received) const;
  void start_next_cta();
  void start(Warp& warp, Cycle now);
  void note_idle(Cycle now);
  void receive(const memory::LineResponse& response, Cycle now);
  void code_arrived(std::uint32_t line, Cycle now);
  void take_number(const Warp& warp, std::uint32_t count, Cycle now);

  // Effects of issued instructions (issue_effects.cpp).
  void carry_out(Warp& warp, Cycle now);
  void access_memory(Warp& warp, std::uint32_t lanes, Cycle now);
  void execute(Warp& warp, const DecodedInstruction& instruction, Cycle now);
  void move_on(Warp& warp, Cycle now);
  void exit(Warp& warp, Cycle now);

  // Effects of asynchronous instructions (asynchronous.cpp).
  void carry_out_asynchronous(Warp& warp, std::uint32_t lanes, Cycle now);
  void go_on_after_latency(Warp& warp, Cycle now);
  Cycle mbarrier_turn(Cycle now);
  void change_barrier(Warp& warp, const BarrierValues& named, Cycle now);
  void wait_for_phase(Warp& warp, const BarrierValues& named, Cycle now);
  void change_phase(int cta_slot, int barrier, int arrivals, std::int64_t bytes, CycleReason reason,
                    Cycle now);
  void copy_box(Warp& warp, Cycle now);
  void box_is_done(int cta_slot, Cycle now);

  // How CTAs of a cluster interact (clusters.cpp).
  void arrive_remotely(const Warp& warp, const BarrierValues& named, Cycle now);
  void put_box(const Warp& warp, IssuedBox& box, Cycle now);
  void copy_box_to_many(const Warp& warp, IssuedBox& box, Cycle now);
  void receive_for_cluster(const LineForCta& line, Cycle now);
  void receive(const PeerMessage& message, Cycle now);
  [[nodiscard]] Cycle seen_in_cluster(int size, Cycle now) const;
  void arrive_at_cluster(Warp& warp, Cycle now);
  void tell_cluster_if_complete(const Warp& warp, Cycle now);
  void leave_cluster(const Warp& warp, Cycle now);
  void wait_for_cluster(Warp& warp, Cycle now);
  void cta_came_to_cluster(int cta_slot, CycleReason reason, Cycle now);
  void cta_left_cluster(int cta_slot, int arrivals, Cycle now);
  void open_cluster_if_complete(int cta_slot, CycleReason reason, Cycle now);
  void meet_for_product(Warp& warp, Cycle now);
  void start_product(Cta& cta, int first_warp, const DecodedInstruction& product, Cycle now);
  static int barrier_at(Cta& cta, std::int64_t byte);

  // How warps wait for each other and for memory (synchronization.cpp).
  void arrive_at_barrier(const Warp& warp, const isa::NamedBarrier& named, Cycle now);
  void open_complete_barriers(Cta& cta, Cycle now);
  void pass_fence(Warp& warp, Cycle now);
  void end_fence(Warp& warp, Cycle latency, Cycle now);
  bool has_writes_under_way(const Warp& warp) const;
  void settle_fences(Cycle now);

  // When a warp may issue next (readiness.cpp).
  void complete(const Completion& completion, Cycle now);
  void complete_for_cta(const Completion& completion, Cycle now);
  void count_down(Warp& warp, CompletionToken token, CycleReason reason, Cycle now);
  void go_on(Warp& warp, CycleReason reason, Cycle now);
  void release(Warp& warp, Cycle now);
  void settle(Warp& warp, Cycle now, CycleReason reason);
  bool settle_dependences(Warp& warp);

  SubCore& sub_core_of(const Warp& warp) { return *sub_cores_[warp.sub_core]; }

  const SmParams params_;
  const bool fp64_is_shared_;
  stats::Group group_;
  static constexpr int kMaxSubCores = 8;
  std::array<Cycle, kMaxSubCores> next_attempts_;  ///< per sub-core: when it may issue next
  std::vector<std::unique_ptr<SubCore>> sub_cores_;
  CompletionQueue completions_;
  CodeSupply code_;
  ConstantCache constants_;
  PeerPort peer_port_;
  MemoryPipeline pipeline_;
  BarrierUnit barrier_unit_;
  GroupTensor group_tensor_;
  Cycle mbarrier_unit_free_ = 0;
  Residency residency_;
  const Kernel* kernel_ = nullptr;
  std::vector<Scoreboard> scoreboards_;  ///< by hardware warp; empty where control bits decide
  bool was_idle_ = true;                 ///< as of the latest cycle without warps
  Cycle idle_since_ = 0;
  std::vector<memory::LineResponse> inbox_;
  std::multiset<PeerMessage, EarlierMessage> incoming_;
  struct WaitingFence {
    Warp* warp = nullptr;
    Cycle latency = 0;  ///< latency of the fence itself, once all writes are answered
  };
  std::vector<WaitingFence> fences_;
  Observer* observer_ = nullptr;
};

}  // namespace tcsim::sm
