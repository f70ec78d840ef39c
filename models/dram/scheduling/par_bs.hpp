#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "models/dram/scheduling/fr_fcfs.hpp"
#include "models/dram/scheduling/policy.hpp"

namespace tcsim::dram {

/// Parallelism-aware batch scheduling (Mutlu and Moscibroda, ISCA 2008), with the requesting SMs as
/// its threads. When no read of the last batch is waiting any more, the oldest kMarkingCap reads of
/// each SM in each bank are marked. They form the next batch, which no later read overtakes in its
/// bank. Among the reads of a bank, marked reads go first, then row hits, then reads of the SM with
/// the higher rank, then the oldest. An SM ranks higher the fewer marked reads it has in the bank
/// in which it has most, then the fewer it has in total (max-total), so that its requests in
/// several banks are served at the same time. The paper breaks ties at random; here the lower
/// number goes first. Writes have no source and are served as by FrFcfs.
class ParBs {
 public:
  static constexpr std::string_view kName = "par_bs";

  /// The paper's Marking-Cap.
  static constexpr int kMarkingCap = 5;

  explicit ParBs(const DramParams& params) : writes_(params), loads_(kMaxSources) {
    present_.reserve(kMaxSources);
    placed_.reserve(kMaxSources);
  }

  void arrived(Request& request) {
    if (request.direction == Direction::kWrite) return writes_.arrived(request);
    rank(request, kUnmarked);
  }

  Slot next(const RequestLists& waiting, Direction direction, int dram_bank) const {
    if (direction == Direction::kWrite) return writes_.next(waiting, direction, dram_bank);
    const std::int64_t open_row = waiting.open_row(dram_bank);
    Slot best = kNoSlot;
    std::uint64_t best_order = ~std::uint64_t{0};
    for (Slot slot = waiting.list(direction, dram_bank).oldest; slot != kNoSlot;
         slot = waiting.after(slot)) {
      const Request& request = waiting.request(slot);
      const std::uint64_t order = request.rank | (request.row == open_row ? 0 : kNoRowHit);
      if (order >= best_order) continue;
      best = slot;
      best_order = order;
    }
    return best;
  }

  void served(const Request& request) {
    if (request.direction == Direction::kRead && (request.rank & kUnmarked) == 0) --marked_;
  }

  bool renew(RequestLists& ranked) {
    if (marked_ > 0) return false;
    for (int dram_bank = 0; dram_bank < ranked.banks(); ++dram_bank) mark(ranked, dram_bank);
    rank_sources();
    for (int dram_bank = 0; dram_bank < ranked.banks(); ++dram_bank)
      for (Slot slot = ranked.list(Direction::kRead, dram_bank).oldest; slot != kNoSlot;
           slot = ranked.after(slot))
        rank(ranked.request(slot), ranked.request(slot).rank & kUnmarked);
    return marked_ > 0;
  }

 private:
  // A rank, from its highest bit down: set if the request is not in the batch; a free bit for "not
  // a row hit", which changes with the open row; the place of its SM; its age.
  static constexpr std::uint64_t kUnmarked = std::uint64_t{1} << 60;
  static constexpr std::uint64_t kNoRowHit = std::uint64_t{1} << 59;
  static constexpr int kAgeBits = 44;

  /// Marked reads of an SM.
  struct Load {
    std::uint16_t in_bank = 0;  ///< in the bank that is being marked
    std::uint16_t most = 0;     ///< the most in any one bank
    std::uint16_t total = 0;
    std::uint16_t place = 0;  ///< in the order of the SMs; 0: no marked reads, before all others
  };

  void rank(Request& request, std::uint64_t mark) const {
    request.rank = mark | (std::uint64_t{loads_[request.source].place} << kAgeBits) | request.age;
  }

  /// Marks the oldest reads of each SM in a bank.
  void mark(RequestLists& ranked, int dram_bank) {
    const Slot oldest = ranked.list(Direction::kRead, dram_bank).oldest;
    for (Slot slot = oldest; slot != kNoSlot; slot = ranked.after(slot)) {
      Request& request = ranked.request(slot);
      Load& load = loads_[request.source];
      if (load.in_bank == kMarkingCap) continue;
      if (load.total == 0) present_.push_back(request.source);
      ++load.in_bank;
      ++load.total;
      ++marked_;
      request.rank &= ~kUnmarked;
    }
    for (Slot slot = oldest; slot != kNoSlot; slot = ranked.after(slot)) {
      Load& load = loads_[ranked.request(slot).source];
      load.most = std::max(load.most, load.in_bank);
      load.in_bank = 0;
    }
  }

  /// Assigns places to the SMs of the batch, and clears those of the last batch.
  void rank_sources() {
    for (const std::uint16_t source : placed_) loads_[source].place = 0;
    std::ranges::sort(present_, [this](std::uint16_t left, std::uint16_t right) {
      const Load& a = loads_[left];
      const Load& b = loads_[right];
      if (a.most != b.most) return a.most < b.most;
      return a.total != b.total ? a.total < b.total : left < right;
    });
    std::uint16_t place = 0;
    for (const std::uint16_t source : present_) loads_[source] = {0, 0, 0, ++place};
    placed_.swap(present_);
    present_.clear();
  }

  FrFcfs writes_;
  std::vector<Load> loads_;             ///< by SM
  std::vector<std::uint16_t> present_;  ///< SMs with marked reads, while a batch is formed
  std::vector<std::uint16_t> placed_;   ///< SMs of the last batch, which have a place
  int marked_ = 0;                      ///< marked reads that are waiting
};

}  // namespace tcsim::dram
