#pragma once

#include <array>

#include "scripts/gpu/bits/vector.hpp"
#include "scripts/gpu/common/random.hpp"

namespace tcsim::measure {

/// Random signed 8-bit operands and a 32-bit c: any bits, the ends of the range, and sums that
/// overflow 32 bits, where wrapping and clamping differ.
class IntegerVectors {
 public:
  IntegerVectors(int k, std::uint64_t seed) : k_(k), random_(seed) {}

  Vector next() {
    static constexpr std::array<const char*, 3> kCategories{"bits", "ends", "saturated"};
    const std::size_t turn = turn_++ % kCategories.size();
    Vector vector{kCategories[turn], {}, {}, 0};
    for (int i = 0; i < k_; ++i) {
      vector.a.push_back(turn == 1 ? end() : random_.bits() & 0xff);
      vector.b.push_back(turn == 1 ? end() : random_.bits() & 0xff);
    }
    vector.c = turn == 2 ? near_the_limit() : random_.bits() & 0xffffffff;
    return vector;
  }

 private:
  std::uint64_t end() {
    static constexpr std::array<std::uint64_t, 4> kEnds{0x80, 0x7f, 0xff, 0x00};
    return kEnds[random_.below(kEnds.size())];
  }
  std::uint64_t near_the_limit() {
    const std::uint64_t distance = random_.below(1 << 18);
    return random_.one_in(2) ? 0x7fffffff - distance : 0x80000000 + distance;
  }

  int k_;
  Random random_;
  std::size_t turn_ = 0;
};

}  // namespace tcsim::measure
