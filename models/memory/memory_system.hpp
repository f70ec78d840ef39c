#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/dram/params.hpp"
#include "models/memory/address_map.hpp"
#include "models/memory/cached_line.hpp"
#include "models/memory/calendar.hpp"
#include "models/memory/clock_ratio.hpp"
#include "models/memory/cluster_table.hpp"
#include "models/memory/coalescer.hpp"
#include "models/memory/dram_port.hpp"
#include "models/memory/held_requests.hpp"
#include "models/memory/l2_slice.hpp"
#include "models/memory/line_request.hpp"
#include "models/memory/network.hpp"
#include "models/memory/observer.hpp"
#include "models/memory/params.hpp"
#include "models/memory/tlb.hpp"
#include "models/stats/stats.hpp"

namespace tcsim::memory {

struct MemoryClocks {
  int sm_mhz;
  int l2_mhz;
  int memory_mhz;
};

/// Address translation, network, L2 and DRAM of the chip: reads, writes and atomics of lines go in,
/// data come back. Physical addresses have 39 bits (512 GiB, more than any board here has); higher
/// bits are ignored.
/// Event-driven on the L2 clock. Events of one cycle are handled in a fixed order (DRAM data,
/// crossings, requests), and within each kind in the order in which its single producer made them.
/// So results do not depend on how time is split into `advance` calls.
class MemorySystem {
 public:
  MemorySystem(const NocParams& noc, const L2Params& l2, const TlbParams& tlb,
               const dram::DramParams& dram, const MemoryClocks& clocks, const Topology& topology,
               stats::Group& parent);

  /// The shortest time, in SM cycles, from a request leaving an SM to its data arriving there: no
  /// `advance` may span more.
  Cycle largest_quantum() const;

  /// From now on `clusters`, which must outlive this object, tells where reads for several CTAs go.
  void use(const ClusterTable& clusters) { clusters_ = &clusters; }
  /// From now on `observer`, which must outlive this object, is told of reads.
  void attach(Observer& observer) { observer_ = &observer; }

  /// Takes a request. Over all calls, requests must be ordered by (cycle, sm), and request.cycle
  /// must be >= the `until` of the last `advance`.
  void inject(const LineRequest& request);

  /// Every request that leaves an SM before SM cycle `until` has been injected. Processes them as
  /// far as they are then determined and appends data to `inbox[sm]`, in order of arrival, all at
  /// or after `until`.
  void advance(Cycle until, std::vector<std::vector<LineResponse>>& inbox);

  /// Number of DRAM channels, which share nothing with each other.
  std::size_t channels() const { return dram_.channels(); }
  /// With `lag`, `advance` leaves the channels to the functions below from now on; without, it runs
  /// them again. While channels lag, an `advance` may span at most largest_lagging_quantum().
  /// Requires a previous `advance`.
  void let_channels_lag(bool lag);
  /// At most largest_quantum(); 0: the channels cannot lag.
  Cycle largest_lagging_quantum() const;
  /// Hands the channels everything that the slices have sent so far.
  void begin_channels() { dram_.begin(served_until_); }
  /// Processes what channel `channel` has been handed. May run concurrently with the other channels
  /// and with one `advance`.
  void carry_channel(std::size_t channel) { dram_.carry(channel); }
  /// Returns the results to the slices, and processes the channels that have not run. Call it once
  /// between two `advance` calls.
  void end_channels();

  /// True when nothing at all is in flight: no request, no answer, no burst. Dirty lines stay where
  /// they are.
  bool is_quiet() const { return has_no_work() && replies_.empty(); }

  /// Sets all words of flag buffers to 0. Requires is_quiet().
  void clear_flags() { flags_.clear(); }
  /// The word of a flag buffer at `address`, as seen by its slice.
  std::uint32_t flag(std::uint64_t address) const;
  /// False if a flag has decreased so recently that a read in flight may have seen a greater value.
  bool flags_rise() const {
    constexpr Cycle kRoundTrips = 1000;
    return flag_fell_at_ < 0 || served_until_ - flag_fell_at_ > kRoundTrips * round_trip_;
  }

  /// Puts the line at `address` into its home slice, as if it had been read (with `dirty`, written)
  /// long ago; what it displaces counts as already written back. Requires has_no_work().
  void install(std::uint64_t address, bool dirty = false);
  /// The same in the partition in which the line has no home, as if one of that partition's SMs had
  /// read it. Requires two partitions.
  void install_copy(std::uint64_t address);

