#pragma once

#include <cstdint>
#include <functional>

#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/kernel_plan.hpp"

namespace tcsim::kernels {

/// The sums of a tile that CTAs of stream-K share, as groups of `warps` warps of a CTA hold them.
/// Each group hands over its own part, with its own flag.
struct PartialSums {
  const StreamK& stream_k;
  Element element;  ///< element type of a sum
  int registers;    ///< registers of a thread that hold the sums
  int first;        ///< first of these registers
  int spare;        ///< registers free after the main loop, [spare, spare_end): at least 4
  int spare_end;
  int warps;
  isa::Expression group;  ///< number of the group's part, among the parts of all shared tiles
  int flags;              ///< buffer of flags, indexed by number of the part
  int workspace;          ///< buffer
  std::function<isa::Register(int)> pointer;  ///< address register of access number i
  /// Lets the warps of a group meet: after the wait for others, or before they may continue.
  std::function<void(ProgramBuilder&, bool is_behind_wait)> meet;
};

/// Bytes in the workspace that such a part takes: every thread's accumulators, in register order.
std::int64_t sum_bytes(int registers, int warps);

/// The sums of all warps of `plan`, which requires stream-K. `work` outlives the result.
PartialSums partial_sums_of(const KernelPlan& plan, AddressWork& work);

/// For a tile that other CTAs have worked on: waits until all of them have stored, and adds their
/// sums to the accumulators.
void emit_join(const PartialSums& sums, ProgramBuilder& builder);

/// For an unfinished tile: stores the accumulators for the CTA that continues it, and raises the
/// flag by one. For a finished tile: sets the flag back to 0 for the next launch.
void emit_hand_over(const PartialSums& sums, ProgramBuilder& builder);

}  // namespace tcsim::kernels
