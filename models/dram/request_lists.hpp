#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/dram/request.hpp"

namespace tcsim::dram {

/// An index into the queue.
using Slot = std::int16_t;
inline constexpr Slot kNoSlot = -1;

/// The waiting requests of one bank and direction.
struct RequestList {
  Slot oldest = kNoSlot;
  Slot youngest = kNoSlot;
  Slot hit = kNoSlot;   ///< the oldest request to the open row of the bank
  Slot next = kNoSlot;  ///< the last answer of the scheduling policy
  int bypassed = 0;     ///< younger requests served since `oldest` became the oldest
};

/// The waiting requests, listed per bank and direction in order of age, and the open row of each
/// bank. Allocates nothing after construction.
class RequestLists {
 public:
  RequestLists(int entries, int banks)
      : entries_(static_cast<std::size_t>(entries)), banks_(static_cast<std::size_t>(banks)) {}

  [[nodiscard]] int banks() const { return static_cast<int>(banks_.size()); }
  [[nodiscard]] const Request& request(Slot slot) const { return entry(slot).request; }
  Request& request(Slot slot) { return entry(slot).request; }
  /// The next younger request of the same list; kNoSlot after the youngest.
  [[nodiscard]] Slot after(Slot slot) const { return entry(slot).next; }
  [[nodiscard]] const RequestList& list(Direction direction, int dram_bank) const {
    return bank(dram_bank).lists[static_cast<std::size_t>(direction)];
  }
  RequestList& list(Direction direction, int dram_bank) {
    return bank(dram_bank).lists[static_cast<std::size_t>(direction)];
  }
  /// -1 if the bank is closed.
  [[nodiscard]] std::int64_t open_row(int dram_bank) const { return bank(dram_bank).open_row; }

  /// The request in `slot` becomes the youngest of its list.
  void append(Slot slot) {
    Entry& added = entry(slot);
    const Request& request = added.request;
    RequestList& list = this->list(request.direction, request.dram_bank);
    added.previous = list.youngest;
    added.next = kNoSlot;
    if (list.youngest == kNoSlot) {
      list.oldest = slot;
    } else {
      entry(list.youngest).next = slot;
    }
    list.youngest = slot;
    if (list.hit == kNoSlot && open_row(request.dram_bank) == request.row) list.hit = slot;
  }

  /// Removes the request in `slot` from its list.
  void remove(Slot slot) {
    const Entry& removed = entry(slot);
    const Request& request = removed.request;
    RequestList& list = this->list(request.direction, request.dram_bank);
    if (list.hit == slot) list.hit = next_hit(removed.next, open_row(request.dram_bank));
    if (removed.previous == kNoSlot) {
      list.oldest = removed.next;
      list.bypassed = 0;
    } else {
      entry(removed.previous).next = removed.next;
      ++list.bypassed;
    }
    if (removed.next == kNoSlot) {
      list.youngest = removed.previous;
    } else {
      entry(removed.next).previous = removed.previous;
    }
  }

  void set_open_row(int dram_bank, std::int64_t row) {
    bank(dram_bank).open_row = row;
    for (RequestList& list : bank(dram_bank).lists)
      list.hit = row < 0 ? kNoSlot : next_hit(list.oldest, row);
  }

 private:
  struct Entry {
    Request request;
    Slot previous;
    Slot next;
  };
  struct Bank {
    std::int64_t open_row = -1;
    std::array<RequestList, 2> lists;
  };

  Entry& entry(Slot slot) { return entries_[static_cast<std::size_t>(slot)]; }
  [[nodiscard]] const Entry& entry(Slot slot) const {
    return entries_[static_cast<std::size_t>(slot)];
  }
  Bank& bank(int dram_bank) { return banks_[static_cast<std::size_t>(dram_bank)]; }
  [[nodiscard]] const Bank& bank(int dram_bank) const {
    return banks_[static_cast<std::size_t>(dram_bank)];
  }
  [[nodiscard]] Slot next_hit(Slot from, std::int64_t row) const {
    while (from != kNoSlot && entry(from).request.row != row) from = entry(from).next;
    return from;
  }

  std::vector<Entry> entries_;
  std::vector<Bank> banks_;
};

}  // namespace tcsim::dram
