#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/isa/program.hpp"

namespace tcsim::sm {

/// Of Warp::barrier: it waits at none.
inline constexpr std::int16_t kNoBarrier = -1;

/// A barrier at which warps wait for each other: it opens for all of them when as many have arrived
/// as it expects. Knows them by their hardware warp ids and is ready for the next meeting when it
/// has opened.
class Barrier {
 public:
  /// A warp arrives at a meeting of `warps`, of all if that is 0.
  void arrive(int warps) {
    ++arrived_;
    warps_ = warps;
  }
  /// Hardware warp `warp`, which has arrived, waits. Requires that it does not wait here already.
  void wait(std::uint8_t warp) { waiting_.push_back(warp); }

  /// True if it opens where `all` are there to come. One at which nobody has arrived has nothing to
  /// open for.
  bool is_complete(int all) const {
    return arrived_ > 0 && arrived_ >= (warps_ > 0 ? warps_ : all);
  }

  /// Lets all that wait go, calling `release(warp)` for each in order of their arrival.
  template <typename Release>
  void open(Release release) {
    for (const std::uint8_t warp : waiting_) release(warp);
    waiting_.clear();
    arrived_ = 0;
  }

 private:
  int arrived_ = 0;
  int warps_ = 0;                      ///< as the last one said that arrived
  std::vector<std::uint8_t> waiting_;  ///< keeps its room, so that only the first meetings allocate
};

/// The named barriers of one CTA (BAR.SYNC, BAR.ARV). Each expects so many warps, or all of the CTA
/// that have not exited.
class CtaBarriers {
 public:
  /// A warp arrives at barrier `named`. Requires a number of one.
  void arrive(const isa::NamedBarrier& named) {
    assert(named.number >= 0 && named.number < isa::kNamedBarriers);
    barriers_[static_cast<std::size_t>(named.number)].arrive(named.warps);
    in_use_ |= 1U << named.number;
  }
  /// Hardware warp `warp` arrives and waits. Requires that it waits at none.
  void arrive_and_wait(const isa::NamedBarrier& named, std::uint8_t warp) {
    arrive(named);
    barriers_[static_cast<std::size_t>(named.number)].wait(warp);
  }

  /// Opens every barrier that is complete where `all` warps are there to come: `release(warp)` for
  /// each that waited there. Call it after an arrival and after an exit.
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
  std::uint32_t in_use_ = 0;  ///< bit per barrier at which somebody has arrived
};

}  // namespace tcsim::sm
