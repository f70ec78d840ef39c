#pragma once

#include <cstdint>

#include "models/isa/launch.hpp"
#include "models/isa/timing.hpp"

namespace tcsim::microbench {

/// A walk over `lines()` lines, one load of one lane after another, in an order without runs: the
/// digits of the position, lowest first, are the digits of the line number, highest first. Every
/// pass visits each line once, like a linked list laid out at random. The timing model has no
/// values, so the address comes from this pattern and the dependence from the address register.
class PointerChase {
 public:
  /// `bytes` is rounded down to a size that the digits can express: a multiple of 64 lines, or of
  /// 4096 from 4096 lines on. Requires bytes >= 64 * line_bytes.
  PointerChase(std::int64_t bytes, int line_bytes);

  std::int64_t lines() const { return lines_; }

  /// A part of the walk: positions [first, first + count).
  struct Part {
    std::int64_t first = 0;
    std::int64_t count = 1;
    std::int64_t ctas = 1;  ///< of the launch; all except one end at once
    std::int64_t cta = 0;   ///< the CTA that walks, with one warp
    int shared_bytes = 0;   ///< per CTA, to keep a second CTA off its SM
  };

  isa::KernelLaunch walk(const Part& part, const isa::TimingTable& timing) const;

  /// The CTA of `part` touches every line once, in the order of the walk but with many loads at a
  /// time.
  isa::KernelLaunch touch_all(const Part& part, const isa::TimingTable& timing) const;

 private:
  isa::Buffer buffer() const;

  std::int64_t line_bytes_;
  std::int64_t radix_;
  std::int64_t lines_;
};

}  // namespace tcsim::microbench
