#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "models/isa/cycle.hpp"

namespace tcsim::sm {

/// Memory instructions of one sub-core that wait for the pipeline, in order. The head is in the
/// address unit, which works on one at a time and keeps it until the pipeline takes it. An entry
/// becomes free when the sources of its instruction have been read, which is after the instruction
/// left.
class MemoryQueue {
 public:
  /// Room for `capacity` instructions, including those that have left but still hold their entries.
  MemoryQueue(int capacity, int address_interval_cycles)
      : capacity_(capacity),
        address_interval_cycles_(address_interval_cycles),
        mask_(std::bit_ceil(static_cast<unsigned>(capacity)) - 1),
        entries_(mask_ + 1),
        releases_(mask_ + 1) {}

  bool is_empty() const { return size_ == 0; }
  bool is_full() const { return size_ == capacity_; }
  /// The cycle from which there is room for one more, possibly long past; kNever while that depends
  /// on when the head leaves.
  Cycle room_at() const { return is_full() ? kNever : releases_[place(-(capacity_ - size_))]; }

  /// Queues operation `number`, which issues at `now`. Requires room.
  void push(int number, Cycle now) {
    entries_[place(size_++)] = {number, now};
    if (size_ == 1) set_head_ready();
  }
  /// The number of the head. Requires that there is one.
  int front() const { return entries_[place(0)].number; }
  /// When the address unit is done with the head; kNever if there is none.
  Cycle head_ready() const { return head_ready_; }
  /// The head leaves at `now` and frees its entry at `release`.
  void pop(Cycle now, Cycle release) {
    releases_[place(0)] = release;
    ++head_;
    --size_;
    last_left_ = now;
    set_head_ready();
  }

 private:
  struct Entry {
    int number = 0;
    Cycle issued = 0;
  };

  /// Index of the entry `behind` places after the head, in rings whose size is a power of two.
  unsigned place(int behind) const { return (head_ + static_cast<unsigned>(behind)) & mask_; }

  void set_head_ready() {
    if (is_empty()) {
      head_ready_ = kNever;
      return;
    }
    const Cycle issued = entries_[place(0)].issued;
    head_ready_ =
        std::max(std::max(issued, last_ready_) + address_interval_cycles_, last_left_ + 1);
    last_ready_ = head_ready_;
  }

  int capacity_;
  int address_interval_cycles_;
  unsigned mask_;
  std::vector<Entry> entries_;
  std::vector<Cycle> releases_;  ///< when the entries of instructions that have left become free
  unsigned head_ = 0;            ///< grows forever
  int size_ = 0;
  Cycle head_ready_ = kNever;
  Cycle last_ready_ = 0;
  Cycle last_left_ = 0;
};

}  // namespace tcsim::sm
