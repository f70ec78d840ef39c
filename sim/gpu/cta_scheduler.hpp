#pragma once

#include <systemc>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "models/dispatch/cta_placement/cta_placements.hpp"
#include "models/memory/cluster_table.hpp"
#include "models/memory/network.hpp"
#include "models/sm/kernel.hpp"
#include "sim/config/machine.hpp"
#include "sim/gpu/code_map.hpp"
#include "sim/gpu/simulation.hpp"
#include "sim/gpu/sm_shell.hpp"

namespace tcsim::gpu {

/// Launches the kernels of streams, those of one stream one after another, and dispatches their
/// CTAs in order, one at a time. An SM holds CTAs of one kernel at a time (assumption: real ones
/// mix them). A launched kernel takes every free SM, and returns its idle SMs when its last CTA has
/// been dispatched. Kernels that wait for SMs receive them, and dispatch, in launch order. Within a
/// kernel each CTA goes to the SM that the placement policy prefers among those with a free slot at
/// that moment. The CTAs of a cluster are placed together on as many SMs of one GPC: the GPC of the
/// SM that the policy picks among the SMs whose GPC has room for all. In that GPC the emptiest SMs
/// are used; of equal ones the first (assumption).
class CtaScheduler : public sc_core::sc_module {
 public:
  /// Acts whenever `boundary` is written: every SM has then run up to its value.
  CtaScheduler(const sc_core::sc_module_name& name, const config::Machine& machine,
               const std::vector<std::unique_ptr<SmShell>>& shells,
               const std::vector<std::unique_ptr<sm::Sm>>& sms, memory::ClusterTable& clusters,
               const sc_core::sc_signal<Cycle>& boundary);
  SC_HAS_PROCESS(CtaScheduler);

  /// Sets what to run from the next boundary on, with the first launch of every stream at cycle
  /// `at`. Requires that nothing is running.
  void enqueue(const std::vector<std::vector<isa::KernelLaunch>>& streams, Cycle at);

  bool is_finished() const { return finished_; }
  /// True if CTAs of some launch interact with others of their cluster.
  bool uses_clusters() const { return uses_clusters_; }
  /// Lines of code memory that the kernels so far occupy.
  std::uint32_t code_lines() const { return code_map_.lines(); }
  /// Where the constants of the enqueued launches start, as lines of code memory.
  const std::vector<std::uint32_t>& constant_lines() const { return constant_lines_; }
  /// In the order of their launch.
  const std::vector<KernelSpan>& spans() const { return spans_; }
  std::int64_t ctas_done() const { return ctas_done_; }
  std::int64_t ctas_total() const { return ctas_total_; }

  /// The grid in progress in a run of one stream.
  struct Dispatched {
    const sm::Kernel* kernel = nullptr;
    std::int64_t ctas = 0;  ///< of the grid
    std::int64_t next = 0;  ///< next CTA to dispatch
    std::int64_t ended = 0;
    std::int64_t slots = 0;  ///< CTA slots of all its SMs
  };
  [[nodiscard]] std::optional<Dispatched> dispatched() const;
  /// Marks `ctas` CTAs of that grid as dispatched and ended, evenly spread over its SMs. Requires
  /// that so many are left.
  void leave_out(std::int64_t ctas);
  /// Calls `close_gaps`, which raises the counters of SMs by what kernel `span` issued in gaps. It
  /// counts for that kernel, whoever has the SMs by now.
  void count_gaps(std::size_t span, const std::function<void()>& close_gaps);
  /// Launch overhead in SM cycles.
  static Cycle overhead_cycles(const config::Machine& machine);

  /// True if at `now` every dispatched CTA has started and the scheduler has nothing more to do
  /// until an SM does something.
  [[nodiscard]] bool is_waiting(Cycle now) const;
  /// CTAs of a launched kernel that no SM has room for.
  struct Unplaced {
    std::string kernel;
    std::int64_t first = 0;  ///< first such CTA, by its order in the grid
    std::int64_t last = 0;
    int ctas_per_sm = 0;
    std::string limit;  ///< the resource that limits the CTAs of an SM
  };
  [[nodiscard]] std::vector<Unplaced> unplaced() const;

