#include "models/dram/turn.hpp"

#include <algorithm>

namespace tcsim::dram {
namespace {

std::size_t index(Direction direction) { return static_cast<std::size_t>(direction); }

int watermark(int percent, const DramParams& params) {
  return params.queue_entries * percent / 100;
}

}  // namespace

Turn::Turn(const DramParams& params)
    : high_watermark_(std::max(watermark(params.write_low_watermark_percent, params) + 1,
                               watermark(params.write_high_watermark_percent, params))),
      low_watermark_(watermark(params.write_low_watermark_percent, params)) {}

void Turn::burst_served() { --quota_; }

bool Turn::may_end(const RequestQueue& queue) const {
  if (queue.waiting(direction_) == 0) return true;
  if (quota_ > 0) return false;
  const Leftover& leftover = leftovers_[index(direction_)];
  return leftover.turns_missed < kMissedTurnsCap ||
         queue.oldest_age(direction_) != leftover.oldest_age;
}

bool Turn::is_wanted(const RequestQueue& queue) const {
  if (queue.waiting(other(direction_)) == 0) return false;
  if (queue.waiting(direction_) == 0 || direction_ == Direction::kWrite) return true;
  return queue.waiting(Direction::kWrite) >= high_watermark_ || quota_ <= -kReadsPerTurn;
}

void Turn::pass_on(const RequestQueue& queue) {
  Leftover& leftover = leftovers_[index(direction_)];
  if (queue.waiting(direction_) == 0) {
    leftover = {};
  } else {
    const std::uint64_t age = queue.oldest_age(direction_);
    leftover.turns_missed = age == leftover.oldest_age ? leftover.turns_missed + 1 : 0;
    leftover.oldest_age = age;
  }
  direction_ = other(direction_);
  quota_ = entry_quota(queue);
}

int Turn::entry_quota(const RequestQueue& queue) const {
  const int waiting = queue.waiting(direction_);
  if (direction_ == Direction::kRead) return waiting;
  if (waiting > low_watermark_) return waiting - low_watermark_;
  // Few writes: if there is nothing else to do, they are served but yield to the first read; after
  // a long turn of reads they are all served.
  return queue.waiting(Direction::kRead) == 0 ? 0 : waiting;
}

bool Turn::update(const RequestQueue& queue) {
  if (!is_wanted(queue) || !may_end(queue)) return false;
  pass_on(queue);
  return true;
}

}  // namespace tcsim::dram
