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

/// Warps of a CTA that read boxes of a matrix into rings of places in shared memory (TMA), each
/// warp into a ring of its own. Boxes are 128 bytes wide. All warps of the grid share one sequence,
/// row of boxes after row of boxes, in which each reads `trips` groups behind those of the warp
/// before; where the sequence ends it begins again.
struct BoxStream {
  int box_bytes = 8 * 1024;  ///< a multiple of 128
  int group = 1;             ///< boxes of a place, which come together
  int places = 1;            ///< of a ring: groups of boxes under way
  int warps = 1;
  int work = 0;  ///< integer instructions, each waiting for the one before, of a loop trip
  std::int64_t ctas = 1;
  std::int64_t trips = 1;          ///< of each warp: groups of boxes
  std::int64_t pitch_bytes = 128;  ///< of a row of the matrix: a multiple of 128
  /// Of the matrix. Requires a row of boxes at least; a power of two of rows of boxes is read.
  std::int64_t footprint_bytes = std::int64_t{8} * 1024;
};

isa::KernelLaunch box_stream(const BoxStream& stream, const isa::TimingTable& timing);

/// One cluster of `size` CTAs of `warps` warps, whose warps meet at its barrier so many times.
isa::KernelLaunch cluster_meetings(int size, int warps, std::int64_t times,
                                   const isa::TimingTable& timing);

}  // namespace tcsim::microbench
