#pragma once

#include <cstdint>
#include <string_view>

#include "models/memory/replacement/policy.hpp"

namespace tcsim::memory::replacement {

/// Replaces any line. Deterministic: the numbers depend on the instance and on how many lines have
/// been filled.
class Random {
 public:
  static constexpr std::string_view kName = "random";
  static constexpr bool kNeedsPowerOfTwoWays = false;

  explicit Random(const Shape& shape) : state_(shape.instance) {}

  void filled(std::uint32_t /*place*/) { state_ += kStep; }
  void used(std::uint32_t /*place*/) {}
  void emptied(std::uint32_t /*place*/) {}
  /// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014) of the state and the place.
  std::uint32_t staleness(std::uint32_t place) const {
    std::uint64_t mixed = state_ + kStep * (std::uint64_t{place} << 32U);
    mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
    return static_cast<std::uint32_t>(mixed >> 32U);
  }

 private:
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15U;

  std::uint64_t state_;
};

}  // namespace tcsim::memory::replacement
