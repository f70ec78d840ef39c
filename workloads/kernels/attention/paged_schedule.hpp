#pragma once

#include "workloads/kernels/attention/fused_plan.hpp"

namespace tcsim::kernels {

/// The launches around the paged kernel for sequences of different lengths (FlashAttention-3's
/// `flash_prepare_scheduler.cu` and the early exit of its `flash_fwd_combine_kernel.h`). Their
/// decisions are known when the kernels are made; the launches are there for their time.

/// One CTA, a lane per sequence (31 of a warp): reads lengths, adds up tiles, sorts sequences by
/// length, stores each sequence's numbers. Buffers: lengths, schedule.
isa::KernelLaunch schedule_sequences(const AttentionProblem& problem);
/// Bytes of the buffer "schedule": four 32-bit numbers per sequence.
std::int64_t schedule_bytes(const AttentionProblem& problem);

/// The combining launch if no sequence was split: CTAs read that and end. Buffer: schedule.
isa::KernelLaunch skip_combining(const AttentionProblem& problem);

}  // namespace tcsim::kernels
