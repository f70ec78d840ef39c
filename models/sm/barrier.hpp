#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/isa/program.hpp"

namespace tcsim::sm {

/// Value of Warp::barrier when the warp waits at none.
inline constexpr std::int16_t kNoBarrier = -1;

/// A barrier at which warps wait for each other. It opens for all of them when the expected number
/// have arrived, and is then ready for the next round. Knows warps by their hardware warp ids.
class Barrier {
 public:
  /// A warp arrives in a round that expects `warps` warps; 0 means all.
  void arrive(int warps) {
    ++arrived_;
    warps_ = warps;
  }
  /// Hardware warp `warp`, which has arrived, waits. Requires that it is not already waiting here.
  void wait(std::uint8_t warp) { waiting_.push_back(warp); }

  [[nodiscard]] int arrived() const { return arrived_; }
  [[nodiscard]] int expected() const { return warps_; }  ///< 0 means all

  /// True if the barrier opens when `all` warps can still arrive. A barrier at which no warp has
  /// arrived does not open.
  bool is_complete(int all) const {
    return arrived_ > 0 && arrived_ >= (warps_ > 0 ? warps_ : all);
  }

  /// Releases all waiting warps: calls `release(warp)` for each in order of arrival.
  template <typename Release>
  void open(Release release) {
    for (const std::uint8_t warp : waiting_) release(warp);
    waiting_.clear();
    arrived_ = 0;
  }

 private:
  int arrived_ = 0;
  int warps_ = 0;                      ///< as stated by the warp that arrived last
  std::vector<std::uint8_t> waiting_;  ///< keeps its capacity: only the first rounds allocate
};

/// The named barriers of one CTA (BAR.SYNC, BAR.ARV). Each expects a given number of warps, or all
/// warps of the CTA that have not exited.
class CtaBarriers {
 public:
  /// A warp arrives at barrier `named`. Requires a valid barrier number.
  void arrive(const isa::NamedBarrier& named) {
    assert(named.number >= 0 && named.number < isa::kNamedBarriers);
    barriers_[static_cast<std::size_t>(named.number)].arrive(named.warps);
    in_use_ |= 1U << named.number;
  }
  /// The barrier of this number, which must be valid.
  [[nodiscard]] const Barrier& operator[](int number) const {
    return barriers_[static_cast<std::size_t>(number)];
  }
  /// Hardware warp `warp` arrives and waits. Requires that it is not waiting at any barrier.
  void arrive_and_wait(const isa::NamedBarrier& named, std::uint8_t warp) {
    arrive(named);
    barriers_[static_cast<std::size_t>(named.number)].wait(warp);
  }

  /// Opens every barrier that is complete when `all` warps can still arrive: calls `release(warp)`
  /// for each warp that waited there. Call it after an arrival and after an exit.
  template <typename Release>
  void open_complete(int all, Release release) {
    for (std::uint32_t left = in_use_; left != 0; left &= left - 1) {
      const int id = std::countr_zero(left);
      Barrier& barrier = barriers_[static_cast<std::size_t>(id)];
      if (!barrier.is_complete(all)) continue;
      barrier.open(release);
      in_use_ &= ~(1U << id);
    }
  }

 private:
  std::array<Barrier, isa::kNamedBarriers> barriers_;
  std::uint32_t in_use_ = 0;  ///< bit per barrier at which some warp has arrived
};

}  // namespace tcsim::sm
