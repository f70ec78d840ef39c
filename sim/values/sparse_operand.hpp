#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/values/matrix.hpp"
#include "sim/values/operand_store.hpp"
#include "workloads/kernels/gemm.hpp"

namespace tcsim::values {

/// `a` with zeros in place of the smaller half of every four elements of a row (for TF32, of every
/// two); of two equal ones, the later one becomes zero. A NaN is larger than any number.
Matrix pruned(Matrix a, kernels::Element format);

/// The elements along k that are kept in every row of A, ascending: [batch][m][k / 2].
using KeptPlaces = std::vector<std::int64_t>;

/// Writes a pruned m x k matrix as the sparse kernels of `problem` with `tile` read it: the kept
/// elements to `a`, their positions to `metadata` (kernels/sparse_metadata.hpp). Rounds like
/// `store`.
Conversion store_sparse(const Matrix& matrix, const kernels::GemmProblem& problem,
                        const kernels::GemmTile& tile, std::span<std::uint8_t> a,
                        std::span<std::uint8_t> metadata);

/// The positions that `metadata` state.
KeptPlaces kept_places(const kernels::GemmProblem& problem, const kernels::GemmTile& tile,
                       std::span<const std::uint8_t> metadata);

/// The m x k matrix that `a` and `metadata` hold.
Matrix load_sparse(const kernels::GemmProblem& problem, const kernels::GemmTile& tile,
                   std::span<const std::uint8_t> a, std::span<const std::uint8_t> metadata);

}  // namespace tcsim::values
