#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/dram/address_mapping/address_mappings.hpp"
#include "models/dram/command.hpp"
#include "models/dram/constraints.hpp"
#include "models/dram/counters.hpp"
#include "models/dram/params.hpp"
#include "models/dram/refresh.hpp"
#include "models/dram/request_queue.hpp"
#include "models/dram/timing.hpp"
#include "models/dram/turn.hpp"
#include "models/stats/stats.hpp"

namespace tcsim::dram {

/// One burst to move, DramTiming::bytes_per_burst bytes.
struct Burst {
  std::uint64_t tag;      ///< returned with the completion, otherwise unused
  std::uint64_t address;  ///< byte address within the channel: its bytes are contiguous, other
                          ///< channels left out
  bool write;
  std::uint16_t source = 0;  ///< who asked, < kMaxSources; of use to policies that know sources
};

/// A burst whose last data has passed the bus.
struct Completion {
  std::uint64_t tag;
  Cycle at;  ///< read: first clock at which all data is in the controller; write: in the DRAM's
             ///< buffers
  bool write;

  bool operator==(const Completion&) const = default;
};

/// Called for every command with its clock, its bank (bank_group * banks_per_group + bank) and the
/// row that is open after it, before it for a PRECHARGE, -1 for a REFRESH.
using CommandObserver = std::function<void(Cycle, Command, int dram_bank, std::int64_t row)>;

/// One DRAM channel (HBM: pseudo-channel) with its controller queue: open rows, a scheduling
/// policy, writes in batches, rotating single-bank refresh. All times are memory clocks of this
/// channel, from 0.
///
/// In each clock at most one column command (READ, WRITE) and one row command issue. Both are
/// chosen from the state at the start of the clock:
/// - column: of the direction whose turn it is, among the banks whose next request is a row hit
///   that the constraints allow, the one that the policy ranks first;
/// - row: the refresh that is due; else ACTIVATE or PRECHARGE for the request, of those that are
///   next in their banks and no hits, that the policy ranks first, of the current direction if it
///   has one. The other direction may prepare banks that the current one does not ask for, and
///   closes no row that its own next request is for.
///
/// The clock is event-driven: only clocks at which something can happen are visited. Results do not
/// depend on how a run is cut into advance() calls.
class Channel {
 public:
  /// Requires that validate(params, memory_mhz) found nothing and timing = resolve(params,
  /// memory_mhz). The counters become group `name` of `parent`, which must outlive the channel.
  Channel(const DramTiming& timing, const DramParams& params, stats::Group& parent,
          std::string name);

  /// True when a queue entry is free in the clock up to which advance() has run. An entry is taken
  /// from push() until the READ or WRITE issues.
  [[nodiscard]] bool can_accept() const { return !queue_.is_full(); }
  /// Queues a burst that arrives at `now` and can be served from that clock on. Requires
  /// can_accept(), and `now` not earlier than the last push nor the last `until`.
  void push(Cycle now, const Burst& burst);
  /// Earliest clock at which the channel can act, hence never later than what advance() needs;
  /// kNever while it holds no burst (refreshes due meanwhile are caught up, at their proper clocks,
  /// by the next push or advance).
  [[nodiscard]] Cycle next_event() const { return queue_.is_empty() ? kNever : next_event_; }
  /// Executes all commands at clocks < `until` and appends the completions of the bursts they
  /// served, in ascending order of time. A completion is known when its command issues, so its time
  /// may lie beyond `until`. Every burst pushed, write or read, completes exactly once. Does
  /// nothing when `until` has been reached before.
  void advance(Cycle until, std::vector<Completion>& done);

  /// Attaches `observer` from the next command on; an empty one detaches.
  void observe(CommandObserver observer) { observer_ = std::move(observer); }

 private:
  /// The next command of one command bus, as far as the requests known now decide it.
  struct Candidate {
    Cycle at = kNever;
    std::uint64_t rank = 0;  ///< among candidates for the same clock the smallest wins
    Command command = Command::kRefresh;
    int dram_bank = 0;
    Direction direction = Direction::kRead;
  };

  void step(Cycle now, std::vector<Completion>& done);
  void change(BankSet banks) {
    column_changes_ |= banks;
    row_changes_ |= banks;
  }
  void pass_turn();
  void plan(Cycle from);
  void plan_refresh(Cycle from);
  void plan_rows(Cycle from, BankSet banks, Direction direction, std::uint64_t rank_base);
  void consider(Candidate& best, Cycle from, Command command, BankSet banks, Direction direction,
                std::uint64_t rank_base);
  void issue(const Candidate& chosen, Cycle now);
  void issue_column(Cycle now, std::vector<Completion>& done);
  void issue_row(Cycle now);
  void count_full_until(Cycle now);

  const DramTiming timing_;
  const AddressMappings mapping_;
  stats::Group group_;
  ChannelCounters counters_;
  CommandClock clock_;
  RequestQueue queue_;
  Turn turn_;
  RefreshRotation refresh_;
  BankSet refreshing_ = 0;  ///< the bank whose refresh is due and not yet issued
  Candidate column_;
  Candidate row_;
  /// Banks of which the last plan may not know what they now ask of a bus, or from when on.
  BankSet column_changes_ = kEveryBank;
  BankSet row_changes_ = kEveryBank;
  std::optional<Direction> last_served_;
  Cycle next_event_ = 0;
  Cycle reached_ = 0;     ///< no push may be earlier
  Cycle full_since_ = 0;  ///< meaningful while the queue is full
  CommandObserver observer_;
};

}  // namespace tcsim::dram
