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
  MemoryOperation& operation = operations_[number];
  path_.block(operation.wavefronts, now);
  operation.constants_ready = now;
  std::erase_if(operation.constants, [&](std::int64_t offset) {
    const Cycle ready = cache_.is_perfect() ? now : cache_.load(offset, now);
    if (ready == kNever) return false;
    operation.constants_ready = std::max(operation.constants_ready, ready);
    return true;
  });
  if (!finish_if_complete(number)) waiting_.push_back(number);
}

/// False if some constants are still on their way from L2.
bool ConstantAccess::finish_if_complete(int number) {
  const MemoryOperation& operation = operations_[number];
  if (!operation.constants.empty()) return false;
  completion_.write_back(operation,
                         operation.constants_ready + load_cycles_ + operation.wavefronts - 1,
                         CycleReason::kConstant);
  operations_.give_back(number);
  return true;
}

void ConstantAccess::arrived(std::uint32_t line, Cycle now) {
  std::erase_if(waiting_, [&](int number) {
    MemoryOperation& operation = operations_[number];
    const std::size_t came = std::erase_if(
        operation.constants, [&](std::int64_t offset) { return cache_.code_line(offset) == line; });
    if (came > 0)
      operation.constants_ready = std::max(operation.constants_ready, cache_.arrival(now));
    return finish_if_complete(number);
  });
}

}  // namespace tcsim::sm
