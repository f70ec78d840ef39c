#pragma once

#include <cstdint>
#include <random>

namespace tcsim::rtl {

/// Repeatable random numbers: the engine's sequence is fixed by the C++ standard; the standard
/// distributions are not.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t bits() { return engine_(); }
  /// In [low, high]; the bias of the remainder is far too small to matter.
  int between(int low, int high) {
    return low + static_cast<int>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool one_in(int n) { return between(1, n) == 1; }

 private:
  std::mt19937_64 engine_;
};

}  // namespace tcsim::rtl
