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
  /// Hardware warp `warp` arrives and waits. Requires that it does not wait here already.
  void arrive_and_wait(std::uint8_t warp) { waiting_.push_back(warp); }

  /// True if it opens with `expected` warps. One at which nobody has arrived has nothing to open
  /// for.
  bool is_complete(int expected) const {
    return !waiting_.empty() && static_cast<int>(waiting_.size()) >= expected;
  }

  /// Lets all that wait go, calling `release(warp)` for each in order of their arrival.
  template <typename Release>
  void open(Release release) {
    for (const std::uint8_t warp : waiting_) release(warp);
    waiting_.clear();
  }

 private:
  std::vector<std::uint8_t> waiting_;  ///< keeps its room, so that only the first meetings allocate
};

/// The named barriers of one CTA (BAR.SYNC). Each expects all warps of the CTA that have not
/// exited.
class CtaBarriers {
 public:
  /// Hardware warp `warp` arrives at barrier `id` and waits. Requires 0 <= id < isa::kNamedBarriers
  /// and that it waits at none.
  void arrive_and_wait(int id, std::uint8_t warp) {
    assert(id >= 0 && id < isa::kNamedBarriers);
    barriers_[static_cast<std::size_t>(id)].arrive_and_wait(warp);
    in_use_ |= 1U << id;
  }

  /// Opens every barrier that is complete with `expected` warps: `release(warp)` for each that
  /// waited there. Call it after an arrival and after an exit.
  template <typename Release>
  void open_complete(int expected, Release release) {
    for (std::uint32_t left = in_use_; left != 0; left &= left - 1) {
      const int id = std::countr_zero(left);
      Barrier& barrier = barriers_[static_cast<std::size_t>(id)];
      if (!barrier.is_complete(expected)) continue;
      barrier.open(release);
      in_use_ &= ~(1U << id);
    }
  }

 private:
  std::array<Barrier, isa::kNamedBarriers> barriers_;
  std::uint32_t in_use_ = 0;  ///< bit per barrier at which somebody waits
};

}  // namespace tcsim::sm
