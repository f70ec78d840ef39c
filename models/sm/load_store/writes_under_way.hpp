#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace tcsim::sm {

/// Lines that the CTAs of an SM write by stores and atomics, from their issue to the answer of the
/// L2: what a fence waits for.
///
/// CTAs are numbered in the order in which they start, modulo kNumbers, which is more than an SM
/// holds; a fence also waits for what the CTA kNumbers earlier has left.
class WritesUnderWay {
 public:
  static constexpr std::size_t kNumbers = 1024;

  void issued(std::size_t cta, int lines) { lines_[cta] += lines; }
  void answered(std::size_t cta) { --lines_[cta]; }

  int of_cta(std::size_t cta) const { return lines_[cta]; }
  bool any() const {
    return std::ranges::any_of(lines_, [](int lines) { return lines != 0; });
  }

 private:
  std::array<int, kNumbers> lines_{};  ///< by number of the CTA
};

}  // namespace tcsim::sm
