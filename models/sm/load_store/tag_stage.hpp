#pragma once

#include <bit>
#include <cstdint>

#include "models/isa/cycle.hpp"
#include "models/sm/params.hpp"

namespace tcsim::sm {

/// When the tag stage of the L1 looks up the lines of an instruction, in order of address: aligned
/// neighbours in one cycle, one instruction after the other.
class TagStage {
 public:
  explicit TagStage(const L1Params& params)
      : group_bits_(
            std::bit_width(static_cast<unsigned>(params.line_bytes * params.lines_per_lookup)) -
            1) {}

  Cycle free_at() const { return next_; }

  /// An instruction starts at `now`. Requires now >= free_at().
  void start(Cycle now) {
    next_ = now;
    group_ = kNoGroup;
  }
  /// The cycle in which line `line` of the instruction is looked up.
  Cycle look_up(std::uint64_t line) {
    const std::uint64_t group = line >> group_bits_;
    if (group != group_) ++next_;
    group_ = group;
    return last();
  }
  /// The cycle of its last look-up. Requires that there was one.
  Cycle last() const { return next_ - 1; }

 private:
  static constexpr std::uint64_t kNoGroup = ~std::uint64_t{0};

  const int group_bits_;  ///< log2 of the aligned bytes looked up in one cycle, rounded down
  Cycle next_ = 0;        ///< the cycle after the last look-up
  std::uint64_t group_ = kNoGroup;
};

}  // namespace tcsim::sm
