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
      : requests_(static_cast<std::size_t>(entries)),
        links_(static_cast<std::size_t>(entries)),
        banks_(static_cast<std::size_t>(banks)) {}

  [[nodiscard]] int banks() const { return static_cast<int>(banks_.size()); }
  [[nodiscard]] const Request& request(Slot slot) const {
    return requests_[static_cast<std::size_t>(slot)];
  }
  Request& request(Slot slot) { return requests_[static_cast<std::size_t>(slot)]; }
  /// The next younger request of the same list; kNoSlot after the youngest.
  [[nodiscard]] Slot after(Slot slot) const { return link(slot).next; }
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
    const Request& request = this->request(slot);
    RequestList& list = this->list(request.direction, request.dram_bank);
    link(slot) = {request.row, list.youngest, kNoSlot};
    if (list.youngest == kNoSlot) {
      list.oldest = slot;
    } else {
      link(list.youngest).next = slot;
    }
    list.youngest = slot;
    if (list.hit == kNoSlot && open_row(request.dram_bank) == request.row) list.hit = slot;
  }

  /// Removes the request in `slot` from its list.
  void remove(Slot slot) {
    const Link& removed = link(slot);
    const Request& request = this->request(slot);
    RequestList& list = this->list(request.direction, request.dram_bank);
    if (list.hit == slot) list.hit = next_hit(removed.next, open_row(request.dram_bank));
    if (removed.previous == kNoSlot) {
      list.oldest = removed.next;
      list.bypassed = 0;
    } else {
      link(removed.previous).next = removed.next;
      ++list.bypassed;
    }
    if (removed.next == kNoSlot) {
      list.youngest = removed.previous;
    } else {
      link(removed.next).previous = removed.previous;
    }
  }

  void set_open_row(int dram_bank, std::int64_t row) {
    bank(dram_bank).open_row = row;
    for (RequestList& list : bank(dram_bank).lists)
      list.hit = row < 0 ? kNoSlot : next_hit(list.oldest, row);
  }

 private:
  /// Apart from the requests, so that a walk touches few cache lines of the host.
  struct Link {
    std::int64_t row;  ///< of the request
    Slot previous;
    Slot next;
  };
  struct Bank {
    std::int64_t open_row = -1;
    std::array<RequestList, 2> lists;
  };

  Link& link(Slot slot) { return links_[static_cast<std::size_t>(slot)]; }
  [[nodiscard]] const Link& link(Slot slot) const { return links_[static_cast<std::size_t>(slot)]; }
  Bank& bank(int dram_bank) { return banks_[static_cast<std::size_t>(dram_bank)]; }
  [[nodiscard]] const Bank& bank(int dram_bank) const {
    return banks_[static_cast<std::size_t>(dram_bank)];
  }
  [[nodiscard]] Slot next_hit(Slot from, std::int64_t row) const {
    while (from != kNoSlot && link(from).row != row) from = link(from).next;
    return from;
  }

  std::vector<Request> requests_;
  std::vector<Link> links_;
  std::vector<Bank> banks_;
};

}  // namespace tcsim::dram