  /// Call this when the counters of the SMs have been reset to 0 and no kernel has issued since its
  /// launch.
  void counters_reset();

 private:
  static constexpr int kNobody = -1;

  /// A kernel that has been launched and has not ended.
  struct Grid {
    const sm::Kernel* kernel = nullptr;
    std::size_t span = 0;  ///< index of its span
    int ctas_per_sm = 0;
    std::int64_t l1_bytes = 0;
    Cycle launched = 0;
    Cycle ready = 0;  ///< when its first CTA may be dispatched
    std::int64_t next_cta = 0;
    std::int64_t ctas_left = 0;  ///< not ended
    Cycle last_dispatch = 0;
    Cycle end = 0;  ///< latest end so far

    [[nodiscard]] bool has_more() const { return next_cta < kernel->launch().cta_count(); }
  };
  struct Stream {
    std::vector<std::unique_ptr<sm::Kernel>> kernels;
    std::size_t next = 0;  ///< next kernel to launch
    std::optional<Grid> grid;
    Cycle last_end = 0;
  };
  /// An SM as the scheduler sees it.
  struct Place {
    int owner = kNobody;  ///< stream that owns it
    bool is_free = true;
    int room = 0;           ///< free slots
    std::int64_t ctas = 0;  ///< placed for its owner so far
    Cycle last_cta_end = 0;
    Cycle idle_from = 0;
    std::uint64_t instructions_before = 0;  ///< count of instructions when it was taken
    std::uint64_t mmas_before = 0;
  };
  enum class Change : std::uint8_t { kSlot, kWhole };  ///< what becomes free
  struct Release {
    Cycle at;
    Change change;
    std::size_t sm;
    bool operator>(const Release& other) const {
      return std::tie(at, change, sm) > std::tie(other.at, other.change, other.sm);
    }
  };

  std::uint32_t next_constant_line();
  void schedule();
  void collect_ended();
  void give_back_idle_sms(int stream, Cycle now);
  void count_ctas_of(const Place& place, Grid& grid);
  void end_if_done(int stream);
  void launch_next(int stream);
  void dispatch(Cycle horizon);
  void settle(Cycle until);
  void take_free_sms(int stream);
  void place_cluster(int stream, const std::vector<std::size_t>& sms);
  [[nodiscard]] std::vector<std::size_t> sms_for_cluster(int stream) const;
  [[nodiscard]] std::vector<int> by_launch() const;
  [[nodiscard]] Cycle next_change(const std::vector<int>& waiting) const;
  [[nodiscard]] int room_on(int stream, std::size_t sm) const {
    return places_[sm].owner == stream ? places_[sm].room : 0;
  }
  [[nodiscard]] bool owns_any(int stream) const;

  const config::Machine& machine_;
  const std::vector<std::unique_ptr<SmShell>>& shells_;
  const std::vector<std::unique_ptr<sm::Sm>>& sms_;
  memory::ClusterTable& clusters_;
  const sc_core::sc_signal<Cycle>& boundary_;
  const std::vector<int> gpc_of_sm_;
  const isa::TimingTable timing_;
  dispatch::CtaPlacements placement_;
  CodeMap code_map_;
  std::vector<Stream> streams_;
  std::vector<Place> places_;                  ///< by SM
  std::vector<std::uint32_t> constant_lines_;  ///< by launch
  std::uint64_t launches_ = 0;                 ///< in this run so far
  std::vector<KernelSpan> spans_;
  std::vector<int> ctas_of_cluster_;  ///< CTAs that have not ended, by cluster number in the
                                      ///< ClusterTable
  bool uses_clusters_ = false;
  bool finished_ = true;
  std::int64_t ctas_done_ = 0;
  std::int64_t ctas_total_ = 0;
  std::priority_queue<Release, std::vector<Release>, std::greater<>> releases_;
  Cycle next_dispatch_ = 0;
  std::vector<std::pair<Cycle, std::size_t>> ended_;  ///< scratch
  std::vector<Cycle> taken_;
  std::vector<std::uint16_t> left_;
};

}  // namespace tcsim::gpu
