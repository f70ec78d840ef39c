#pragma once

#include <cstdint>
#include <vector>

#include "models/sm/kernel.hpp"
#include "models/sm/loop_jump.hpp"
#include "models/sm/residency.hpp"

namespace tcsim::sm {

/// True if every CTA of `kernel` issues the same instructions as often, and none waits for another.
bool has_equal_ctas(const Kernel& kernel);

/// What a CTA of `kernel` issues. Requires has_equal_ctas(kernel).
IssuedWork work_of_cta(const Kernel& kernel);

/// The resident CTAs become those `ctas` places behind them in the grid and go on from where they
/// are. Requires has_equal_ctas(kernel), and that there are such.
void renumber(Residency& residency, const Kernel& kernel, std::int64_t ctas);

/// What a CTA accesses that is not simulated.
class CtaAccesses {
 public:
  /// Of CTA `cta`, by its number in the grid.
  CtaAccesses(const Kernel& kernel, std::int64_t cta);

  /// The most trips that an outermost loop of a warp has.
  [[nodiscard]] std::int64_t most_trips() const { return most_trips_; }
  /// Tells `listener` of what trip `trip` of each outermost loop reads that only reads.
  void read(std::int64_t trip, const AccessListener& listener);
  /// Tells `listener` of what it stores.
  void write(const AccessListener& listener);

 private:
  const Kernel& kernel_;
  std::vector<Warp> warps_;
  std::int64_t most_trips_ = 0;
};

}  // namespace tcsim::sm
