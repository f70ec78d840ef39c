#pragma once

#include <cstdint>

#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/kernel_plan.hpp"

namespace tcsim::kernels {

inline constexpr int kFlagBytes = 4;

/// Number of semaphores of serial split-K: one for each CTA of a slice, including tiles beyond the
/// edge.
std::int64_t flag_count(const Raster& raster);

/// Adds `weight` in all warps except the first of each group of `warps`, numbered from 0 on.
void add_behind_first_warp(isa::Expression& sum, int warps, std::int64_t weight);

/// One thread polls `flag` until it equals `until`, in the warps where `looks` is 1. `looks` is at
/// most 0 in all warps except the first of those that meet after this. Register `seen` is free.
void emit_look(ProgramBuilder& builder, isa::Register address, isa::Register seen,
               const isa::MemoryAccess& flag, const isa::Expression& looks,
               const isa::Expression& until);

/// One thread of each group of `warps` adds `by` to `flag`, where `where` holds.
void emit_raise(ProgramBuilder& builder, isa::Register address, const isa::MemoryAccess& flag,
                int by, int warps, const isa::Guard& where);

/// Slice s of a tile waits until the s slices before it have stored.
void emit_wait(const KernelPlan& plan, ProgramBuilder& builder, AddressWork& work);

/// When all threads have stored, one thread raises the flag by one. The last slice sets it back, so
/// that the next launch finds a 0.
void emit_release(const KernelPlan& plan, ProgramBuilder& builder, AddressWork& work);

}  // namespace tcsim::kernels
