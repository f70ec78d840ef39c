#pragma once

#include "models/isa/launch.hpp"
#include "workloads/kernels/attention/attention.hpp"

namespace tcsim::kernels {

/// The launch that copies new keys and values [batch][queries][kv_heads][dim] to the places in the
/// cache [batch][keys][kv_heads][dim] that `slots` names. It uses one, two or four warps per token,
/// like a server's cache kernel (docs/generated-kernels.md, "The paged form"). Buffers: new K, new
/// V, slots, K, V. Requires 16-bit elements.
isa::KernelLaunch write_cache(const AttentionProblem& problem);

}  // namespace tcsim::kernels
