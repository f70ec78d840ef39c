#pragma once

#include <cassert>
#include <cstdint>

namespace tcsim::memory {

/// Division by a constant: a multiplication by its reciprocal, which processors execute several
/// times faster. Exact for dividends below 2^40.
class Divider {
 public:
  /// Requires 1 <= divisor <= 2^24.
  explicit Divider(std::uint64_t divisor)
      : divisor_(divisor), reciprocal_(~std::uint64_t{0} / divisor + 1) {
    assert(divisor >= 1 && divisor <= std::uint64_t{1} << 24);
  }

  std::uint64_t divisor() const { return divisor_; }
  std::uint64_t quotient(std::uint64_t number) const {
    assert(number < std::uint64_t{1} << 40);
    // The reciprocal is 2^64 / divisor, rounded up: too large by less than one part in 2^40.
    return divisor_ == 1 ? number : static_cast<std::uint64_t>(Wide{number} * reciprocal_ >> 64);
  }
  std::uint64_t remainder(std::uint64_t number) const {
    return number - quotient(number) * divisor_;
  }

 private:
  __extension__ using Wide = unsigned __int128;

  std::uint64_t divisor_;
  std::uint64_t reciprocal_;
};

}  // namespace tcsim::memory
