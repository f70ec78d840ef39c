#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/isa/cycle.hpp"

namespace tcsim::sm {

/// Lines that the CTAs of an SM write by stores and atomics, from their issue to the answer of the
/// L2: what a fence waits for.
class WritesUnderWay {
 public:
  explicit WritesUnderWay(int cta_slots) : lines_(static_cast<std::size_t>(cta_slots)) {}

  void issued(std::size_t cta_slot, int lines) { lines_[cta_slot] += lines; }
  void answered(std::size_t cta_slot) { --lines_[cta_slot]; }

  /// Lines of the CTA in `cta_slot`, including those of the previous one there.
  int of_cta(std::size_t cta_slot) const { return lines_[cta_slot]; }
  bool any() const {
    return std::ranges::any_of(lines_, [](int lines) { return lines != 0; });
  }

 private:
  std::vector<int> lines_;  ///< by CTA slot
};

}  // namespace tcsim::sm
