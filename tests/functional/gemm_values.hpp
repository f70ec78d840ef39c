#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "models/functional/execute.hpp"
#include "models/numerics/arithmetic.hpp"
#include "tests/kernels/gemm_check.hpp"
#include "workloads/kernels/gemm.hpp"

namespace tcsim::functional::testing {

/// One kernel to execute on random data.
struct GemmValues {
  kernels::Target target;
  numerics::Generation generation;
  kernels::GemmProblem problem;
  kernels::GemmTile tile;
};
std::ostream& operator<<(std::ostream& out, const GemmValues& gemm);

using Bytes = std::vector<std::uint8_t>;

/// A and B filled with normally distributed elements (INT8: uniformly), D with ff.
GlobalMemory random_operands(const GemmValues& gemm, const isa::KernelLaunch& launch);

/// D as one chain over ascending k, blocks as the generation's instruction cuts them, k padded with
/// zeros to whole tiles; then multiplied by one and rounded to the output format. `instead` takes
/// the place of the tensor core's arithmetic, for references that are wrong on purpose.
Bytes reference_product(const GemmValues& gemm, const GlobalMemory& memory,
                        const std::optional<numerics::Arithmetic>& instead = {});

/// The arithmetic of the tensor-core instruction that the kernel of `gemm` uses.
numerics::Arithmetic tensor_arithmetic(const GemmValues& gemm);

/// How many elements of D differ and where the first one lies; empty if none.
std::string difference(const GemmValues& gemm, const GlobalMemory& memory, const Bytes& reference);

/// Executes the generated kernel and expects the reference product and no race.
void expect_reference_product(const GemmValues& gemm);

}  // namespace tcsim::functional::testing
