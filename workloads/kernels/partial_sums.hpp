#pragma once

#include <cstdint>

#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/kernel_plan.hpp"

namespace tcsim::kernels {

/// Bytes that the sums of a shared tile take in the workspace of stream-K: every thread's
/// accumulators as they lie in its registers.
std::int64_t sum_bytes_of_tile(const KernelPlan& plan);

/// Where other CTAs have worked on the tile: waits until all of them have stored, and adds what
/// they have left to the accumulators. Requires a plan with stream-K.
void emit_join(const KernelPlan& plan, ProgramBuilder& builder, AddressWork& work);

/// Where the tile is not finished: stores the accumulators for the CTA that goes on with it, and
/// raises the tile's flag by one. Where it is: takes the flag back to 0, for the next launch.
void emit_hand_over(const KernelPlan& plan, ProgramBuilder& builder, AddressWork& work);

}  // namespace tcsim::kernels
