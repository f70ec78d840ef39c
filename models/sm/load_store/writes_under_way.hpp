#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/isa/cycle.hpp"

namespace tcsim::sm {

/// Lines that the hardware warps of an SM write by stores and atomics, from their issue to the
/// answer of the L2: what a fence waits for.
class WritesUnderWay {
 public:
  explicit WritesUnderWay(int warps) : lines_(static_cast<std::size_t>(warps)) {}

  void issued(std::uint8_t warp, int lines) { lines_[warp] += lines; }
  void answered(std::uint8_t warp) { --lines_[warp]; }

  /// Lines of `warp`, including those of the previous warp in its slot.
  int of_warp(std::uint8_t warp) const { return lines_[warp]; }
  bool any() const {
    return std::ranges::any_of(lines_, [](int lines) { return lines != 0; });
  }

 private:
  std::vector<int> lines_;  ///< by hardware warp
};

}  // namespace tcsim::sm