  /// The partition whose slices are near SM `sm`.
  int partition_of(int sm) const {
    return topology_.gpc_of_sm[static_cast<std::size_t>(sm)] * l2_.partitions / topology_.gpcs;
  }

  /// Number of lines that all slices together hold.
  std::int64_t l2_lines() const { return l2_.bytes / l2_.line_bytes; }

  /// Leaves the L2 as if SM `sm` had read `sectors` of the line at `address`, in no time and
  /// without counting: the line becomes the most recently used one of its set. Dirty bytes that it
  /// displaces are dropped. Does nothing if all lines of the set are being fetched. Returns the
  /// number of sectors that DRAM would have had to read.
  int warm(std::uint64_t address, std::uint8_t sectors, int sm);
  /// The same as if it had written them: copies of them are stale, and lines of a set beyond its
  /// limit of dirty lines become clean.
  void warm_written(std::uint64_t address, std::uint8_t sectors);
  [[nodiscard]] int sector_bytes() const { return l2_.sector_bytes; }
  /// What one burst of DRAM moves.
  [[nodiscard]] std::uint64_t burst_bytes() const { return burst_bytes_; }

  /// Puts the line at `address` into its home slice as newly written: copies of it are stale.
  /// Requires has_no_work().
  void renew(std::uint64_t address);

  /// Puts the pages of [address, address + bytes) into the chip's TLB, as if they had been used
  /// long ago.
  void install_pages(std::uint64_t address, std::uint64_t bytes);

  /// Sets whether dirty lines go to DRAM ahead of time; if not, they stay until they are replaced
  /// or this is allowed again. Initially allowed.
  void let_clean(bool allowed) { may_clean_ = allowed; }

  /// Every line of the L2, least recently used first: by age within its slice, alternating between
  /// slices. Requires has_no_work().
  std::vector<CachedLine> lines() const;
  /// The lines that have dirty sectors, in any order. Requires has_no_work().
  std::vector<CachedLine> dirty_lines() const;
  /// Bytes of dirty sectors in the L2.
  std::uint64_t dirty_bytes() const;
  /// Fills an L2 that was never used with lines in that order. If a set has no room, its oldest
  /// lines are dropped and not written back. Requires distinct lines.
  void restore(const std::vector<CachedLine>& lines);
  /// Cleans every set that is due, in no time and without counting.
  void clean_at_once();

 private:
  struct Waiter {
    std::uint32_t tag = 0;
    std::uint16_t sm = 0;
    std::uint8_t sectors = 0;    ///< requested
    std::uint8_t remaining = 0;  ///< not yet here
    int near_slice = -1;
    std::uint32_t near_place = 0;
    std::int32_t next = -1;
    std::uint16_t entry = LineRequest::kNoEntry;
    std::uint16_t ranks = 0;
    std::uint16_t cluster = 0;
    LineAccess access = LineAccess::kRead;
    AtomicLanes atomic{};
    FlagAccess flag{};
  };
  struct Fill {
    std::uint32_t place = 0;
    std::uint16_t slice = 0;
    std::uint8_t sectors = 0;
    bool is_copy = false;
  };
  struct Reply {
    std::uint32_t tag = 0;
    std::uint16_t sm = 0;
    std::uint16_t bytes = 0;
    std::uint32_t flag = 0;
    Shared shared = Shared::kNot;
  };

