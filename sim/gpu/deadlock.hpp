#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/memory/memory_system.hpp"
#include "models/sm/sm.hpp"
#include "sim/gpu/cta_scheduler.hpp"
#include "sim/gpu/sm_shell.hpp"

namespace tcsim::gpu {

/// A chip between two windows, everything having run up to `now` and been exchanged.
struct ChipState {
  const std::vector<std::unique_ptr<sm::Sm>>& sms;
  const std::vector<std::unique_ptr<SmShell>>& shells;
  const memory::MemorySystem& memory;
  const CtaScheduler& scheduler;
  Cycle now;
};

/// True if no warp can ever go on and no CTA start: nothing is under way anywhere; or every
/// resident warp is at a barrier or looks at a flag that is too small, and nothing is under way
/// that could raise one. However slow a machine is, it is no deadlock. Requires an unfinished run.
bool is_deadlocked(const ChipState& chip);

/// Who waits for whom, with the addresses of the instructions (16 bytes each, from the start of the
/// program): a line for each group of warps of a CTA that wait alike, and for CTAs without a place.
std::string describe_deadlock(const ChipState& chip);

}  // namespace tcsim::gpu
