#pragma once

#include <cstdint>
#include <vector>

#include "models/sm/kernel.hpp"
#include "models/sm/loop_jump.hpp"
#include "models/sm/residency.hpp"

namespace tcsim::sm {

/// The waves of a grid whose work recurs.
struct Waves {
  /// CTAs after which CTAs issue the same instructions as often as those before. Iteration counts
  /// may depend on the place in the grid: the blocks of queries of causal attention recur with
  /// every head.
  std::int64_t period = 1;
  /// Whole periods, enough to fill all places. 0 if it is not known what a CTA issues, or CTAs wait
  /// for one another.
  std::int64_t ctas = 0;
  /// The first CTA that is not part of a wave, since it ends early, or is behind the grid.
  std::int64_t end = 0;
};
/// For a grid that takes `slots` places.
Waves waves_of(const Kernel& kernel, std::int64_t slots);

/// What one of the waves issues.
IssuedWork work_of_wave(const Kernel& kernel, const Waves& waves);

/// Replaces the CTAs that are resident or about to start by those `ctas` places later in the grid
/// (earlier if it is negative), which continue from the same position. `ctas` is a number of whole
/// waves, and those CTAs must exist.
void renumber(Residency& residency, const Kernel& kernel, std::int64_t ctas);

/// The largest number of iterations that a resident warp has completed of an outermost loop that
/// only reads.
std::int64_t most_trips_done(const Residency& residency);

/// Passes to `listener` what the resident CTAs have read in iteration `trip` of these loops; before
/// iteration 0, also what they have read outside of loops.
void read_again(Residency& residency, const Kernel& kernel, std::int64_t trip,
                const AccessListener& listener);

/// The memory accesses of a CTA that is not simulated.
class CtaAccesses {
 public:
  /// For CTA `cta`, by its number in the grid.
  CtaAccesses(const Kernel& kernel, std::int64_t cta);

  /// The largest iteration count of any outermost loop of a warp.
  [[nodiscard]] std::int64_t most_trips() const { return most_trips_; }
  /// Passes to `listener` what iteration `trip` of each read-only outermost loop reads; before
  /// iteration 0, also what is read outside of loops.
  void read(std::int64_t trip, const AccessListener& listener);
  /// Passes to `listener` what the CTA writes: what it stores and what its atomics change.
  void write(const AccessListener& listener);

 private:
  const Kernel& kernel_;
  std::vector<Warp> warps_;
  std::int64_t most_trips_ = 0;
};

}  // namespace tcsim::sm
