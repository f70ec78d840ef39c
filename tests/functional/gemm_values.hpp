#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "models/functional/execute.hpp"
#include "models/numerics/arithmetic.hpp"
#include "sim/values/gemm_values.hpp"
#include "sim/values/matrix.hpp"
#include "tests/support/targets.hpp"
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

/// Without sizes: on A100, T4 and V100, and FP32 on CUDA cores.
GemmValues ampere(kernels::Element input, kernels::Element accumulate, kernels::Element output,
                  const kernels::GemmTile& tile = {});
GemmValues turing(kernels::Element accumulate, const kernels::GemmTile& tile = {});
GemmValues volta(kernels::Element accumulate, const kernels::GemmTile& tile = {});
GemmValues simt(const kernels::Target& target, numerics::Generation generation,
                const kernels::GemmTile& tile = {});

/// A tile whose operands LDGSTS copies into shared memory.
inline constexpr kernels::GemmTile kCopyingTile{
    .m = 64, .n = 64, .k = 32, .stages = 4, .warps_m = 2, .warps_n = 2};

using Bytes = std::vector<std::uint8_t>;

/// A, B and block scales filled with normally distributed elements (INT8: uniformly), everything
/// else with ff.
GlobalMemory random_operands(const GemmValues& gemm, std::span<const isa::KernelLaunch> stream);
inline GlobalMemory random_operands(const GemmValues& gemm, const isa::KernelLaunch& launch) {
  return random_operands(gemm, std::span(&launch, 1));
}

/// The expected product of the kernel (sim/values).
Bytes reference_product(const GemmValues& gemm, const GlobalMemory& memory);

/// How many elements of D differ and where the first one is; empty if none.
std::string difference(const GemmValues& gemm, const GlobalMemory& memory, const Bytes& reference);

/// Executes the kernels of `run` with `tile` on its operands, expects the chains of the reference
/// and no race, and returns the outcome.
values::GemmValues expect_reference_values(const values::GemmRun& run,
                                           const kernels::GemmTile& tile,
                                           const kernels::Target& target);

/// Expects `d`, the bytes of D for one matrix, to hold the sums of all products of `a` and `b`,
/// which the output format holds exactly.
void expect_exact_product(const kernels::GemmProblem& problem, const values::Matrix& a,
                          const values::Matrix& b, const Bytes& d);

/// Executes the generated kernel and expects the reference product and no race.
void expect_reference_product(const GemmValues& gemm);

}  // namespace tcsim::functional::testing
