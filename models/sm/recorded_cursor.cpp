#include "models/sm/recorded_cursor.hpp"

namespace tcsim::sm {

RecordedCursor::RecordedCursor(const Kernel& kernel, const std::array<std::int64_t, 3>& cta,
                               int warp)
    : kernel_(kernel),
      program_(kernel.program_of_warp(warp)),
      warp_(kernel.launch().recording->open(cta, warp)) {
  own_access_.id = isa::kNoIndex;
}

const DecodedInstruction& RecordedCursor::next() {
  warp_->read(step_);
  addresses_ = {step_.address, step_.address};
  const DecodedInstruction& next =
      program_.instructions[static_cast<std::size_t>(step_.instruction)];
  if (step_.pattern == isa::RecordedStep::kOwnPattern && !isa::copies_tile(next.effect))
    decode(step_.own_pattern, own_access_);
  return next;
}

}  // namespace tcsim::sm
