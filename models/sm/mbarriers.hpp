#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "models/isa/program.hpp"

namespace tcsim::sm {

/// An mbarrier: a phase is complete when its arrivals have come and no bytes are expected.
struct Mbarrier {
  std::int64_t address = 0;  ///< byte of the CTA's shared memory
  int expected = 0;          ///< arrivals of a phase
  int pending = 0;           ///< of those of the current one
  std::int64_t bytes = 0;    ///< that the current phase still expects; may pass below 0
  std::int64_t phase = 0;    ///< phases that are complete

  /// True if the phase of `parity` is complete.
  [[nodiscard]] bool has_passed(std::int64_t parity) const { return phase % 2 != parity; }
  /// False of a place that is used as one and that no SYNCS.EXCH.64 has made one.
  [[nodiscard]] bool is_initialised() const { return expected != kNoArrivals; }

  static constexpr int kNoArrivals = std::numeric_limits<int>::max();
};

/// The mbarriers of a CTA. Knows the warps that sleep at one by their hardware warp ids.
class Mbarriers {
 public:
  void init(std::int64_t address, int arrivals) {
    const int index = find(address);
    Mbarrier& barrier = index == isa::kNoIndex ? add() : barriers_[place(index)];
    barrier = {address, arrivals, arrivals, 0, 0};
  }
  /// The number of the one at `address`, or kNoIndex.
  [[nodiscard]] int find(std::int64_t address) const {
    for (std::size_t i = 0; i < barriers_.size(); ++i)
      if (barriers_[i].address == address) return static_cast<int>(i);
    return isa::kNoIndex;
  }
  [[nodiscard]] const Mbarrier& operator[](int index) const { return barriers_[place(index)]; }
  /// One that nobody has initialised and to which arrivals or bytes have come.
  [[nodiscard]] std::optional<Mbarrier> stray() const {
    const auto found = std::ranges::find_if(barriers_, [](const Mbarrier& barrier) {
      return !barrier.is_initialised() &&
             (barrier.pending != barrier.expected || barrier.bytes != 0);
    });
    return found == barriers_.end() ? std::nullopt : std::optional(*found);
  }

  /// `warp` sleeps until a further phase of `index` is complete.
  void sleep(int index, std::uint8_t warp) { sleepers_[place(index)].push_back(warp); }

  /// So many arrivals have come, and so many more bytes are expected. If that completes the phase,
  /// calls `wake(warp)` for all that sleep, in the order in which they began to.
  template <typename Wake>
  void change(int index, int arrivals, std::int64_t bytes, Wake wake) {
    Mbarrier& barrier = barriers_[place(index)];
    barrier.pending -= arrivals;
    barrier.bytes += bytes;
    if (barrier.pending != 0 || barrier.bytes != 0) return;
    ++barrier.phase;
    barrier.pending = barrier.expected;
    std::vector<std::uint8_t> woken;
    woken.swap(sleepers_[place(index)]);
    for (const std::uint8_t warp : woken) wake(warp);
  }

 private:
  static std::size_t place(int index) { return static_cast<std::size_t>(index); }
  Mbarrier& add() {
    sleepers_.emplace_back();
    return barriers_.emplace_back();
  }

  std::vector<Mbarrier> barriers_;
  std::vector<std::vector<std::uint8_t>> sleepers_;  ///< by barrier
};

}  // namespace tcsim::sm
