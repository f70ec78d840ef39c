#include "models/sm/code_supply.hpp"

#include <algorithm>

namespace tcsim::sm {

CodeSupply::CodeSupply(const SmParams& params, int sm, stats::Group& parent)
    : params_(params.instruction_fetch),
      sm_(static_cast<std::uint16_t>(sm)),
      sectors_(static_cast<std::uint8_t>(
          (1U << (params.instruction_fetch.line_bytes / params.l1.sector_bytes)) - 1)),
      fetch_(params.instruction_fetch, sm, params.sub_cores, parent) {}

void CodeSupply::fetch(Warp& warp, Cycle now, bool from_start) {
  const int pc = warp.pc();
  const std::uint32_t line = line_of(warp, pc);
  if (from_start || warp.next().starts_line) {
    const Cycle ready = fetch_.need(warp.sub_core, line, now);
    warp.waits_for_code = ready == kNever;
    if (warp.waits_for_code) {
      waiting_.push_back(&warp);
    } else if (ready > warp.stall_until) {
      warp.stall_until = ready;
      warp.stall_reason = CycleReason::kInstructionFetch;
    }
  }
  const auto last = static_cast<int>(warp.program->instructions.size()) - 1;
  const std::uint32_t furthest = line_of(warp, std::min(pc + params_.buffer_entries - 1, last));
  if (furthest != line) fetch_.need(warp.sub_core, furthest, now);
  if (!fetch_.requests().empty()) send_requests();
}

void CodeSupply::send_requests() {
  for (const InstructionFetch::Request& made : fetch_.requests()) {
    memory::LineRequest request;
    request.cycle = made.cycle;
    request.address =
        memory::kCodeMemory + made.line * static_cast<std::uint64_t>(params_.line_bytes);
    request.tag = kCodeTag | made.line;
    request.sm = sm_;
    request.sectors = sectors_;
    requests_.push_back(request);
  }
  fetch_.requests().clear();
}

}  // namespace tcsim::sm
