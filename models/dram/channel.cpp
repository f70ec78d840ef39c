#include "models/dram/channel.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

namespace tcsim::dram {
namespace {

// Ranks of row commands that could issue in the same clock: the refresh, then requests of the
// direction that has the turn, then the others, both by the rank that the policy gives them.
constexpr std::uint64_t kRefreshRank = 0;
constexpr std::uint64_t kItsTurn = 1;
constexpr std::uint64_t kNotItsTurn = std::uint64_t{1} << 63;

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
    // Only refreshes can fall into the time without requests, so nothing completes here.
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
  bool changed = queue_.admit(now);
  if (refreshing_ == 0 && refresh_.due() <= now) {
    refreshing_ = bank_bit(refresh_.dram_bank());
    changed = true;
  }
  changed |= turn_.update(queue_);
  if (changed) plan(now);
  const bool column_issues = column_.at == now;
  const bool row_issues = row_.at == now;
  if (!column_issues && !row_issues) {
    assert(next_event_ > now);
    return;  // the plan stays valid
  }
  // The two never meet in one bank: a bank with a hit to serve asks for no row command.
  if (column_issues) issue_column(now, done);
  if (row_issues) issue_row(now);
  if (column_issues) {
    queue_.renew();
    turn_.update(queue_);
  }
  plan(now + 1);
}

void Channel::plan(Cycle from) {
  const Direction current = turn_.direction();
  const Direction next = other(current);
  const BankSet wanted = queue_.banks_waiting(current) & ~refreshing_;
  const BankSet served = queue_.banks_with_hit(current) & ~refreshing_;
  const BankSet spare = queue_.banks_waiting(next) & ~wanted & ~refreshing_;
  column_ = {};
  consider(column_, from, column_command(current), served, current, 0);
  row_ = {};
  if (refreshing_ != 0) plan_refresh(from);
  plan_rows(from, wanted & ~served, current, kItsTurn);
  plan_rows(from, spare & ~queue_.banks_with_hit(next), next, kNotItsTurn);
  next_event_ = std::min({column_.at, row_.at, queue_.next_arrival(),
                          refreshing_ == 0 ? std::max(from, refresh_.due()) : kNever});
}

void Channel::plan_refresh(Cycle from) {
  const int dram_bank = refresh_.dram_bank();
  const bool open = (queue_.banks_open() & refreshing_) != 0;
  const Command command = open ? Command::kPrecharge : Command::kRefresh;
  row_ = {std::max(from, clock_.earliest(command, dram_bank)), kRefreshRank, command, dram_bank,
          turn_.direction()};
}

void Channel::plan_rows(Cycle from, BankSet banks, Direction direction, std::uint64_t rank_base) {
  const BankSet open = queue_.banks_open();
  consider(row_, from, Command::kPrecharge, banks & open, direction, rank_base);
  consider(row_, from, Command::kActivate, banks & ~open, direction, rank_base);
}

void Channel::consider(Candidate& best, Cycle from, Command command, BankSet banks,
                       Direction direction, std::uint64_t rank_base) const {
  for (; banks != 0; banks &= banks - 1) {
    const int dram_bank = std::countr_zero(banks);
    const Cycle at = std::max(from, clock_.earliest(command, dram_bank));
    if (at > best.at) continue;
    const std::uint64_t rank = rank_base + queue_.next(direction, dram_bank).rank;
    if (at < best.at || rank < best.rank) best = {at, rank, command, dram_bank, direction};
  }
}

void Channel::issue_column(Cycle now, std::vector<Completion>& done) {
  if (queue_.is_full()) count_full_until(now);
  const Request served = queue_.take(column_.direction, column_.dram_bank);
  clock_.issue(column_.command, column_.dram_bank, now);
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
  clock_.issue(row_.command, dram_bank, now);
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
