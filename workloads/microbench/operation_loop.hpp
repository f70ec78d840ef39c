#pragma once

#include <cstdint>
#include <vector>

#include "models/isa/launch.hpp"
#include "models/isa/opcode.hpp"
#include "models/isa/timing.hpp"

namespace tcsim::microbench {

/// Warps that repeat one operation. A group is one operation of each of a warp's `chains`. The
/// operations of one chain depend on each other; those of different chains do not.
struct OperationLoop {
  std::vector<isa::Opcode>
      steps;       ///< steps of one operation: several for HMMA.884, one for everything else
  int chains = 1;  ///< instruction-level parallelism of a warp
  int warps = 1;   ///< per CTA
  std::int64_t ctas = 1;
  std::int64_t groups = 1;  ///< per warp; rounded up to whole loop bodies
  int stride = 1;           ///< memory operations: elements from lane to lane
  /// True: a loop iteration is one group with its counter and branch, as in compiled code. False:
  /// it has so many groups that counter and branch do not matter.
  bool is_rolled = false;
};

/// True if a loop can repeat `opcode` by itself: it is no branch or exit and needs no box, barrier
/// of another CTA or mbarrier that has not been initialised.
bool can_be_repeated(isa::Opcode opcode);

/// The groups that one loop body of `loop` holds: the unit of `groups`.
std::int64_t groups_per_body(const OperationLoop& loop);

/// The launch of `loop`. Chains run through the accumulator (MMA, multiply-add), the address
/// (loads) or the first source (everything else); a dependent operation waits as the assembler's
/// control bits state. Global loads start one line further for every warp and chain, so that every
/// alignment occurs; the L1 holds the lines after the first groups. Stores have no result: their
/// chains only share a queue.
isa::KernelLaunch operation_loop(const OperationLoop& loop, const isa::TimingTable& timing);

}  // namespace tcsim::microbench
