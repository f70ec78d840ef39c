#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/dram/address_map.hpp"
#include "models/isa/cycle.hpp"

namespace tcsim::dram {

/// Banks are kept as bits of one word.
using BankSet = std::uint64_t;
inline constexpr int kMaxBanks = 64;

inline constexpr BankSet bank_bit(int dram_bank) { return BankSet{1} << dram_bank; }

enum class Direction : std::uint8_t { kRead, kWrite };

inline constexpr Direction other(Direction direction) {
  return direction == Direction::kRead ? Direction::kWrite : Direction::kRead;
}

/// What the row commands issued for a request tell about it.
enum class RowOutcome : std::uint8_t { kHit, kMiss, kConflict };

struct Request {
  std::uint64_t tag;
  std::uint64_t age;  ///< position in the order of arrival; smaller is older
  Cycle arrival;
  std::int64_t row;
  int dram_bank;
  Direction direction;
  RowOutcome outcome;
};

/// The waiting requests, listed per bank and direction in order of age, together with the row that
/// each bank has open, so that the oldest request to an open row (a hit) is always at hand. Nothing
/// is allocated after construction.
class RequestQueue {
 public:
  /// `bypass_cap`: how often younger hits may overtake the oldest request of their bank and
  /// direction; after that the bank shows no hits of that direction until the oldest is served.
  RequestQueue(int entries, int banks, int bypass_cap);

  [[nodiscard]] bool is_full() const { return used_ == entries_; }
  [[nodiscard]] bool is_empty() const { return used_ == 0; }

  /// Takes a request that arrives at `now`, not earlier than the previous one. Requires !is_full().
  void push(Cycle now, std::uint64_t tag, Direction direction, const Location& location);
  /// Arrival of the next request that admit() has not yet let in; kNever when there is none.
  [[nodiscard]] Cycle next_arrival() const { return next_arrival_; }
  /// Lets the scheduler see what has arrived by `now`; true when that changed anything.
  bool admit(Cycle now);

  /// Admitted requests.
  [[nodiscard]] int waiting(Direction direction) const { return waiting_[index(direction)]; }
  /// Banks with an admitted request.
  [[nodiscard]] BankSet banks_waiting(Direction direction) const {
    return waiting_set_[index(direction)];
  }
  /// Banks with a hit that may be served.
  [[nodiscard]] BankSet banks_with_hit(Direction direction) const {
    return hit_set_[index(direction)];
  }
  [[nodiscard]] BankSet banks_open() const { return open_set_; }

  /// Row open in the bank, -1 when it is closed.
  [[nodiscard]] std::int64_t open_row_of(int dram_bank) const { return bank(dram_bank).open_row; }

  /// Requires that the bank is in banks_waiting().
  [[nodiscard]] const Request& oldest(Direction direction, int dram_bank) const {
    return entry(bank(dram_bank).lists[index(direction)].oldest).request;
  }
  /// Requires that the bank is in banks_with_hit().
  [[nodiscard]] const Request& oldest_hit(Direction direction, int dram_bank) const {
    return entry(bank(dram_bank).lists[index(direction)].hit).request;
  }
  /// Age of the oldest admitted request. Requires waiting(direction) > 0.
  [[nodiscard]] std::uint64_t oldest_age(Direction direction) const;

  /// Opens the row of oldest(direction, bank), which thereby is at best a miss. Requires a closed
  /// bank.
  void open_row(Direction direction, int dram_bank);
  /// Closes the row; requires an open bank.
  void close_row(int dram_bank);
  /// Notes that a row had to be closed for oldest(direction, bank).
  void mark_conflict(Direction direction, int dram_bank);
  /// Removes and returns oldest_hit(direction, bank).
  Request take_hit(Direction direction, int dram_bank);

 private:
  using Slot = std::int16_t;
  static constexpr Slot kNone = -1;
  static constexpr std::int64_t kClosed = -1;

  struct Entry {
    Request request;
    Slot previous;
    Slot next;
  };
  struct List {
    Slot oldest = kNone;
    Slot youngest = kNone;
    Slot hit = kNone;
    int bypassed = 0;
  };
  struct BankRequests {
    std::int64_t open_row = kClosed;
    std::array<List, 2> lists;
  };

  static constexpr std::size_t index(Direction direction) {
    return static_cast<std::size_t>(direction);
  }
  Entry& entry(Slot slot) { return slots_[static_cast<std::size_t>(slot)]; }
  [[nodiscard]] const Entry& entry(Slot slot) const {
    return slots_[static_cast<std::size_t>(slot)];
  }
  BankRequests& bank(int dram_bank) { return banks_[static_cast<std::size_t>(dram_bank)]; }
  [[nodiscard]] const BankRequests& bank(int dram_bank) const {
    return banks_[static_cast<std::size_t>(dram_bank)];
  }
  void append(Slot slot);
  void remove(List& list, Slot slot);
  [[nodiscard]] Slot next_hit(Slot from, std::int64_t row) const;
  void refresh_sets(Direction direction, int dram_bank);

  const int entries_;
  const int bypass_cap_;
  int used_ = 0;
  std::uint64_t pushed_ = 0;
  std::vector<Entry> slots_;
  std::vector<Slot> free_;      ///< stack of unused slots
  std::vector<Slot> arriving_;  ///< ring of pushed, not yet admitted slots
  std::size_t arriving_first_ = 0;
  std::size_t arriving_count_ = 0;
  Cycle next_arrival_ = kNever;
  std::vector<BankRequests> banks_;
  std::array<int, 2> waiting_{};
  std::array<BankSet, 2> waiting_set_{};
  std::array<BankSet, 2> hit_set_{};
  BankSet open_set_ = 0;
};

}  // namespace tcsim::dram
