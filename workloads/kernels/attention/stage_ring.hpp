#pragma once

#include <cstdint>
#include <utility>

#include "models/isa/expression.hpp"
#include "workloads/kernels/warpgroup_plan.hpp"

namespace tcsim::kernels {

/// A ring of `stages` stages that are filled in turn, at one position of the sequence.
class StageRing {
 public:
  /// `position` has no quotients and is never negative. Requires `stages` >= 1.
  StageRing(isa::Expression position, int stages)
      : position_(std::move(position)), stages_(stages) {}

  /// base + weight * (stage).
  [[nodiscard]] isa::Expression stage(std::int64_t base, std::int64_t weight) const {
    return counted(base, weight, 1, stages_);
  }
  /// Parity of the phase in which the stage is filled, or the other one.
  [[nodiscard]] isa::Expression parity(bool opposite) const { return parity_of(stages_, opposite); }
  /// Parity for an mbarrier with a phase for each position, or the other one.
  [[nodiscard]] isa::Expression phase_parity(bool opposite) const { return parity_of(1, opposite); }

 private:
  /// base + weight * (position / divisor modulo modulus).
  [[nodiscard]] isa::Expression counted(std::int64_t base, std::int64_t weight,
                                        std::int64_t divisor, std::int64_t modulus) const {
    if (position_.terms.empty()) return {base + weight * (position_.constant / divisor % modulus)};
    return {base,
            {},
            {warpgroups::divided(weight, position_.constant, position_.terms, divisor, modulus)}};
  }
  [[nodiscard]] isa::Expression parity_of(std::int64_t divisor, bool opposite) const {
    return opposite ? counted(1, -1, divisor, 2) : counted(0, 1, divisor, 2);
  }

  isa::Expression position_;
  int stages_;
};

}  // namespace tcsim::kernels
