#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <vector>

#include "workloads/kernels/cta_room.hpp"
#include "workloads/kernels/kernel_plan.hpp"
#include "workloads/kernels/raster.hpp"
#include "workloads/kernels/warp_specialised.hpp"
#include "workloads/kernels/warpgroup_epilogue.hpp"
#include "workloads/kernels/warpgroup_plan.hpp"

namespace tcsim::kernels {
namespace {

using namespace warpgroups;  // NOLINT: this file is one half of warp_specialised.hpp
using isa::kGroupRows;
using isa::kGroupWarps;
using Shape = WarpgroupPlan;

/// Why there is no kernel with a sparse A.
std::string why_not_sparse(const GemmProblem& problem, bool is_turned) {
  const int step = MetadataOrder::step_k(problem.input);
  if (step == 0) return "2:4 sparse operands are fp16, bf16, tf32 or int8";
  if (is_turned)
    return "kernels of warpgroups with a sparse A need both operands along k (layout nt)";
  if (problem.block_scales || problem.is_grouped())
    return "kernels of warpgroups with a sparse A support no factors of blocks or groups of rows";
  if (problem.k % step != 0)
    return "k = " + std::to_string(problem.k) + " is not a multiple of " + std::to_string(step) +
           ", the k of one sparse product";
  return {};
}

std::string why_no_wgmma(const Target& target) {
  if (target.features.warpgroups) return {};
  return "kernels of warpgroups need wgmma, TMA and mbarriers, which " + target.architecture +
         " does not have";
}

/// Whether kernels of warpgroups store sums in `sums` as `output`.
bool can_store(Element sums, Element output) {
  const bool rounds = sums != Element::kFp16 && (output == Element::kFp32 || is_16_bit(output));
  return output == sums || rounds;
}

/// Why D is not stored in its format, with those in which it could be.
std::string why_not_stored(const GemmProblem& problem) {
  if (can_store(problem.accumulate, problem.output)) return {};
  std::vector<std::string> others;
  for (const Element output : {Element::kInt32, Element::kFp32, Element::kFp16, Element::kBf16})
    if (can_store(problem.accumulate, output)) others.emplace_back(element_name(output));
  std::string list = others.front();
  for (std::size_t i = 1; i < others.size(); ++i)
    list += (i + 1 < others.size() ? ", " : " or ") + others[i];
  return "kernels of warpgroups do not store " + std::string(element_name(problem.accumulate)) +
         " sums as " + std::string(element_name(problem.output)) + " (they do with out=" + list +
         ")";
}

std::string why_no_formats(const GemmProblem& problem) {
  if (problem.unit != Unit::kTensor) return "kernels of warpgroups multiply on tensor cores";
  if (problem.weights.are_packed()) return "kernels of warpgroups support no packed weights";
  const std::optional<isa::GroupFormats> formats = formats_of(problem);
  if (!formats) return "no product of warpgroups supports these operand and accumulator types";
  if (std::string reason = why_not_stored(problem); !reason.empty()) return reason;
  if (problem.epilogue.changes_values() && problem.output == Element::kInt32)
    return "scale, bias, residual and activation compute in FP32: they cannot produce INT32";
  if (const char* const why = why_no_factors(problem)) return why;
  const bool a_is_turned = problem.layout_a != Layout::kNormal;
  const bool b_is_turned = problem.layout_b != Layout::kTransposed;
  const bool is_turned = a_is_turned || b_is_turned;
  const bool takes_one = problem.input == Element::kTf32 && !problem.is_grouped();
  if (is_turned && takes_one && a_is_turned && b_is_turned)
    return "wgmma takes one TF32 operand across k, from registers: the other must lie along k";
  if (is_turned && !takes_one && numerics::bits(formats->a) != 16)
    return "wgmma takes operands across k of 16 bits or TF32 only: others must lie along k (layout "
           "nt)";
  return problem.sparse ? why_not_sparse(problem, is_turned) : std::string();
}

/// TMA strides are multiples of 16 bytes.
std::string why_no_rows(const GemmProblem& problem) {
  constexpr int kStride = 16;
  const auto row = [](const char* name, std::int64_t elements, Element element) -> std::string {
    const std::int64_t bytes = elements * element_bytes(element);
    if (bytes % kStride == 0) return {};
    return std::string("rows of ") + name + " have " + std::to_string(bytes) +
           " bytes, TMA takes multiples of 16";
  };
  const bool of_taps = problem.images.has_value();
  const bool a_along_k = problem.layout_a == Layout::kNormal;
  const bool b_along_k = problem.layout_b == Layout::kTransposed;
  for (const std::string& reason : {row("A",
                                        of_taps     ? problem.images->channels
                                        : a_along_k ? problem.stored_k()
                                                    : problem.m,
                                        problem.input),
                                    row("B",
                                        of_taps     ? problem.images->channels
                                        : b_along_k ? problem.k
                                                    : problem.n,
                                        problem.input),
                                    row("D", problem.n, problem.output)})
    if (!reason.empty()) return reason;
  return {};
}

/// Why a kernel of `tile` cannot process groups of rows.
std::string why_no_groups(const RowGroups& groups, const GemmTile& tile) {
  if (tile.roles != WarpRoles::kCooperative || tile.split_k > 1)
    return "groups of rows are multiplied by warpgroups that cooperate, k not cut into slices";
  const int step = tile.m * tile.cluster_m;
  if (!std::has_single_bit(static_cast<unsigned>(step)))
    return "rows of groups are counted by shifts: m of the tile must be a power of two, not " +
           std::to_string(step);
  if (groups.is_masked()) return {};
  for (std::size_t i = 0; i < groups.rows.size(); ++i)
    if (groups.rows[i] % step != 0)
      return "rows of contiguous groups must be multiples of the tile's " + std::to_string(step) +
             ": group " + std::to_string(i) + " has " + std::to_string(groups.rows[i]);
  return {};
}

/// Why the products of a consumer cannot be `width` columns wide.
std::string why_no_width(const GemmProblem& problem, const Shape& shape) {
  const int columns = shape.consumer_columns();
  const bool is_divided = shape.divides_columns() && shape.tile.n % shape.consumers() != 0;
  if (is_divided || columns % shape.parts() != 0 ||
      !isa::group_mma_opcode(*formats_of(problem), shape.width(), shape.a_in_registers(),
                             problem.sparse))
    return "no product of warpgroups is " + std::to_string(shape.width()) + " columns wide";
  if (shape.b_is_turned() && shape.bytes() > 2)
    return std::string("the TF32 operand across k comes from registers as the first one: tiles ") +
           (shape.tile.swapped ? "are not swapped" : "are swapped");
  const int row_elements = kRowBytes / shape.bytes();
  if (shape.b_is_turned() && shape.width() % row_elements != 0)
    return "rows of B along n are copied " + std::to_string(row_elements) +
           " elements at once, products are " + std::to_string(shape.width()) + " columns wide";
  if (shape.store_row_bytes() == 0) return "rows of a box of D have a multiple of 16 bytes";
  return {};
}

/// Why the CTAs of a cluster cannot read equal parts of what they share.
std::string why_no_cluster(const Shape& shape) {
  const auto why_not = [&](int rows, int ctas, bool is_turned) -> std::string {
    const int unit = is_turned ? kRowBytes / shape.bytes() : 1;
    if (ctas == 1 || rows % (unit * ctas) == 0) return {};
    return std::to_string(ctas) + " CTAs of a cluster cannot read equal parts of " +
           std::to_string(rows) + " rows" +
           (unit > 1 ? ", multiples of " + std::to_string(unit) + " each" : "");
  };
  const GemmTile& tile = shape.tile;
  std::string why = why_not(tile.m, tile.cluster_n, shape.a_is_turned());
  return why.empty() ? why_not(tile.n, tile.cluster_m, shape.b_is_turned()) : why;
}

/// Why the kernel cannot have weights as its first operand, or half boxes of D.
std::string why_not_swapped(const GemmProblem& problem, const GemmTile& tile) {
  if (!tile.swapped && !tile.half_boxes) return {};
  if (problem.is_grouped() || problem.block_scales || problem.sparse || problem.images)
    return "tiles that are swapped or have half boxes of D need products of whole matrices without "
           "factors of blocks and without a sparse A";
  if (tile.swapped && problem.epilogue.residual && !tile.has_workspace())
    return "swapped tiles cannot add C";
  return {};
}

/// Why CTAs of stream-K cannot share tiles.
std::string why_not_stream_k(const GemmProblem& problem, const GemmTile& tile) {
  if (!tile.stream_k) return {};
  if (tile.roles == WarpRoles::kPingPong)
    return "stream-K needs warpgroups that cooperate (CUTLASS has no ping-pong kernel with it)";
  if (problem.block_scales || problem.is_grouped() || problem.images)
    return "stream-K has no kernel for factors of blocks, groups of rows and taps of filters";
  if (tile.split_k > ceil_div<std::int64_t>(problem.k, tile.k))
    return KSlices::empty_slice_text(problem, tile);
  return stream_k_problem(problem, tile);
}

/// Why a second launch cannot reduce slices.
std::string why_no_slices(const GemmProblem& problem, const GemmTile& tile) {
  if (!tile.has_workspace()) return {};
  if (problem.batch > 1 || problem.block_scales || problem.sparse || problem.images)
    return "slices of k need one matrix without a sparse A, taps of filters or factors of blocks";
  if (KSlices::leaves_empty_slice(problem, tile)) return KSlices::empty_slice_text(problem, tile);
  return {};
}

std::string why_no_shape(const GemmProblem& problem, const GemmTile& tile) {
  if (std::string reason = why_not_swapped(problem, tile); !reason.empty()) return reason;
  const int rows = tile.swapped ? tile.n : tile.m;
  const int columns = tile.swapped ? tile.m : tile.n;
  const auto is_side = [](int side, int step) {
    constexpr int kMost = 512;
    return side > 0 && side % step == 0 && side <= kMost;
  };
  if (!is_side(rows, kGroupRows))
    return std::string(tile.swapped ? "n" : "m") + " must be a multiple of 64 up to 512, not " +
           std::to_string(rows);
  if (!is_side(columns, isa::kGroupWidthStep))
    return std::string(tile.swapped ? "m" : "n") + " must be a multiple of 8 up to 512, not " +
           std::to_string(columns);
  if (problem.sparse && tile.m > isa::TensorMap::kMostBox)
    return "the metadata of a tile are one box, of at most 256 rows";
  if (problem.stored_k(tile.k) * element_bytes(problem.input) != kRowBytes)
    return "k must be " +
           std::to_string((problem.sparse ? 2 : 1) * kRowBytes / element_bytes(problem.input)) +
           ", the 128 bytes of a swizzled row" + (problem.sparse ? " of a sparse A" : "") +
           ", not " + std::to_string(tile.k);
  if (tile.stages < 2) return "at least two stages";
  const int warps = tile.warps_m * tile.warps_n;
  const bool is_ping_pong = tile.roles == WarpRoles::kPingPong;
  if (warps % kGroupWarps != 0 || warps == 0 || warps / kGroupWarps > kMostConsumers ||
      (is_ping_pong && warps != 2 * kGroupWarps))
    return "4, 8 or 12 warps must multiply (8 for tiles in turns), not " + std::to_string(warps);
  if (tile.serial_k || tile.sliced_k > 1 || !tile.swizzle)
    return "kernels of warpgroups need their swizzle and cut k only by stream-K or into slices for "
           "a second launch";
  if (std::string reason = why_not_stream_k(problem, tile); !reason.empty()) return reason;
  if (std::string reason = why_no_slices(problem, tile); !reason.empty()) return reason;
  const Shape shape = oriented(problem, tile);
  if (std::string reason = why_no_cluster(shape); !reason.empty()) return reason;
  if (problem.is_grouped())
    if (std::string reason = why_no_groups(problem.groups, tile); !reason.empty()) return reason;
  if (problem.block_scales && (tile.roles != WarpRoles::kCooperative || shape.blocks() != 1 ||
                               !shape.divides_rows() || tile.n > kScaledBlock))
    return "warpgroups that take factors of blocks cooperate on 64 rows each, of up to 128 columns";
  return why_no_width(problem, shape);
}

}  // namespace

std::string warp_specialised_problem(const GemmProblem& problem, const GemmTile& tile) {
  if (!formats_of(problem)) return why_no_formats(problem);
  return why_no_shape(problem, tile);
}

std::vector<std::shared_ptr<const KernelFamily>> warp_specialised_families(
    const GemmProblem& problem, const Target& target) {
  return families_for(target.libraries,
                      {problem.images ? KernelUse::kConvolution : KernelUse::kProduct,
                       MathKind::kGroup, Mover::kBox, problem.input, problem.output, problem.batch,
                       target.shared_bytes_per_sm, problem.block_scales, problem.is_grouped()});
}

std::optional<Recipe> find_warp_specialised(const GemmProblem& problem, const Target& target,
                                            std::string& reason) {
  const auto families = warp_specialised_families(problem, target);
  reason = why_no_formats(problem);
  if (reason.empty()) reason = why_no_wgmma(target);
  if (reason.empty() && families.empty()) reason = why_no_family(target);
  if (!reason.empty()) return std::nullopt;
  Recipe recipe;
  recipe.math = MathKind::kGroup;
  recipe.mover = Mover::kBox;
  recipe.family = families.front();
  return recipe;
}

std::string why_not_warp_specialised(const GemmProblem& problem, const GemmTile& tile,
                                     const Target& target) {
  for (const std::string& reason : {why_no_wgmma(target), why_no_formats(problem),
                                    why_no_rows(part_of_warpgroups(problem, tile))})
    if (!reason.empty()) return reason;
  if (std::string reason = why_no_shape(problem, tile); !reason.empty()) return reason;
  if (tile.cluster_m * tile.cluster_n > std::max(1, target.largest_cluster))
    return "has clusters of " + std::to_string(tile.cluster_m * tile.cluster_n) +
           " CTAs, this machine's have up to " + std::to_string(target.largest_cluster);
  if (warpgroups::clusters_at_once(target, tile.cluster_m * tile.cluster_n) == 0)
    return "has clusters of " + std::to_string(tile.cluster_m * tile.cluster_n) +
           " CTAs, which no GPC of this machine holds";
  const Shape shape = warpgroup_plan(problem, tile, target);
  const std::int64_t clusters = clusters_at_once(target, shape.cluster());
  if (shape.grid > clusters)
    return "has " + std::to_string(shape.grid) + " slices of tiles, but each needs one of the " +
           std::to_string(clusters) + " clusters that run at once";
  const int last = shape.stream_k ? WarpgroupEpilogue::first_spare(shape) + kVectorRegisters
                                  : WarpgroupEpilogue::registers(shape);
  const int most = register_budget(shape.consumers()).consumer;
  if (last > most)
    return "its sums and epilogue take " + std::to_string(last) + " of " + std::to_string(most) +
           " registers";
  return why_no_room({.registers_per_thread = register_budget(shape.consumers()).launch,
                      .shared_bytes = shape.shared_bytes(),
                      .warps = kGroupWarps * (1 + shape.consumers())},
                     target);
}

}  // namespace tcsim::kernels
