#pragma once

#include <cstdint>

#include "models/isa/launch.hpp"
#include "models/isa/timing.hpp"

namespace tcsim::microbench {

/// Warpgroups that multiply operands which are in shared memory from the start: groups of products
/// (wgmma) onto one accumulator, and a wait after each group.
struct GroupLoop {
  isa::Opcode product{};  ///< of a warpgroup
  int per_group = 1;      ///< products of a group
  int open = 0;           ///< groups that may stay open after a wait
  int warpgroups = 1;     ///< per CTA
  std::int64_t ctas = 1;
  std::int64_t groups = 1;  ///< per warpgroup
};

/// The launch of `loop`: a loop iteration is a group, as in compiled code.
isa::KernelLaunch group_loop(const GroupLoop& loop, const isa::TimingTable& timing);

/// Warps of a CTA that read boxes of a matrix into rings of places in shared memory (TMA), each
/// warp into its own ring. Boxes are 128 bytes wide. All warps of the grid share one sequence, row
/// of boxes after row of boxes; each warp reads the `trips` groups that follow those of the
/// previous warp. At its end the sequence begins again.
struct BoxStream {
  int box_bytes = 8 * 1024;  ///< a multiple of 128
  int group = 1;             ///< boxes of a place, which arrive together
  int places = 1;            ///< places of a ring: groups of boxes in flight
  int warps = 1;
  int work = 0;  ///< integer instructions of a loop iteration, each waiting for the previous one
  std::int64_t ctas = 1;
  std::int64_t trips = 1;          ///< per warp: groups of boxes
  std::int64_t pitch_bytes = 128;  ///< length of a row of the matrix: a multiple of 128
  /// Bytes of the matrix. Requires at least a row of boxes; a power of two of rows of boxes is
  /// read.
  std::int64_t footprint_bytes = std::int64_t{8} * 1024;
};

isa::KernelLaunch box_stream(const BoxStream& stream, const isa::TimingTable& timing);

/// One cluster of `size` CTAs of `warps` warps, whose warps meet at its barrier that many times.
isa::KernelLaunch cluster_meetings(int size, int warps, std::int64_t times,
                                   const isa::TimingTable& timing);

}  // namespace tcsim::microbench
