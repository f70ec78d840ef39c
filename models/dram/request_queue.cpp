#include "models/dram/request_queue.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>

namespace tcsim::dram {
namespace {

inline void set_bit(BankSet& set, int dram_bank, bool value) {
  set = (set & ~bank_bit(dram_bank)) | (BankSet{value} << dram_bank);
}

}  // namespace

RequestQueue::RequestQueue(const DramParams& params)
    : entries_(params.queue_entries),
      lists_(params.queue_entries, params.bank_groups * params.banks_per_group),
      scheduling_(params.scheduling, params),
      arriving_(static_cast<std::size_t>(params.queue_entries)) {
  assert(entries_ > 0 && entries_ <= std::numeric_limits<Slot>::max());
  assert(lists_.banks() > 0 && lists_.banks() <= kMaxBanks);
  free_.reserve(static_cast<std::size_t>(entries_));
  for (int slot = entries_; slot-- > 0;) free_.push_back(static_cast<Slot>(slot));
}

void RequestQueue::push(Cycle now, std::uint64_t tag, Direction direction, std::uint16_t source,
                        const Location& location) {
  assert(!is_full());
  assert(source < kMaxSources);
  const Slot slot = free_.back();
  free_.pop_back();
  ++used_;
  Request& request = lists_.request(slot);
  request = {.tag = tag,
             .age = pushed_++,
             .rank = 0,
             .arrival = now,
             .row = location.row,
             .dram_bank = location.dram_bank,
             .source = source,
             .direction = direction,
             .outcome = RowOutcome::kHit};
  std::size_t last = arriving_first_ + arriving_count_;
  if (last >= arriving_.size()) last -= arriving_.size();
  arriving_[last] = slot;
  if (arriving_count_++ == 0) next_arrival_ = now;
}

void RequestQueue::admit(Cycle now) {
  if (next_arrival_ > now) return;
  scheduling_.visit([&](auto& policy) {
    while (next_arrival_ <= now) {
      const Slot slot = arriving_[arriving_first_];
      Request& request = lists_.request(slot);
      policy.arrived(request);
      lists_.append(slot);
      ++waiting_[index(request.direction)];
      choose(policy, request.direction, request.dram_bank);
      if (++arriving_first_ == arriving_.size()) arriving_first_ = 0;
      next_arrival_ =
          --arriving_count_ == 0 ? kNever : lists_.request(arriving_[arriving_first_]).arrival;
    }
    renew(policy);
  });
}

template <typename Policy>
void RequestQueue::choose(Policy& policy, Direction direction, int dram_bank) {
  RequestList& list = lists_.list(direction, dram_bank);
  const bool waits = list.oldest != kNoSlot;
  list.next = waits ? policy.next(lists_, direction, dram_bank) : kNoSlot;
  bool is_hit = false;
  if (waits) {
    const Request& next = lists_.request(list.next);
    is_hit = next.row == lists_.open_row(dram_bank);
    ranks_[index(direction)][static_cast<std::size_t>(dram_bank)] = next.rank;
  }
  set_bit(waiting_set_[index(direction)], dram_bank, waits);
  set_bit(hit_set_[index(direction)], dram_bank, is_hit);
  changed_ |= bank_bit(dram_bank);
}

template <typename Policy>
void RequestQueue::renew(Policy& policy) {
  if (!policy.renew(lists_)) return;
  for (int dram_bank = 0; dram_bank < lists_.banks(); ++dram_bank)
    for (const Direction each : {Direction::kRead, Direction::kWrite})
      choose(policy, each, dram_bank);
}

void RequestQueue::renew() {
  scheduling_.visit([&](auto& policy) { renew(policy); });
}

std::uint64_t RequestQueue::oldest_age(Direction direction) const {
  assert(waiting(direction) > 0);
  std::uint64_t age = std::numeric_limits<std::uint64_t>::max();
  for (BankSet set = banks_waiting(direction); set != 0; set &= set - 1) {
    const Slot oldest = lists_.list(direction, std::countr_zero(set)).oldest;
    age = std::min(age, lists_.request(oldest).age);
  }
  return age;
}

void RequestQueue::open_row(Direction direction, int dram_bank) {
  assert(open_row_of(dram_bank) < 0);
  Request& cause = lists_.request(lists_.list(direction, dram_bank).next);
  if (cause.outcome == RowOutcome::kHit) cause.outcome = RowOutcome::kMiss;
  set_open_row(dram_bank, cause.row);
}

void RequestQueue::close_row(int dram_bank) {
  assert(open_row_of(dram_bank) >= 0);
  set_open_row(dram_bank, -1);
}

void RequestQueue::set_open_row(int dram_bank, std::int64_t row) {
  lists_.set_open_row(dram_bank, row);
  set_bit(open_set_, dram_bank, row >= 0);
  scheduling_.visit([&](auto& policy) {
    for (const Direction each : {Direction::kRead, Direction::kWrite})
      choose(policy, each, dram_bank);
  });
}

void RequestQueue::mark_conflict(Direction direction, int dram_bank) {
  lists_.request(lists_.list(direction, dram_bank).next).outcome = RowOutcome::kConflict;
}

Request RequestQueue::take(Direction direction, int dram_bank) {
  const Slot slot = lists_.list(direction, dram_bank).next;
  assert(slot != kNoSlot);
  const Request taken = lists_.request(slot);
  lists_.remove(slot);
  free_.push_back(slot);
  --used_;
  --waiting_[index(direction)];
  scheduling_.visit([&](auto& policy) {
    policy.served(taken);
    choose(policy, direction, dram_bank);
  });
  return taken;
}

}  // namespace tcsim::dram
