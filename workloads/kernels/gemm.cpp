#include "workloads/kernels/gemm.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/buffer_row.hpp"
#include "workloads/kernels/gemv.hpp"
#include "workloads/kernels/kernel_plan.hpp"
#include "workloads/kernels/partial_sums.hpp"
#include "workloads/kernels/semaphore.hpp"
#include "workloads/kernels/sparse_metadata.hpp"
#include "workloads/kernels/split_k_reduction.hpp"
#include "workloads/kernels/warp_specialised.hpp"
#include "workloads/kernels/weight_order.hpp"

namespace tcsim::kernels {
namespace {

std::string layout_letters(const GemmProblem& problem) {
  // BLAS letters, for a column-major view of the matrices: if A and B both lie along k they are
  // "tn".
  std::string letters;
  letters += problem.layout_a == Layout::kNormal ? 't' : 'n';
  letters += problem.layout_b == Layout::kTransposed ? 'n' : 't';
  return letters;
}

/// "fp16_fp32"
std::string types_text(Element first, Element second) {
  return std::string(element_name(first)) + "_" + std::string(element_name(second));
}

/// "_dp4a", "_hfma2", "_dfma" where CUDA cores multiply what tensor cores could multiply.
std::string unit_word(const Recipe& recipe) {
  if (recipe.math != MathKind::kSimt || recipe.multiply == isa::Opcode::kFfma) return "";
  if (recipe.multiply == isa::Opcode::kDfma) return "_dfma";
  return recipe.multiply == isa::Opcode::kDp4a ? "_dp4a" : "_hfma2";
}

/// "_contiguous" or "_masked" for groups of rows.
std::string groups_word(const GemmProblem& problem) {
  if (!problem.is_grouped()) return "";
  return problem.groups.is_masked() ? "_masked" : "_contiguous";
}

/// "_w4g128": the integers that replace B's elements; empty if B is not packed.
std::string weight_word(const PackedWeights& weights) {
  if (!weights.are_packed()) return "";
  const std::string group = weights.group > 0 ? "g" + std::to_string(weights.group) : "";
  return "_w" + std::to_string(weights.bits) + group;
}

/// All buffers of a product, one after another.
class Buffers {
 public:
  isa::Buffer a, b, d, workspace;
  std::optional<isa::Buffer> companion;  ///< metadata of A, or scales of packed B
  std::optional<isa::Buffer> flags;
  std::vector<isa::Buffer> scales;  ///< block scales
  std::vector<isa::Buffer> groups;  ///< row groups: the group of each row, or rows of each group
  std::vector<isa::Buffer> post;    ///< of the epilogue, in the order of EpiloguePost

