#pragma once

#include <cstdint>
#include <vector>

#include "models/functional/global_memory.hpp"
#include "models/numerics/generation.hpp"
#include "workloads/kernels/gemm.hpp"

namespace tcsim::values {

/// D of `problem` without a kernel: each element one chain over ascending k, k padded with zeros to
/// whole tiles, blocks as the generation's instruction cuts them; then multiplied by one and
/// rounded to the output format. Operands are buffers 0 and 1 of `memory`; the result has the bytes
/// of buffer 2. Requires a problem for which the generation has an instruction.
std::vector<std::uint8_t> reference_product(const kernels::GemmProblem& problem,
                                            const kernels::GemmTile& tile,
                                            numerics::Generation generation,
                                            const functional::GlobalMemory& memory);

}  // namespace tcsim::values
