#include "models/sm/load_store/shared_access.hpp"

#include <cstdint>

namespace tcsim::sm {

void SharedAccess::enter(const MemoryOperation& operation, Cycle now) {
  PeerMessage::Access access{.effect = operation.instruction->effect};
  access.lanes = static_cast<std::uint8_t>(operation.lanes);
  access.wavefronts = static_cast<std::uint16_t>(operation.wavefronts);
  access.minimum_wavefronts = static_cast<std::uint16_t>(operation.minimum_wavefronts);
  access.wavefront_bytes = static_cast<std::uint16_t>(operation.wavefront_bytes);
  const Cycle extra = take_path(access, now);
  if (operation.instruction->dst_registers == 0) return;
  completion_.write_back(operation, now + load_cycles_ + extra, CycleReason::kDependenceShared);
}

Cycle SharedAccess::take_path(const PeerMessage::Access& access, Cycle now) {
  const int conflicts = access.wavefronts - access.minimum_wavefronts;
  const bool is_atomic = isa::is_shared_atomic(access.effect);
  const int passes = is_atomic ? access.wavefronts * params_.atomic_pass_cycles : access.wavefronts;
  // However wide the path, a pass over the banks takes a cycle.
  const Cycle busy = path_.move(passes * access.wavefront_bytes, now, passes);
  if (isa::stores_shared(access.effect)) path_.block(params_.store_extra_cycles, now);
  if (is_atomic) counters_.shared_atomic_lanes.add(std::uint64_t{access.lanes});
  counters_.shared_busy_cycles.add(static_cast<std::uint64_t>(busy));
  counters_.shared_wavefronts.add(std::uint64_t{access.wavefronts});
  counters_.shared_conflict_wavefronts.add(static_cast<std::uint64_t>(conflicts));
  return is_atomic ? passes - 1 : conflicts * params_.conflict_extra_cycles;
}

}  // namespace tcsim::sm