  /// Operands and result of `problem`.
  explicit Buffers(const GemmProblem& problem) {
    a = row_.place("A", problem.batch * problem.m * problem.stored_k(), problem.input, true);
    b = problem.weights.are_packed()
            ? row_.place("B", problem.batch * WeightOrder(problem).bytes_of_batch(), Element::kInt8,
                         true)
            : row_.place("B", problem.matrices_b() * problem.n * problem.k, problem.input, true);
    d = row_.place("D", problem.batch * problem.m * problem.n, problem.output, false);
  }
  /// Buffers for `problem` as the caller stated it, which `plan` computes.
  Buffers(const GemmProblem& problem, const KernelPlan& plan) : Buffers(problem) {
    const GemmTile& tile = plan.tile;
    workspace =
        row_.place("workspace", sums_in_workspace(problem, plan), plan.problem.accumulate, false);
    workspace.scratch = tile.stream_k;
    if (problem.sparse) place_metadata(problem, tile);
    if (problem.weights.are_packed())
      companion = row_.place("scale_b", problem.batch * WeightOrder(problem).scales_of_batch(),
                             problem.input, true);
    if (plan.flags) {
      const std::int64_t count = tile.stream_k ? plan.raster.stream_k()->deal().shared_tiles
                                               : problem.batch * flag_count(plan.raster);
      place_flags(std::max<std::int64_t>(1, count));
    }
    place_post(problem);
  }
  /// Buffers of warpgroup kernels.
  Buffers(const GemmProblem& problem, const GemmTile& tile) : Buffers(problem) {
    if (tile.has_workspace())
      workspace =
          row_.place("workspace", problem.m * problem.n * tile.split_k, problem.accumulate, false);
    if (problem.block_scales) place_scales(problem);
    if (problem.sparse) place_metadata(problem, tile);
    if (problem.is_grouped()) place_groups(problem);
    place_post(problem);
  }
  /// Workspace and flags for `count` parts of tiles that CTAs share, each with `bytes` of sums.
  void place_parts(std::int64_t count, std::int64_t bytes, Element sum) {
    workspace = row_.place("workspace", count * bytes / element_bytes(sum), sum, false);
    workspace.scratch = true;
    place_flags(count);
  }
  void place_flags(std::int64_t count) {
    flags = row_.place("semaphores", count, Element::kInt32, false);
    flags->flags = true;
  }
  void place_metadata(const GemmProblem& problem, const GemmTile& tile) {
    companion = row_.place("E", problem.batch * MetadataOrder(problem, tile).bytes_of_batch(),
                           Element::kInt8, true);
  }
  /// Block scales.
  void place_scales(const GemmProblem& problem) {
    const std::int64_t steps = ceil_div(problem.k, kScaledBlock);
    const std::int64_t columns = problem.matrices_b() * ceil_div(problem.n, kScaledBlock);
    scales = {
        row_.place("scale_a", problem.batch * problem.factor_rows() * steps, Element::kFp32, true),
        row_.place("scale_b", columns * steps, Element::kFp32, true)};
  }
  /// The buffers that the kernel reads about groups of rows.
  void place_groups(const GemmProblem& problem) {
    groups = {problem.groups.is_masked()
                  ? row_.place("masked_m", problem.groups.count(), Element::kInt32, true)
                  : row_.place("m_indices", problem.m, Element::kInt32, true)};
  }
  /// Scale, bias and C, after the others.
  void place_post(const GemmProblem& problem) {
    const std::int64_t columns = problem.matrices_b() * problem.n;
    if (problem.epilogue.scale) post.push_back(row_.place("scale", columns, Element::kFp32, true));
    if (problem.epilogue.bias) post.push_back(row_.place("bias", columns, Element::kFp32, true));
    if (problem.epilogue.residual)
      post.push_back(row_.place("C", problem.batch * problem.m * problem.n, problem.output, true));
  }

 private:
  static std::int64_t sums_in_workspace(const GemmProblem& problem, const KernelPlan& plan) {
    if (plan.tile.stream_k)
      return std::max<std::int64_t>(1, plan.raster.stream_k()->deal().shared_tiles) *
             sum_bytes(plan.math->accumulator_registers(), plan.warps.warps()) /
             element_bytes(plan.problem.accumulate);
    const int slices = plan.tile.has_workspace() ? plan.tile.split_k : 1;
    return problem.batch * problem.m * problem.n * slices;
  }

