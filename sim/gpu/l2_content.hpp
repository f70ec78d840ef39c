#pragma once

#include <cstdint>
#include <vector>

#include "models/isa/launch.hpp"
#include "sim/config/machine.hpp"

namespace tcsim::gpu {

/// A range of memory that an earlier use has brought into the L2.
struct L2Content {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  bool written = false;  ///< else read
  /// SMs that have read each line, anywhere on the chip: of as many lines as meet one on their far
  /// side, half for the first, the other partition keeps a copy.
  int readers = 1;
};

/// The memory that buffers span, its end rounded up to a large page.
struct MemorySpan {
  std::uint64_t first = ~std::uint64_t{0};
  std::uint64_t end = 0;
};

MemorySpan span_of(const std::vector<isa::KernelLaunch>& stream);

/// What a program leaves that wrote to memory behind that of `stream`: nothing else.
L2Content overwritten_l2(const config::Machine& machine,
                         const std::vector<isa::KernelLaunch>& stream);

}  // namespace tcsim::gpu
