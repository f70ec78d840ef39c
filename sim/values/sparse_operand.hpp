#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/values/matrix.hpp"
#include "sim/values/operand_store.hpp"
#include "workloads/kernels/gemm.hpp"

namespace tcsim::values {

/// `a` with zeros in place of the smaller half of every four elements of a row (two of TF32), the
/// later one where two are equally large.
Matrix pruned(Matrix a, kernels::Element format);

/// Which elements along k of every row of A are kept, ascending: [batch][m][k / 2].
using KeptPlaces = std::vector<std::int64_t>;

/// Writes a pruned m x k matrix as the sparse kernels of `problem` with `tile` read it: the kept
/// elements to `a`, their places to `metadata` (kernels/sparse_metadata.hpp). Rounding as `store`.
Conversion store_sparse(const Matrix& matrix, const kernels::GemmProblem& problem,
                        const kernels::GemmTile& tile, std::span<std::uint8_t> a,
                        std::span<std::uint8_t> metadata);

/// What `metadata` say.
KeptPlaces kept_places(const kernels::GemmProblem& problem, const kernels::GemmTile& tile,
                       std::span<const std::uint8_t> metadata);

/// The m x k matrix that `a` and `metadata` hold.
Matrix load_sparse(const kernels::GemmProblem& problem, const kernels::GemmTile& tile,
                   std::span<const std::uint8_t> a, std::span<const std::uint8_t> metadata);

}  // namespace tcsim::values
