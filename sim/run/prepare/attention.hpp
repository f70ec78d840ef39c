#pragma once

#include <string>

#include "sim/run/prepare/prepare.hpp"
#include "sim/run/prepare/unit.hpp"
#include "workloads/kernels/attention/attention.hpp"
#include "workloads/kernels/conv/pool.hpp"
#include "workloads/kernels/vector/vector.hpp"

namespace tcsim::run {

/// `asked` as a run takes it: on CUDA cores, and where the machine lacks the MMAs of the fused
/// kernels, as products and a softmax. Throws as prepare_attention does.
Settled<kernels::AttentionProblem> settled(const kernels::AttentionProblem& asked,
                                           const PreparationOptions& options,
                                           const config::Machine& machine);

/// Generates the kernels of `asked` and looks up the peak. Fills in title, unit, tiles, useful
/// operations and peak of the inputs. Throws NotCovered where the machine or the generators lack
/// the unit, the type or the shape, UsageError for --tile.
PreparedRun prepare_attention(const kernels::AttentionProblem& asked,
                              const PreparationOptions& options, const config::Machine& machine);

/// The same for a vector operation, which has no peak and no useful operations.
PreparedRun prepare_vector(const kernels::VectorProblem& problem, const PreparationOptions& options,
                           const config::Machine& machine);

/// The same for pooling.
PreparedRun prepare_pool(const kernels::PoolProblem& problem, const PreparationOptions& options,
                         const config::Machine& machine);

/// "attention b2 h16 1024x1024 d64 fp16 causal"; shared keys as "h16/4".
std::string attention_title(const kernels::AttentionProblem& problem);

/// "softmax 4096x1024 fp16".
std::string vector_title(const kernels::VectorProblem& problem);

/// "max_pool 32x112x112x64 3x3 stride 2 pad 1 fp16".
std::string pool_title(const kernels::PoolProblem& problem);

}  // namespace tcsim::run
