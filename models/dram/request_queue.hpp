#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/dram/address_mapping/policy.hpp"
#include "models/dram/params.hpp"
#include "models/dram/request.hpp"
#include "models/dram/request_lists.hpp"
#include "models/dram/scheduling/schedulings.hpp"
#include "models/isa/cycle.hpp"

namespace tcsim::dram {

/// The queue of a channel: arriving and waiting requests, and the request that the scheduling
/// policy serves next in each bank and direction, kept up to date. Allocates nothing after
/// construction.
class RequestQueue {
 public:
  /// Requires parameters that pass the checks of machine files.
  explicit RequestQueue(const DramParams& params);

  [[nodiscard]] bool is_full() const { return used_ == entries_; }
  [[nodiscard]] bool is_empty() const { return used_ == 0; }

  /// Takes a request of `source` that arrives at `now`, not before the previous one. Requires
  /// !is_full() and source < kMaxSources.
  void push(Cycle now, std::uint64_t tag, Direction direction, std::uint16_t source,
            const Location& location);
  /// Arrival of the next request that admit() has not yet admitted; kNever if there is none.
  [[nodiscard]] Cycle next_arrival() const { return next_arrival_; }
  /// Makes the requests that have arrived by `now` visible to the scheduler.
  void admit(Cycle now);

  /// Admitted requests.
  [[nodiscard]] int waiting(Direction direction) const { return waiting_[index(direction)]; }
  /// Banks with an admitted request.
  [[nodiscard]] BankSet banks_waiting(Direction direction) const {
    return waiting_set_[index(direction)];
  }
  /// Banks whose next request is to their open row.
  [[nodiscard]] BankSet banks_with_hit(Direction direction) const {
    return hit_set_[index(direction)];
  }
  [[nodiscard]] BankSet banks_open() const { return open_set_; }

  /// The open row of the bank, -1 if it is closed.
  [[nodiscard]] std::int64_t open_row_of(int dram_bank) const { return lists_.open_row(dram_bank); }

  /// The request that the policy serves next. Requires that the bank is in banks_waiting().
  [[nodiscard]] const Request& next(Direction direction, int dram_bank) const {
    return lists_.request(lists_.list(direction, dram_bank).next);
  }
  /// Rank of next(direction, bank), with the same requirement.
  [[nodiscard]] std::uint64_t next_rank(Direction direction, int dram_bank) const {
    return ranks_[index(direction)][static_cast<std::size_t>(dram_bank)];
  }
  /// The bank among `banks` whose next request has the first rank. Requires that `banks` is not
  /// empty and within banks_waiting().
  [[nodiscard]] int first_of(Direction direction, BankSet banks) const {
    int first = std::countr_zero(banks);
    std::uint64_t least = next_rank(direction, first);
    while ((banks &= banks - 1) != 0) {
      const int dram_bank = std::countr_zero(banks);
      const std::uint64_t rank = next_rank(direction, dram_bank);
      first = rank < least ? dram_bank : first;
      least = std::min(least, rank);
    }
    return first;
  }
  /// Banks for which any of the above may have changed since the last call.
  BankSet take_changed() { return std::exchange(changed_, 0); }
  /// Age of the oldest admitted request. Requires waiting(direction) > 0.
  [[nodiscard]] std::uint64_t oldest_age(Direction direction) const;

  /// Opens the row of next(direction, bank), which can therefore no longer be a hit. Requires a
  /// closed bank.
  void open_row(Direction direction, int dram_bank);
  /// Closes the row. Requires an open bank.
  void close_row(int dram_bank);
  /// Records that a row had to be closed for next(direction, bank).
  void mark_conflict(Direction direction, int dram_bank);
  /// Removes and returns next(direction, bank).
  Request take(Direction direction, int dram_bank);
  /// Call this after the commands of a clock in which a request was taken have issued: the next
  /// request may change in all banks.
  void renew();

 private:
  static constexpr std::size_t index(Direction direction) {
    return static_cast<std::size_t>(direction);
  }
  template <typename Policy>
  void choose(Policy& policy, Direction direction, int dram_bank);
  template <typename Policy>
  void renew(Policy& policy);
  void set_open_row(int dram_bank, std::int64_t row);

  const int entries_;
  int used_ = 0;
  std::uint64_t pushed_ = 0;
  RequestLists lists_;
  Schedulings scheduling_;
  std::vector<Slot> free_;      ///< stack of unused slots
  std::vector<Slot> arriving_;  ///< ring of slots that were pushed and not yet admitted
  std::size_t arriving_first_ = 0;
  std::size_t arriving_count_ = 0;
  Cycle next_arrival_ = kNever;
  std::array<int, 2> waiting_{};
  std::array<BankSet, 2> waiting_set_{};
  std::array<BankSet, 2> hit_set_{};
  std::array<std::array<std::uint64_t, kMaxBanks>, 2> ranks_{};
  BankSet open_set_ = 0;
  BankSet changed_ = 0;
};

}  // namespace tcsim::dram
