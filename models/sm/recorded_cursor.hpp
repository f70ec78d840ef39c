#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "models/isa/recording.hpp"
#include "models/sm/kernel.hpp"

namespace tcsim::sm {

/// The position of a warp in its recording: the step that issues next, decoded.
class RecordedCursor {
 public:
  /// Positioned before the first step of warp `warp` of the CTA at `cta`. Requires that the launch
  /// of `kernel` is recorded; `kernel` must outlive the cursor.
  RecordedCursor(const Kernel& kernel, const std::array<std::int64_t, 3>& cta, int warp);

  /// Moves to the next step, which the other members describe from then on. Requires that there is
  /// one.
  const DecodedInstruction& next();

  const isa::RecordedStep& step() const { return step_; }
  std::uint32_t lanes() const { return step_.lanes; }
  /// For memory instructions only.
  const DecodedAccess& access() const {
    return step_.pattern == isa::RecordedStep::kOwnPattern ? own_access_
                                                           : kernel_.recorded_access(step_.pattern);
  }
  /// For TMA copies only.
  const isa::RecordedBox& box() const {
    return step_.pattern == isa::RecordedStep::kOwnPattern
               ? step_.own_box
               : kernel_.launch().recording->boxes()[static_cast<std::size_t>(step_.pattern)];
  }
  /// The byte address, as global and as shared offset.
  const std::int64_t* addresses() const { return addresses_.data(); }

 private:
  const Kernel& kernel_;
  const DecodedProgram& program_;
  const std::unique_ptr<isa::RecordedWarp> warp_;
  isa::RecordedStep step_;
  DecodedAccess own_access_;
  std::array<std::int64_t, 2> addresses_{};
};

}  // namespace tcsim::sm
