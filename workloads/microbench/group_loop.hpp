#pragma once

#include <cstdint>

#include "models/isa/launch.hpp"
#include "models/isa/timing.hpp"

namespace tcsim::microbench {

/// Warpgroups that multiply operands which lie in shared memory from the start: groups of products
/// (wgmma) onto one accumulator, and a wait behind each group.
struct GroupLoop {
  isa::Opcode product{};  ///< of a warpgroup
  int per_group = 1;      ///< products of a group
  int open = 0;           ///< groups that may stay open behind a wait
  int warpgroups = 1;     ///< of the CTA
  std::int64_t ctas = 1;
  std::int64_t groups = 1;  ///< of each warpgroup
};

/// The launch of `loop`: a loop trip is a group, as compiled code has it.
isa::KernelLaunch group_loop(const GroupLoop& loop, const isa::TimingTable& timing);

/// One warp of a CTA that reads boxes of bytes from its part of one buffer into a ring of places in
/// shared memory (TMA).
struct BoxStream {
  int box_bytes = 8 * 1024;  ///< a multiple of 128
  int places = 1;            ///< of the ring: boxes under way
  std::int64_t ctas = 1;
  std::int64_t boxes = 1;  ///< of each CTA
  /// 0: every CTA reads boxes of its own, one behind the other; else all read the same so many
  /// boxes, over and over.
  std::int64_t shared_boxes = 0;
  std::uint64_t base = 1 << 20;
};

isa::KernelLaunch box_stream(const BoxStream& stream, const isa::TimingTable& timing);

}  // namespace tcsim::microbench
