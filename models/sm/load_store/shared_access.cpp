#include "models/sm/load_store/shared_access.hpp"

#include <cstdint>

namespace tcsim::sm {

void SharedAccess::enter(const MemoryOperation& operation, Cycle now) {
  const isa::Effect effect = operation.instruction->effect;
  const int conflicts = operation.wavefronts - operation.minimum_wavefronts;
  const bool is_atomic = effect == isa::Effect::kAtomicShared;
  const int passes =
      is_atomic ? operation.wavefronts * params_.atomic_pass_cycles : operation.wavefronts;
  path_.move(passes * kWavefrontBytes, now);
  if (isa::stores_shared(effect)) path_.block(params_.store_extra_cycles, now);
  if (is_atomic) counters_.shared_atomic_lanes.add(static_cast<std::uint64_t>(operation.lanes));
  counters_.shared_wavefronts.add(static_cast<std::uint64_t>(operation.wavefronts));
  counters_.shared_conflict_wavefronts.add(static_cast<std::uint64_t>(conflicts));
  if (operation.instruction->dst_registers == 0) return;
  const Cycle extra = is_atomic ? passes - 1 : conflicts * params_.conflict_extra_cycles;
  completion_.write_back(operation, now + load_cycles_ + extra, CycleReason::kDependenceShared);
}

}  // namespace tcsim::sm
