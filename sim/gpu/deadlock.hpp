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

/// The state of a chip between two windows: everything has run up to `now` and has been exchanged.
struct ChipState {
  const std::vector<std::unique_ptr<sm::Sm>>& sms;
  const std::vector<std::unique_ptr<SmShell>>& shells;
  const memory::MemorySystem& memory;
  const CtaScheduler& scheduler;
  Cycle now;
};

/// True if no warp can ever continue and no CTA can start. Either nothing is in flight anywhere; or
/// every resident warp is at a barrier or reads a flag that is too small, and nothing is in flight
/// that could raise one. A slow machine alone is never a deadlock. Requires an unfinished run.
bool is_deadlocked(const ChipState& chip);

/// Who waits for whom, with the addresses of the instructions (16 bytes each, from the start of the
/// program): one line for each group of warps of a CTA that wait for the same thing, and for CTAs
/// that have not been placed.
std::string describe_deadlock(const ChipState& chip);

}  // namespace tcsim::gpu
