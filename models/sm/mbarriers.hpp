#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "models/isa/program.hpp"

namespace tcsim::sm {

/// An mbarrier: a phase is complete when all its arrivals have come and no bytes are expected any
/// more.
struct Mbarrier {
  std::int64_t address = 0;  ///< byte address in the CTA's shared memory
  int expected = 0;          ///< arrivals per phase
  int pending = 0;           ///< arrivals that the current phase still needs
  std::int64_t bytes = 0;    ///< bytes that the current phase still expects; may drop below 0
  std::int64_t phase = 0;    ///< number of completed phases
  // What had come when it was initialised, and is lost.
  int early_arrivals = 0;
  std::int64_t early_bytes = 0;  ///< that copies had brought, less those then expected

  /// True if the phase of `parity` is complete.
  [[nodiscard]] bool has_passed(std::int64_t parity) const { return phase % 2 != parity; }
  /// False for an address that is used as an mbarrier although no SYNCS.EXCH.64 has initialised it.
  [[nodiscard]] bool is_initialised() const { return expected != kNoArrivals; }

  static constexpr int kNoArrivals = std::numeric_limits<int>::max();
};

/// The mbarriers of a CTA. Knows the warps that sleep at an mbarrier by their hardware warp ids.
class Mbarriers {
 public:
  void init(std::int64_t address, int arrivals) {
    const int index = find(address);
    Mbarrier& barrier = index == isa::kNoIndex ? add() : barriers_[place(index)];
    const Mbarrier before = barrier;
    barrier = {address, arrivals, arrivals, 0, 0};
    if (before.is_initialised()) return;
    barrier.early_arrivals = before.expected - before.pending;
    barrier.early_bytes = -before.bytes;
  }
  /// The number of the mbarrier at `address`, or kNoIndex.
  [[nodiscard]] int find(std::int64_t address) const {
    for (std::size_t i = 0; i < barriers_.size(); ++i)
      if (barriers_[i].address == address) return static_cast<int>(i);
    return isa::kNoIndex;
  }
  [[nodiscard]] const Mbarrier& operator[](int index) const { return barriers_[place(index)]; }
  /// An mbarrier that received arrivals or bytes although it was never initialised, if there is
  /// one.
  [[nodiscard]] std::optional<Mbarrier> stray() const {
    const auto found = std::ranges::find_if(barriers_, [](const Mbarrier& barrier) {
      return !barrier.is_initialised() &&
             (barrier.pending != barrier.expected || barrier.bytes != 0);
    });
    return found == barriers_.end() ? std::nullopt : std::optional(*found);
  }

  /// `warp` sleeps until another phase of `index` is complete.
  void sleep(int index, std::uint8_t warp) { sleepers_[place(index)].push_back(warp); }

  /// Records this many arrivals and this many more expected bytes. If that completes the phase,
  /// calls `wake(warp)` for all sleeping warps, in the order in which they fell asleep.
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
  std::vector<std::vector<std::uint8_t>> sleepers_;  ///< by mbarrier
};

}  // namespace tcsim::sm
