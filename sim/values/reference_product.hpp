#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "models/functional/global_memory.hpp"
#include "models/functional/poll.hpp"
#include "models/numerics/tensor_arithmetic.hpp"
#include "workloads/kernels/gemm.hpp"

namespace tcsim::values {

/// The arithmetic with which `core` multiplies `problem` by instructions of `kind`. Requires that
/// its generation has one.
numerics::Arithmetic product_arithmetic(
    const kernels::GemmProblem& problem, const numerics::TensorArithmetic& core,
    numerics::InstructionKind kind = numerics::InstructionKind::kMma);

/// The k-tiles at which stream-K passes tile (row, column) of D on (kernels::stream_k_cuts).
using KCuts = std::function<std::vector<std::int64_t>(std::int64_t row, std::int64_t column)>;

/// D of `problem` without a kernel. Each element is one chain over ascending k, with k padded with
/// zeros to whole tiles and cut into blocks as `arithmetic` states. Without `arithmetic` it is one
/// FFMA or DFMA after another, as CUDA cores do, or, for FP16 sums, two chains of HFMA2, of even
/// and of odd k, whose sums are FP32 from then on, or, for INT32 sums, the exact sum of DP4A. The
/// result is multiplied by one and rounded to the output format.
///
/// With tile.split_k or tile.sliced_k there is a chain for each part of k: the sums of a slice's
/// warp groups are added in ascending order, then those of the slices, in the accumulator's format;
/// with tile.serial_k each slice adds to D as the previous slice has rounded and stored it. With
/// tile.stream_k `cuts` state where the chains of a tile end; their sums are added in ascending
/// order, each to that of those before (the second operand, whose NaN stays of two in FP64). With
/// WarpRoles::kGemv each lane of a warp has a chain, and halves of the lanes are added to each
/// other. Block scales multiply the chain of each 128 of k, which an FFMA adds. For groups of rows,
/// rows that masks exclude are zero.
///
/// Operands are buffers "A" and "B" of `memory`; "E" if A is sparse, whose chains contain only the
/// kept elements; and "scale_b" if weights are packed, which stand for dense_weights. The result
/// has the bytes of "D". Blocks restart every `mma_k` elements, where the next MMA begins; 0: only
/// where a chain begins.
std::vector<std::uint8_t> reference_product(
    const kernels::GemmProblem& problem, const kernels::GemmTile& tile,
    const std::optional<numerics::Arithmetic>& arithmetic, const functional::GlobalMemory& memory,
    const KCuts& cuts = {}, std::int64_t mma_k = 0, const functional::Poll& poll = [] {});

/// The same with the arithmetic that `core` has for `problem` and kernels of `tile`. Polls many
/// times a second.
std::vector<std::uint8_t> reference_product(
    const kernels::GemmProblem& problem, const kernels::GemmTile& tile,
    const numerics::TensorArithmetic& core, const functional::GlobalMemory& memory,
    const KCuts& cuts = {}, std::int64_t mma_k = 0, const functional::Poll& poll = [] {});

}  // namespace tcsim::values
