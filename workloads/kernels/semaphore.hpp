#pragma once

#include <cstdint>

#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/kernel_plan.hpp"

namespace tcsim::kernels {

inline constexpr int kFlagBytes = 4;

/// Semaphores of serial split-K: one for each CTA of a slice, tiles beyond the edge included.
std::int64_t flag_count(const Raster& raster);

/// Adds `weight` in all warps but the first of each group of `warps`, numbered from 0 on.
void add_behind_first_warp(isa::Expression& sum, int warps, std::int64_t weight);

/// One thread looks at `flag` until it is `until`, in the warps where `looks` is 1; `looks` is at
/// most 0 in all warps but the first of those that meet behind this. `seen` is free.
void emit_look(ProgramBuilder& builder, isa::Register address, isa::Register seen,
               const isa::MemoryAccess& flag, const isa::Expression& looks,
               const isa::Expression& until);

/// One thread of each group of `warps` adds `by` to `flag`, where `where` holds.
void emit_raise(ProgramBuilder& builder, isa::Register address, const isa::MemoryAccess& flag,
                int by, int warps, const isa::Guard& where);

/// Slice s of a tile waits until s slices before it have stored.
void emit_wait(const KernelPlan& plan, ProgramBuilder& builder, AddressWork& work);

/// When all threads have stored, one raises the flag by one; the last slice takes all back, so that
/// the next launch finds a 0.
void emit_release(const KernelPlan& plan, ProgramBuilder& builder, AddressWork& work);

}  // namespace tcsim::kernels
