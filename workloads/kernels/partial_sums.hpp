#pragma once

#include <cstdint>
#include <functional>

#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/kernel_plan.hpp"

namespace tcsim::kernels {

/// The sums that groups of `warps` warps of a CTA have of a tile which CTAs of stream-K share: each
/// group hands over its own part, with a flag of its own.
struct PartialSums {
  const StreamK& stream_k;
  Element element;  ///< of a sum
  int registers;    ///< that hold them, of a thread
  int first;        ///< of these
  int spare;        ///< others that are free behind the main loop, [spare, spare_end): at least 4
  int spare_end;
  int warps;
  isa::Expression group;  ///< number of the group's part, of those of all shared tiles
  int flags;              ///< buffer of them, by number of the part
  int workspace;          ///< buffer
  std::function<isa::Register(int)> pointer;  ///< address register of access number i
  /// Lets the warps of a group meet: behind the wait for others, or before they may go on.
  std::function<void(ProgramBuilder&, bool is_behind_wait)> meet;
};

/// Bytes in the workspace that such a part takes: every thread's accumulators as they lie in its
/// registers.
std::int64_t sum_bytes(int registers, int warps);

/// Those of all warps of `plan`, which requires stream-K. `work` outlives the result.
PartialSums partial_sums_of(const KernelPlan& plan, AddressWork& work);

/// Where other CTAs have worked on the tile: waits until all of them have stored, and adds what
/// they have left to the accumulators.
void emit_join(const PartialSums& sums, ProgramBuilder& builder);

/// Where the tile is not finished: stores the accumulators for the CTA that goes on with it, and
/// raises the flag by one. Where it is: takes the flag back to 0, for the next launch.
void emit_hand_over(const PartialSums& sums, ProgramBuilder& builder);

}  // namespace tcsim::kernels
