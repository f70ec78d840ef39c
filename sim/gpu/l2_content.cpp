#include "sim/gpu/l2_content.hpp"

#include <algorithm>

namespace tcsim::gpu {

MemorySpan span_of(const std::vector<isa::KernelLaunch>& stream) {
  constexpr std::uint64_t kAlignment = std::uint64_t{1} << 21;  // a large page
  MemorySpan span;
  for (const isa::KernelLaunch& launch : stream) {
    for (const isa::Buffer& buffer : launch.buffers) {
      span.first = std::min(span.first, buffer.base_address);
      span.end = std::max(span.end, buffer.base_address + buffer.bytes);
    }
  }
  span.end = span.first + (span.end - span.first + kAlignment - 1) / kAlignment * kAlignment;
  return span;
}

L2Content overwritten_l2(const config::Machine& machine,
                         const std::vector<isa::KernelLaunch>& stream) {
  // Writing twice the capacity leaves no set of the cache as it was.
  return {.address = span_of(stream).end,
          .bytes = 2 * static_cast<std::uint64_t>(machine.l2.bytes),
          .written = true};
}

}  // namespace tcsim::gpu