  BufferRow row_;
};

isa::KernelLaunch make_of_warpgroups(const GemmProblem& problem, const GemmTile& tile,
                                     const Target& target) {
  Buffers places(problem, tile);
  if (tile.stream_k) {
    const SharedParts parts = shared_parts(problem, tile, target);
    places.place_parts(parts.count, parts.bytes, problem.accumulate);
  }
  std::vector<isa::Buffer> buffers{places.a, places.b,
                                   tile.has_workspace() ? places.workspace : places.d};
  std::ranges::copy(places.scales, std::back_inserter(buffers));
  if (places.companion) buffers.push_back(*places.companion);
  std::ranges::copy(places.groups, std::back_inserter(buffers));
  if (!tile.has_workspace()) std::ranges::copy(places.post, std::back_inserter(buffers));
  if (tile.stream_k) buffers.insert(buffers.end(), {*places.flags, places.workspace});
  isa::KernelLaunch launch = make_warp_specialised(problem, tile, target, buffers);
  launch.name = "gemm_" + types_text(problem.input, problem.accumulate) + "_" + tile.text() + "_" +
                layout_letters(problem) + (problem.sparse ? "_sparse" : "") +
                (problem.block_scales ? "_blockscales" : "") + groups_word(problem) +
                (tile.has_workspace() ? "" : problem.epilogue.text());
  return launch;
}

isa::KernelLaunch make_with_vector(const GemmProblem& problem, const GemmTile& tile,
                                   const Target& target) {
  const Buffers buffers(problem);
  isa::KernelLaunch launch = make_gemv(problem, tile, target);
  launch.name = "gemv_" + types_text(problem.input, problem.accumulate) + "_" + tile.text() + "_" +
                layout_letters(problem);
  launch.buffers = {buffers.a, buffers.b, buffers.d};
  return launch;
}

/// The second launch of a product whose k is cut, without buffers and name, and the buffers.
std::pair<isa::KernelLaunch, Buffers> reduction_of(const GemmProblem& problem, const GemmTile& tile,
                                                   const Target& target) {
  if (!are_warpgroups(tile.roles)) {
    const KernelPlan plan = plan_for(problem, tile, target);
    return {make_reduction(plan), Buffers(problem, plan)};
  }
  Recipe recipe;
  recipe.has_packing = target.features.packed_conversion;
  return {make_reduction(problem, tile.split_k, recipe, OutputPlace(problem)),
          Buffers(problem, tile)};
}

}  // namespace

std::string GemmEpilogue::text() const {
  constexpr std::array kActivations{"", "_relu", "_gelu", "_silu"};
  return std::string(scale ? "_scale" : "") + (bias ? "_bias" : "") +
         (residual ? "_residual" : "") + kActivations.at(static_cast<std::size_t>(activation));
}

int element_bytes(Element element) {
  switch (element) {
    case Element::kInt8:
    case Element::kE4m3:
    case Element::kE5m2:
      return 1;
    case Element::kFp16:
    case Element::kBf16:
      return 2;
    case Element::kTf32:
    case Element::kFp32:
    case Element::kInt32:
      return 4;
    case Element::kFp64:
      return 8;
  }
  throw std::invalid_argument("element");
}

isa::KernelLaunch make_gemm(const GemmProblem& problem, const GemmTile& tile,
                            const Target& target) {
  if (const std::string reason = why_no_tile(problem, tile, target); !reason.empty())
    throw std::invalid_argument("gemm " + tile.text() + ": " + reason);
  if (are_warpgroups(tile.roles)) return make_of_warpgroups(problem, tile, target);
  if (tile.roles == WarpRoles::kGemv) return make_with_vector(problem, tile, target);
  const KernelPlan plan = plan_for(problem, tile, target);
  const Buffers buffers(problem, plan);
  isa::KernelLaunch launch = make_launch(plan);
  launch.name = "gemm_" + types_text(problem.input, problem.accumulate) + unit_word(plan.recipe) +
                (problem.sparse ? "_sparse" : "") + weight_word(problem.weights) + "_" +
                tile.text() + "_" + layout_letters(problem);
  launch.buffers = {buffers.a, buffers.b, tile.has_workspace() ? buffers.workspace : buffers.d};
  if (buffers.companion) launch.buffers.push_back(*buffers.companion);
  if (tile.has_workspace()) return launch;
  launch.name += problem.epilogue.text();
  std::ranges::copy(buffers.post, std::back_inserter(launch.buffers));
  if (buffers.flags) launch.buffers.push_back(*buffers.flags);
  if (tile.stream_k) launch.buffers.push_back(buffers.workspace);
  return launch;
}

std::vector<std::int64_t> stream_k_cuts(const GemmProblem& problem, const GemmTile& tile,
                                        const Target& target, std::int64_t row,
                                        std::int64_t column) {
  if (are_warpgroups(tile.roles)) return warpgroup_cuts(problem, tile, target, row, column);
  return plan_for(problem, tile, target).raster.stream_k_cuts(row, column);
}

std::int64_t idle_ctas(const GemmProblem& problem, const GemmTile& tile, const Target& target) {
  const bool has_raster = !are_warpgroups(tile.roles) && tile.roles != WarpRoles::kGemv;
  return has_raster ? plan_for(problem, tile, target).raster.idle_ctas() : 0;
}

std::vector<isa::KernelLaunch> make_gemm_stream(const GemmProblem& problem, const GemmTile& tile,
                                                const Target& target) {
  std::vector<isa::KernelLaunch> stream{make_gemm(problem, tile, target)};
  if (!tile.has_workspace()) return stream;
  auto [reduction, buffers] = reduction_of(problem, tile, target);
  reduction.name = "splitk_reduce_" + types_text(problem.accumulate, problem.output) + "_" +
                   std::to_string(tile.split_k) + problem.epilogue.text();
  reduction.buffers = {as_input(buffers.workspace), buffers.d};
  std::ranges::copy(buffers.post, std::back_inserter(reduction.buffers));
  stream.push_back(std::move(reduction));
  return stream;
}

}  // namespace tcsim::kernels
