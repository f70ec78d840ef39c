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
  bool written = false;  ///< otherwise read
  /// Number of SMs, anywhere on the chip, that have read each line. The other partition keeps a
  /// copy of as many lines as have a reader on their far side: with one reader, half of them.
  int readers = 1;
};

/// The memory that buffers span, its end rounded up to a large page.
struct MemorySpan {
  std::uint64_t first = ~std::uint64_t{0};
  std::uint64_t end = 0;
};

MemorySpan span_of(const std::vector<isa::KernelLaunch>& stream);

/// The L2 contents after a program has written memory beyond that of `stream`: nothing else is
/// left.
L2Content overwritten_l2(const config::Machine& machine,
                         const std::vector<isa::KernelLaunch>& stream);

}  // namespace tcsim::gpu
