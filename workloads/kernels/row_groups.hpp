#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace tcsim::kernels {

/// Where the rows of groups are stored.
enum class GroupLayout : std::uint8_t {
  kContiguous,  ///< one group after another in one A and one D
  kMasked,      ///< in a separate A and D for each group, whose first rows count
};

/// Groups of rows of A, such as the tokens of experts. Each group has its own B; one kernel
/// computes all products. The names are DeepGEMM's (m_grouped_gemm_fp8_fp8_bf16_nt_contiguous,
/// ..._masked).
struct RowGroups {
  GroupLayout layout = GroupLayout::kContiguous;
  std::vector<std::int64_t> rows{};  ///< rows of each group, at least 0; empty: there are no groups

  [[nodiscard]] std::int64_t count() const { return std::ssize(rows); }
  [[nodiscard]] bool is_masked() const { return !rows.empty() && layout == GroupLayout::kMasked; }
  [[nodiscard]] std::int64_t total() const {
    return std::accumulate(rows.begin(), rows.end(), std::int64_t{0});
  }
  [[nodiscard]] std::int64_t most() const {
    return rows.empty() ? 0 : *std::ranges::max_element(rows);
  }
};

}  // namespace tcsim::kernels
