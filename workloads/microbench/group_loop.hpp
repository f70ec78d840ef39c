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

/// Warps of a CTA that read boxes of bytes into rings of places in shared memory (TMA), each warp
/// from its part of one buffer into a ring of its own.
struct BoxStream {
  int box_bytes = 8 * 1024;  ///< a multiple of 128
  int group = 1;             ///< boxes of a place, which come together
  int places = 1;            ///< of a ring: groups of boxes under way
  int warps = 1;
  int work = 0;  ///< integer instructions, each waiting for the one before, of a loop trip
  std::int64_t ctas = 1;
  std::int64_t trips = 1;  ///< of each warp: groups of boxes
  /// 0: every warp reads boxes of its own, one behind the other; else all read the same so many
  /// groups of boxes, over and over.
  std::int64_t shared_groups = 0;
  std::uint64_t base = 1 << 20;
};

isa::KernelLaunch box_stream(const BoxStream& stream, const isa::TimingTable& timing);

/// One cluster of `size` CTAs of `warps` warps, whose warps meet at its barrier so many times.
isa::KernelLaunch cluster_meetings(int size, int warps, std::int64_t times,
                                   const isa::TimingTable& timing);

}  // namespace tcsim::microbench
