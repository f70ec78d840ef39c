#include "models/dram/channel.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

namespace tcsim::dram {
namespace {

// Ranks of row commands that could issue in the same clock: first the refresh, then requests of the
// direction that has the turn, then the others; both groups are ordered by the policy's rank.
constexpr std::uint64_t kRefreshRank = 0;
constexpr std::uint64_t kItsTurn = 1;
constexpr std::uint64_t kNotItsTurn = std::uint64_t{1} << 63;

constexpr CommandSet kColumnCommands = Command::kRead | Command::kWrite;

Command column_command(Direction direction) {
  return direction == Direction::kRead ? Command::kRead : Command::kWrite;
}

}  // namespace

Channel::Channel(const DramTiming& timing, const DramParams& params, stats::Group& parent,
                 std::string name)
    : timing_(timing),
      mapping_(params.address_mapping, params),
      group_(std::move(name), parent),
      counters_(group_),
      clock_(constraint_table(timing), params.bank_groups, params.banks_per_group,
             params.stack_ids),
      queue_(params),
      turn_(params),
      refresh_(timing.refi_clocks, params.bank_groups * params.banks_per_group) {
  plan(0);
}

void Channel::push(Cycle now, const Burst& burst) {
  assert(can_accept());
  assert(now >= reached_);
  if (queue_.is_empty()) {
    // Without requests only refreshes can happen in this time, so nothing completes here.
    std::vector<Completion> none;
    advance(now, none);
    assert(none.empty());
  }
  reached_ = now;
  const Location location =
      mapping_.visit([&](const auto& mapping) { return mapping.locate(burst.address); });
  queue_.push(now, burst.tag, burst.write ? Direction::kWrite : Direction::kRead, burst.source,
              location);
  next_event_ = std::min(next_event_, now);
  if (queue_.is_full()) full_since_ = now;
}

void Channel::advance(Cycle until, std::vector<Completion>& done) {
  while (next_event_ < until) step(next_event_, done);
  if (until > reached_) reached_ = until;
  if (queue_.is_full()) count_full_until(until);
}

void Channel::step(Cycle now, std::vector<Completion>& done) {
  queue_.admit(now);
  if (refreshing_ == 0 && refresh_.due() <= now) {
    refreshing_ = bank_bit(refresh_.dram_bank());
    change(refreshing_);
  }
  pass_turn();
  plan(now);
  const bool column_issues = column_.at == now;
  const bool row_issues = row_.at == now;
  if (!column_issues && !row_issues) {
    assert(next_event_ > now);
    return;
  }
  // The two commands never target the same bank: a bank with a hit to serve needs no row command.
  if (column_issues) issue_column(now, done);
  if (row_issues) issue_row(now);
  if (column_issues) {
    queue_.renew();
    pass_turn();
  }
  plan(now + 1);
}

void Channel::pass_turn() {
  if (turn_.update(queue_)) change(kEveryBank);
}

/// Recomputes what changes have made stale. A candidate in a bank without changes remains the best
/// of all unchanged banks.
void Channel::plan(Cycle from) {
  change(queue_.take_changed());
  if ((column_changes_ | row_changes_) == 0) return;
  const auto begin = [](Candidate& candidate, BankSet& changes) {
    if ((changes & bank_bit(candidate.dram_bank)) == 0) return;
    candidate = {};
    changes = kEveryBank;
  };
  const Direction current = turn_.direction();
  const Direction next = other(current);
  const BankSet wanted = queue_.banks_waiting(current) & ~refreshing_;
  const BankSet served = queue_.banks_with_hit(current) & ~refreshing_;
  const BankSet spare = queue_.banks_waiting(next) & ~wanted & ~refreshing_;
  begin(column_, column_changes_);
  consider(column_, from, column_command(current), served & column_changes_, current, 0);
  begin(row_, row_changes_);
  if ((refreshing_ & row_changes_) != 0) plan_refresh(from);
  if (const BankSet banks = wanted & ~served & row_changes_; banks != 0)
    plan_rows(from, banks, current, kItsTurn);
  if (const BankSet banks = spare & ~queue_.banks_with_hit(next) & row_changes_; banks != 0)
    plan_rows(from, banks, next, kNotItsTurn);
  column_changes_ = row_changes_ = 0;
  next_event_ = std::min({column_.at, row_.at, queue_.next_arrival(),
                          refreshing_ == 0 ? std::max(from, refresh_.due()) : kNever});
}

void Channel::plan_refresh(Cycle from) {
  const int dram_bank = refresh_.dram_bank();
  const bool open = (queue_.banks_open() & refreshing_) != 0;
  const Command command = open ? Command::kPrecharge : Command::kRefresh;
  const Cycle at = std::max(from, clock_.earliest(command, dram_bank));
  if (at <= row_.at) row_ = {at, kRefreshRank, command, dram_bank, turn_.direction()};
}

void Channel::plan_rows(Cycle from, BankSet banks, Direction direction, std::uint64_t rank_base) {
  const BankSet open = queue_.banks_open();
  consider(row_, from, Command::kPrecharge, banks & open, direction, rank_base);
  consider(row_, from, Command::kActivate, banks & ~open, direction, rank_base);
}

/// Offers those of `banks` to which `command` may issue first.
void Channel::consider(Candidate& best, Cycle from, Command command, BankSet banks,
                       Direction direction, std::uint64_t rank_base) {
  if (banks == 0) return;
  const auto offer = [&](Cycle at, int dram_bank) {
    const std::uint64_t rank = rank_base + queue_.next_rank(direction, dram_bank);
    if (at < best.at || (at == best.at && rank < best.rank))
      best = {at, rank, command, dram_bank, direction};
  };
  const Cycle first = std::max(from, clock_.of_channel(command));
  if (first > best.at) return;
  const BankSet late = clock_.late(command, banks, first);
  if (banks != late) return offer(first, queue_.first_of(direction, banks & ~late));
  for (BankSet rest = late; rest != 0; rest &= rest - 1) {
    const int dram_bank = std::countr_zero(rest);
    offer(clock_.earliest(command, dram_bank), dram_bank);
  }
}

/// Issues on a command bus; its next command must then be planned again.
void Channel::issue(const Candidate& chosen, Cycle now) {
  clock_.issue(chosen.command, chosen.dram_bank, now);
  const bool is_column = contains(kColumnCommands, chosen.command);
  const CommandSet elsewhere = clock_.puts_off_elsewhere(chosen.command);
  const bool reaches_other_bus =
      (elsewhere & (is_column ? ~kColumnCommands : kColumnCommands)) != 0;
  (is_column ? column_changes_ : row_changes_) = kEveryBank;
  (is_column ? row_changes_ : column_changes_) |=
      reaches_other_bus ? kEveryBank : bank_bit(chosen.dram_bank);
}

void Channel::issue_column(Cycle now, std::vector<Completion>& done) {
  if (queue_.is_full()) count_full_until(now);
  const Request served = queue_.take(column_.direction, column_.dram_bank);
  issue(column_, now);
  turn_.burst_served();
  if (last_served_ && *last_served_ != column_.direction) counters_.turnarounds.add();
  last_served_ = column_.direction;
  const bool write = column_.direction == Direction::kWrite;
  const auto bytes = static_cast<std::uint64_t>(timing_.bytes_per_burst);
  (write ? counters_.writes : counters_.reads).add();
  (write ? counters_.write_bytes : counters_.read_bytes).add(bytes);
  counters_.data_bus_busy_clocks.add(static_cast<std::uint64_t>(timing_.burst_clocks));
  switch (served.outcome) {
    case RowOutcome::kHit:
      counters_.row_hits.add();
      break;
    case RowOutcome::kMiss:
      counters_.row_misses.add();
      break;
    case RowOutcome::kConflict:
      counters_.row_conflicts.add();
      break;
  }
  const Cycle latency = write ? timing_.cwl_clocks : timing_.cl_clocks;
  done.push_back({served.tag, now + latency + timing_.burst_clocks, write});
  if (observer_) observer_(now, column_.command, column_.dram_bank, served.row);
}

void Channel::issue_row(Cycle now) {
  const int dram_bank = row_.dram_bank;
  issue(row_, now);
  std::int64_t row = -1;
  switch (row_.command) {
    case Command::kActivate:
      row = queue_.next(row_.direction, dram_bank).row;
      queue_.open_row(row_.direction, dram_bank);
      counters_.activates.add();
      break;
    case Command::kPrecharge:
      row = queue_.open_row_of(dram_bank);
      if (bank_bit(dram_bank) != refreshing_) queue_.mark_conflict(row_.direction, dram_bank);
      queue_.close_row(dram_bank);
      counters_.precharges.add();
      break;
    default:
      refresh_.command_issued();
      change(refreshing_);
      refreshing_ = 0;
      counters_.refreshes.add();
      break;
  }
  if (observer_) observer_(now, row_.command, dram_bank, row);
}

void Channel::count_full_until(Cycle now) {
  if (now <= full_since_) return;
  counters_.queue_full_clocks.add(static_cast<std::uint64_t>(now - full_since_));
  full_since_ = now;
}

}  // namespace tcsim::dram
