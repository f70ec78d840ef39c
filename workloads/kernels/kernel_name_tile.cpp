#include <algorithm>

#include "workloads/kernels/kernel_name.hpp"

namespace tcsim::kernels {

bool KernelName::counts_rows_first() const {
  return use != NamedUse::kProduct || family.ends_with("_xmma");
}

// "tn": the first operand of the column-major product, our B, is transposed, so that its rows lie
// along k: row-major n x k.
std::optional<Layout> KernelName::layout_a() const {
  if (layout.empty() || use != NamedUse::kProduct) return std::nullopt;
  return layout[1] == 'n' ? Layout::kNormal : Layout::kTransposed;
}

std::optional<Layout> KernelName::layout_b() const {
  if (layout.empty() || use != NamedUse::kProduct) return std::nullopt;
  return layout[0] == 'n' ? Layout::kNormal : Layout::kTransposed;
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
  if (family == "nvjet" && cluster_first > 0) {
    tile.cluster_m = cluster_second;
    tile.cluster_n = cluster_first;
  }
  return tile;
}

std::string KernelName::tile_text() const {
  const GemmTile parts = tile();
  std::string text = std::to_string(parts.m) + "x" + std::to_string(parts.n);
  if (parts.k > 0) text += "x" + std::to_string(parts.k);
  if (parts.stages > 0) text += "_s" + std::to_string(parts.stages);
  if (parts.warps_m > 0)
    text += "_w" + std::to_string(parts.warps_m) + "x" + std::to_string(parts.warps_n);
  if (parts.sliced_k > 1) text += "_sliced" + std::to_string(parts.sliced_k);
  if (parts.split_k > 1) text += "_splitk" + std::to_string(parts.split_k);
  if (parts.stream_k) text += "_streamk";
  text.append(role_word(parts.roles));
  if (parts.cluster_m * parts.cluster_n > 1)
    text += "_c" + std::to_string(parts.cluster_m) + "x" + std::to_string(parts.cluster_n);
  return parts.swapped ? text + "_swapped" : text;
}

}  // namespace tcsim::kernels
