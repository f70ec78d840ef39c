#pragma once

#include <cstdint>

namespace tcsim::measure {

/// SplitMix64 (Steele, Lea, Flood 2014): the same numbers on every host.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t value = state_;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
    return value ^ (value >> 31);
  }
  /// Uniform in 0 .. below - 1, except for the bias if 2^64 is no multiple of `below`.
  std::uint64_t below(std::uint64_t below) { return bits() % below; }
  /// Uniform in low .. high.
  int between(int low, int high) {
    return low + static_cast<int>(below(static_cast<std::uint64_t>(high - low + 1)));
  }
  bool one_in(std::uint64_t count) { return below(count) == 0; }

 private:
  std::uint64_t state_;
};

}  // namespace tcsim::measure
