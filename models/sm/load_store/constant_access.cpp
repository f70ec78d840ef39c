#include "models/sm/load_store/constant_access.hpp"

#include <algorithm>

namespace tcsim::sm {

void ConstantAccess::resolve(MemoryOperation& operation, const LaneAddresses& addresses,
                             std::uint32_t lanes) {
  std::vector<std::int64_t>& words = operation.constants;
  words.clear();
  for (int lane = 0; lane < kLanes; ++lane)
    if ((lanes >> lane & 1) != 0)
      words.push_back(addresses.access.shared_swizzle.apply(addresses.of_lane(lane)));
  std::ranges::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());
  operation.wavefronts = static_cast<int>(words.size());
}

void ConstantAccess::enter(int number, Cycle now) {
  path_.block(operations_[number].wavefronts, now);
  if (!finish(number, now)) waiting_.push_back(number);
}

/// False if some constants are on their way from L2.
bool ConstantAccess::finish(int number, Cycle now) {
  const MemoryOperation& operation = operations_[number];
  Cycle ready = now;
  for (const std::int64_t offset : operation.constants)
    if (!cache_.is_perfect()) ready = std::max(ready, cache_.load(offset, now));
  if (ready == kNever) return false;
  completion_.write_back(operation, ready + load_cycles_ + operation.wavefronts - 1,
                         CycleReason::kConstant);
  operations_.give_back(number);
  return true;
}

void ConstantAccess::arrived(Cycle now) {
  std::erase_if(waiting_, [this, now](int number) { return finish(number, now); });
}

}  // namespace tcsim::sm
