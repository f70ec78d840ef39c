#pragma once

#include <cstdint>

#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/kernel_plan.hpp"

namespace tcsim::kernels {

/// Flags that slices in turns need: one for each CTA of a slice, tiles beyond the edge included.
std::int64_t flag_count(const Raster& raster);

/// Slice s of a tile waits until s slices before it have stored: one thread looks at the flag, the
/// others stand at a barrier.
void emit_wait(const KernelPlan& plan, ProgramBuilder& builder, AddressWork& work);

/// When all threads have stored, one raises the flag by one; the last slice takes all back, so that
/// the next launch finds a 0.
void emit_release(const KernelPlan& plan, ProgramBuilder& builder, AddressWork& work);

}  // namespace tcsim::kernels
