#include "models/dram/request_queue.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>

namespace tcsim::dram {
namespace {

void set_bit(BankSet& set, int dram_bank, bool value) {
  set = value ? set | bank_bit(dram_bank) : set & ~bank_bit(dram_bank);
}

}  // namespace

RequestQueue::RequestQueue(int entries, int banks, int bypass_cap)
    : entries_(entries),
      bypass_cap_(bypass_cap),
      slots_(static_cast<std::size_t>(entries)),
      arriving_(static_cast<std::size_t>(entries)),
      banks_(static_cast<std::size_t>(banks)) {
  assert(entries > 0 && entries <= std::numeric_limits<Slot>::max());
  assert(banks > 0 && banks <= kMaxBanks);
  free_.reserve(static_cast<std::size_t>(entries));
  for (int slot = entries; slot-- > 0;) free_.push_back(static_cast<Slot>(slot));
}

void RequestQueue::push(Cycle now, std::uint64_t tag, Direction direction,
                        const Location& location) {
  assert(!is_full());
  const Slot slot = free_.back();
  free_.pop_back();
  ++used_;
  entry(slot).request = {tag,       pushed_++,       now, location.row, location.dram_bank,
                         direction, RowOutcome::kHit};
  std::size_t last = arriving_first_ + arriving_count_;
  if (last >= arriving_.size()) last -= arriving_.size();
  arriving_[last] = slot;
  if (arriving_count_++ == 0) next_arrival_ = now;
}

bool RequestQueue::admit(Cycle now) {
  if (next_arrival_ > now) return false;
  while (next_arrival_ <= now) {
    append(arriving_[arriving_first_]);
    if (++arriving_first_ == arriving_.size()) arriving_first_ = 0;
    next_arrival_ =
        --arriving_count_ == 0 ? kNever : entry(arriving_[arriving_first_]).request.arrival;
  }
  return true;
}

void RequestQueue::append(Slot slot) {
  Entry& added = entry(slot);
  const Request& request = added.request;
  BankRequests& requests = bank(request.dram_bank);
  List& list = requests.lists[index(request.direction)];
  added.previous = list.youngest;
  added.next = kNone;
  if (list.youngest == kNone) {
    list.oldest = slot;
  } else {
    entry(list.youngest).next = slot;
  }
  list.youngest = slot;
  if (list.hit == kNone && requests.open_row == request.row) list.hit = slot;
  ++waiting_[index(request.direction)];
  refresh_sets(request.direction, request.dram_bank);
}

void RequestQueue::remove(List& list, Slot slot) {
  const Entry& removed = entry(slot);
  if (removed.previous == kNone) {
    list.oldest = removed.next;
    list.bypassed = 0;
  } else {
    entry(removed.previous).next = removed.next;
    ++list.bypassed;
  }
  if (removed.next == kNone) {
    list.youngest = removed.previous;
  } else {
    entry(removed.next).previous = removed.previous;
  }
}

RequestQueue::Slot RequestQueue::next_hit(Slot from, std::int64_t row) const {
  while (from != kNone && entry(from).request.row != row) from = entry(from).next;
  return from;
}

void RequestQueue::refresh_sets(Direction direction, int dram_bank) {
  const List& list = bank(dram_bank).lists[index(direction)];
  const bool may_serve =
      list.hit != kNone && (list.hit == list.oldest || list.bypassed < bypass_cap_);
  set_bit(waiting_set_[index(direction)], dram_bank, list.oldest != kNone);
  set_bit(hit_set_[index(direction)], dram_bank, may_serve);
}

std::uint64_t RequestQueue::oldest_age(Direction direction) const {
  assert(waiting(direction) > 0);
  std::uint64_t age = std::numeric_limits<std::uint64_t>::max();
  for (BankSet set = banks_waiting(direction); set != 0; set &= set - 1) {
    age = std::min(age, oldest(direction, std::countr_zero(set)).age);
  }
  return age;
}

void RequestQueue::open_row(Direction direction, int dram_bank) {
  BankRequests& requests = bank(dram_bank);
  assert(requests.open_row == kClosed);
  Request& cause = entry(requests.lists[index(direction)].oldest).request;
  if (cause.outcome == RowOutcome::kHit) cause.outcome = RowOutcome::kMiss;
  requests.open_row = cause.row;
  set_bit(open_set_, dram_bank, true);
  for (const Direction each : {Direction::kRead, Direction::kWrite}) {
    List& list = requests.lists[index(each)];
    list.hit = next_hit(list.oldest, requests.open_row);
    refresh_sets(each, dram_bank);
  }
}

void RequestQueue::close_row(int dram_bank) {
  BankRequests& requests = bank(dram_bank);
  assert(requests.open_row != kClosed);
  requests.open_row = kClosed;
  set_bit(open_set_, dram_bank, false);
  for (const Direction each : {Direction::kRead, Direction::kWrite}) {
    requests.lists[index(each)].hit = kNone;
    refresh_sets(each, dram_bank);
  }
}

void RequestQueue::mark_conflict(Direction direction, int dram_bank) {
  entry(bank(dram_bank).lists[index(direction)].oldest).request.outcome = RowOutcome::kConflict;
}

Request RequestQueue::take_hit(Direction direction, int dram_bank) {
  BankRequests& requests = bank(dram_bank);
  List& list = requests.lists[index(direction)];
  const Slot slot = list.hit;
  assert(slot != kNone);
  list.hit = next_hit(entry(slot).next, requests.open_row);
  remove(list, slot);
  free_.push_back(slot);
  --used_;
  --waiting_[index(direction)];
  refresh_sets(direction, dram_bank);
  return entry(slot).request;
}

}  // namespace tcsim::dram
