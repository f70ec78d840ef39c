#include "models/sm/code_supply.hpp"

#include <algorithm>

namespace tcsim::sm {

CodeSupply::CodeSupply(const SmParams& params, int sm, stats::Group& parent)
    : params_(params.instruction_fetch), fetch_(params, sm, parent) {}

void CodeSupply::fetch(Warp& warp, Cycle now, bool from_start) {
  const int pc = warp.pc();
  const std::uint32_t line = line_of(warp, pc);
  if (from_start || warp.next().starts_line) {
    const Cycle ready = fetch_.need(warp.sub_core, line, now);
    warp.waits_for_code = ready == kNever;
    if (warp.waits_for_code)
      waiting_.push_back(&warp);
    else
      warp.hold_back(ready, CycleReason::kInstructionFetch);
  }
  const auto last = static_cast<int>(warp.program->instructions.size()) - 1;
  const std::uint32_t furthest = line_of(warp, std::min(pc + params_.buffer_entries - 1, last));
  if (furthest != line) fetch_.need(warp.sub_core, furthest, now);
}

}  // namespace tcsim::sm