  /// True when no later L2 cycle changes anything unless a request arrives.
  bool has_no_work() const {
    return network_.is_empty() && arrivals_.empty() && crossing_requests_.empty() &&
           crossing_fills_.empty() && dram_fills_.empty() && !dram_.is_busy();
  }
  CachedLine cached_line(int slice, int place) const;
  void install_in(int slice, const HomeAddress& home, std::uint32_t number, bool dirty);
  std::uint8_t warm_in(int slice, const HomeAddress& home, std::uint32_t number,
                       std::uint8_t sectors);
  void reach_slice(const SliceRequest& request, Cycle at);
  void step(Cycle now);
  void advance_channels(Cycle until);
  /// Processes what is due, in order.
  void fill_all(Cycle now);
  void prefetch_due_sets();
  void arrive(SliceRequest& request, Cycle now);
  void admit(const SliceRequest& request, Cycle now);
  void reply_to(const Coalescer::Member& member, Cycle leaves);
  void answer(const Coalescer::Member& read, Cycle leaves, Shared shared);
  void admit_held(std::size_t slice, Cycle now);
  bool is_full(std::size_t slice) const {
    return slices_[slice]->blocked.size() >= static_cast<std::size_t>(l2_.queue_entries);
  }
  void serve(const SliceRequest& request, Cycle now);
  bool try_serve(const SliceRequest& request, Cycle start);
  void serve_blocked(std::deque<SliceRequest>& blocked, Cycle now);
  bool try_read(const SliceRequest& request, Cycle start);
  bool try_write(const SliceRequest& request, Cycle start);
  int allocate(int slice, std::uint32_t number, std::uint32_t set, bool is_copy, Cycle start);
  void make_dirty(int slice, int place, std::uint8_t sectors, Cycle start);
  void clean(int slice, Cycle start);
  void go_on(int slice, Cycle now);
  void write_back(int slice, int place, Cycle start);
  void fetch(int place, const SliceRequest& request, std::uint8_t sectors, Cycle start);
  void fill(const Fill& fill, Cycle now);
  void answer_waiters(const Fill& fill, SliceLine& line, Cycle now);
  void reply(int slice, int place, const Waiter& waiter, Cycle start);
  void tell_found(const Waiter& waiter, Cycle start, Cycle leaves) const {
    if (observer_ != nullptr) [[unlikely]]
      observer_->found(waiter.sm, waiter.tag, l2_to_sm_.up(start), l2_to_sm_.up(leaves));
  }
  void carry_out_atomic(int slice, int place, const Waiter& waiter, Cycle start);
  void drop_copies(int home, std::uint32_t number, std::uint32_t set, std::uint8_t sectors);
  /// Sends bursts for `sectors` of the line at `place`, which begins at byte `line.address` of its
  /// slice.
  void send_bursts(int slice, int place, std::uint8_t sectors, const dram::Burst& line, Cycle at);
  std::int32_t new_waiter(const Waiter& waiter);
  /// The address of the flag that `waiter` accesses, in the line at `place`.
  std::uint64_t flag_address(int slice, int place, const Waiter& waiter) const;
  std::uint8_t all_sectors() const {
    return static_cast<std::uint8_t>((1U << (l2_.line_bytes / l2_.sector_bytes)) - 1);
  }
  std::uint32_t line_number(std::uint64_t address) const {
    return static_cast<std::uint32_t>(line_bytes_.quotient(address));
  }
  std::uint32_t set_of(int slice, const HomeAddress& home) const {
    return slices_[static_cast<std::size_t>(slice)]->tags.set_of(line_bytes_.quotient(home.local));
  }
  bool is_far(int slice, int sm) const { return slice / slices_per_partition_ != partition_of(sm); }
  int copy_of(int home, int near) const {
    return home % slices_per_partition_ + near * slices_per_partition_;
  }

  const L2Params l2_;
  const Cycle request_latency_;
  const Cycle round_trip_;
  const Cycle crossing_;  ///< one way between the partitions
  const ClockRatio sm_to_l2_;
  const ClockRatio l2_to_sm_;
  const AddressMap map_;
  const Divider line_bytes_;
  const Topology topology_;
  const int answer_bytes_;           ///< of the answer to a write
  const std::uint64_t burst_bytes_;  ///< divides a sector
  const int slices_per_partition_;
  const Cycle multicast_latency_;
  Observer* observer_ = nullptr;
  const ClusterTable* clusters_ = nullptr;
  Network network_;
  stats::Group group_;
  Tlb tlb_;
  std::vector<std::unique_ptr<L2Slice>> slices_;
  std::vector<Port> crossing_ports_;  ///< for data towards each partition
  HeldRequests<SliceRequest> held_;
  std::optional<Coalescer> coalescer_;  ///< if the machine has one
  DramPorts dram_;

  Calendar<SliceRequest> arrivals_;
  Calendar<SliceRequest> crossing_requests_;
  Calendar<Fill> crossing_fills_;
  Calendar<Fill> dram_fills_;
  Calendar<Reply> replies_;
  Cycle served_until_ = 0;   ///< L2 clock: slices have handled everything before this
  Cycle replied_until_ = 0;  ///< L2 clock: replies that left slices before this have been delivered
  std::vector<Waiter> waiters_;
  std::int32_t free_waiter_ = -1;
  std::unordered_map<std::uint64_t, std::uint32_t> flags_;  ///< flags that are not 0, by address
  bool may_clean_ = true;
  bool channels_lag_ = false;
  Cycle flag_fell_at_ = -1;  ///< when a flag last decreased; -1: never

  std::vector<SliceRequest> due_arrivals_;  // scratch, kept for its capacity
  std::vector<Fill> due_fills_;
  std::vector<Reply> due_replies_;
  std::vector<DramFill> dram_done_;
};

}  // namespace tcsim::memory
