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

/// One burst to transfer, DramTiming::bytes_per_burst bytes.
struct Burst {
  std::uint64_t tag;      ///< returned with the completion, otherwise unused
  std::uint64_t address;  ///< byte address within the channel, contiguous: bytes of other channels
                          ///< are not counted
  bool write;
  std::uint16_t source = 0;  ///< who requested it, < kMaxSources; for source-aware policies
};

/// A burst whose last data has passed the bus.
struct Completion {
  std::uint64_t tag;
  Cycle at;  ///< read: first clock at which all data are in the controller; write: in the buffers
             ///< of the DRAM
  bool write;

  bool operator==(const Completion&) const = default;
};

/// Called for every command with its clock, its bank (bank_group * banks_per_group + bank) and a
/// row: the row that is open after the command, for a PRECHARGE the row that was open before it,
/// for a REFRESH -1.
using CommandObserver = std::function<void(Cycle, Command, int dram_bank, std::int64_t row)>;

/// One DRAM channel (HBM: pseudo-channel) with its controller queue: open rows, a scheduling
/// policy, writes in batches, rotating single-bank refresh. All times are memory clocks of this
/// channel, counted from 0.
///
/// In each clock at most one column command (READ, WRITE) and one row command issue. Both are
/// chosen from the state at the start of the clock:
/// - Column: for the direction that has the turn, consider the banks whose next request is a row
///   hit that the constraints allow, and pick the one that the policy ranks first.
/// - Row: the refresh that is due. Otherwise an ACTIVATE or PRECHARGE for a request that is next in
///   its bank and is not a hit: the one that the policy ranks first, of the current direction if it
///   has any. The other direction may prepare banks that the current one does not need, and closes
///   no row that its own next request uses.
///
/// The clock is event-driven: only clocks at which something can happen are visited. Results do not
/// depend on how a run is split into advance() calls.
class Channel {
 public:
  /// Requires parameters that pass the checks of machine files and timing = resolve(params,
  /// memory_mhz). The counters become group `name` of `parent`, which must outlive the channel.
  Channel(const DramTiming& timing, const DramParams& params, stats::Group& parent,
          std::string name);

  /// True when a queue entry is free in the clock that advance() has reached. An entry is occupied
  /// from push() until its READ or WRITE issues.
  [[nodiscard]] bool can_accept() const { return !queue_.is_full(); }
  /// Queues a burst that arrives at `now` and can be served from that clock on. Requires
  /// can_accept(), and that `now` is not before the last push or the last `until`.
  void push(Cycle now, const Burst& burst);
  /// Earliest clock at which the channel can act, hence never later than advance() needs; kNever
  /// while it holds no burst. Refreshes that become due meanwhile are caught up, at their proper
  /// clocks, by the next push or advance.
  [[nodiscard]] Cycle next_event() const { return queue_.is_empty() ? kNever : next_event_; }
  /// Executes all commands at clocks < `until` and appends the completions of the bursts that they
  /// serve, in ascending order of time. A completion is known when its command issues, so its time
  /// may be after `until`. Every pushed burst, write or read, completes exactly once. Does nothing
  /// if `until` was already reached.
  void advance(Cycle until, std::vector<Completion>& done);

  /// Attaches `observer` from the next command on; an empty one detaches.
  void observe(CommandObserver observer) { observer_ = std::move(observer); }

 private:
  /// The next command of one command bus, as determined by the requests known now.
  struct Candidate {
    Cycle at = kNever;
    std::uint64_t rank = 0;  ///< among candidates for the same clock, the smallest wins
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
  /// Banks whose next command on a bus, or its earliest clock, may have changed since the last
  /// plan.
  BankSet column_changes_ = kEveryBank;
  BankSet row_changes_ = kEveryBank;
  std::optional<Direction> last_served_;
  Cycle next_event_ = 0;
  Cycle reached_ = 0;     ///< no push may be earlier than this
  Cycle full_since_ = 0;  ///< meaningful while the queue is full
  CommandObserver observer_;
};

}  // namespace tcsim::dram
