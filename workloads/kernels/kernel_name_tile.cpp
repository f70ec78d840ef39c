#include <algorithm>

#include "workloads/kernels/kernel_name.hpp"

namespace tcsim::kernels {

bool KernelName::counts_rows_first() const {
  return use != NamedUse::kProduct || family.ends_with("_xmma") || row_major;
}

// "tn" of a column-major product: its first operand, our B, is transposed, so its rows lie along k:
// row-major n x k. In a row-major product the first operand is A, and "t" is row-major.
std::optional<Layout> KernelName::layout_a() const { return layout_at(row_major ? 0 : 1); }

std::optional<Layout> KernelName::layout_b() const { return layout_at(row_major ? 1 : 0); }

std::optional<Layout> KernelName::layout_at(std::size_t operand) const {
  if (layout.empty() || use != NamedUse::kProduct) return std::nullopt;
  return (layout[operand] == 'n') != row_major ? Layout::kNormal : Layout::kTransposed;
}

std::string KernelName::why_no_tile() const {
  if (use == NamedUse::kAttention)
    return "it is a kernel of attention, whose tile cannot be chosen";
  if (instruction.starts_with("tcgen05"))
    return "it is of sm_" + std::to_string(sm_version) +
           ", whose tensor cores (tcgen05) no machine here has";
  if (use == NamedUse::kProduct && instruction.starts_with("wgmma") && roles == WarpRoles::kUniform)
    return "it uses warpgroups but is neither pingpong nor cooperative, as every kernel that can "
           "be built is";
  return {};
}

std::string KernelName::tile_note() const {
  if (!splits_k || split_k > 0) return {};
  return "the name of the kernel does not state into how many slices k is cut; it runs with k "
         "undivided";
}

GemmTile KernelName::tile() const {
  const bool rows_first = counts_rows_first();
  const bool has_warps = warps_first > 0 && !is_warpgroups;
  const bool tells_stages = stages > 1 || roles == WarpRoles::kGemv;
  GemmTile tile{.m = m(), .n = n(), .k = k, .stages = tells_stages ? stages : 0};
  tile.warps_m = has_warps ? (rows_first ? warps_first : warps_second) : 0;
  tile.warps_n = has_warps ? (rows_first ? warps_second : warps_first) : 0;
  tile.sliced_k = is_warpgroups ? 1 : sliced_k;
  tile.split_k = std::max(1, split_k);
  tile.stream_k = stream_k;
  tile.roles = roles;
  tile.swapped = swapped;
  if (cluster_first > 0) {
    tile.cluster_m = rows_first ? cluster_first : cluster_second;
    tile.cluster_n = rows_first ? cluster_second : cluster_first;
  }
  return tile;
}

std::string KernelName::tile_text() const { return tile().text(); }

}  // namespace tcsim::kernels
