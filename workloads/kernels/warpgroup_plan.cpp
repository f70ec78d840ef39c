#include "workloads/kernels/warpgroup_plan.hpp"

#include <algorithm>
#include <utility>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/epilogue.hpp"
#include "workloads/kernels/expression_math.hpp"
#include "workloads/kernels/raster.hpp"
#include "workloads/kernels/swapped_product.hpp"

namespace tcsim::kernels::warpgroups {

std::optional<isa::GroupFormats> formats_of(const GemmProblem& problem) {
  if (problem.weights.are_packed()) return std::nullopt;
  using numerics::ElementType;
  const auto input = [&]() -> std::optional<ElementType> {
    switch (problem.input) {
      case Element::kFp16:
        return ElementType::kFp16;
      case Element::kBf16:
        return ElementType::kBf16;
      case Element::kTf32:
        return ElementType::kTf32;
      case Element::kInt8:
        return ElementType::kInt8;
      case Element::kE4m3:
        return ElementType::kE4m3;
      case Element::kE5m2:
        return ElementType::kE5m2;
      default:
        return std::nullopt;
    }
  }();
  const ElementType sum = problem.accumulate == Element::kFp16    ? ElementType::kFp16
                          : problem.accumulate == Element::kInt32 ? ElementType::kInt32
                                                                  : ElementType::kFp32;
  for (const isa::GroupFormats& formats : isa::kGroupFormats)
    if (input && formats.a == *input && formats.b == *input && formats.sum == sum) return formats;
  return std::nullopt;
}

bool takes_b_first(const GemmProblem& problem) {
  return problem.input == Element::kTf32 && problem.layout_a == Layout::kNormal &&
         problem.layout_b == Layout::kNormal;
}

void add_consumer(isa::Expression& sum, std::int64_t weight) {
  sum.constant -= weight;
  sum.terms.push_back({isa::Variable::kWarp, weight, isa::kGroupWarps});
}

int first_warp(ProgramBuilder& builder) {
  return builder.guard({{{{0, {{isa::Variable::kWarp, 1, 1, isa::kGroupWarps}}}, 1}}});
}

int WarpgroupPlan::store_row_bytes() const {
  if (stores_whole_tiles()) return width() * output_bytes();
  for (const isa::TileSwizzle swizzle : {isa::TileSwizzle::k128, isa::TileSwizzle::k64,
                                         isa::TileSwizzle::k32, isa::TileSwizzle::kNone})
    if (width() * output_bytes() % isa::row_bytes(swizzle) == 0) return isa::row_bytes(swizzle);
  return 0;
}

int WarpgroupPlan::store_columns() const {
  if (tile.swapped) return std::min(width(), store_bytes() / (kRowBytes * boxes_of_block()));
  if (tile.half_boxes) return std::min(width(), store_bytes() / isa::kGroupRows / output_bytes());
  return store_row_bytes() / output_bytes();
}

isa::TileSwizzle WarpgroupPlan::store_swizzle(int columns) const {
  using isa::TileSwizzle;
  if (stores_whole_tiles()) return TileSwizzle::kNone;
  const int bytes = store_pitch(columns);
  for (const TileSwizzle swizzle : {TileSwizzle::k128, TileSwizzle::k64, TileSwizzle::k32})
    if (isa::row_bytes(swizzle) == bytes) return swizzle;
  return TileSwizzle::kNone;
}

namespace {

/// The largest number of tile columns, at most 12, that divides them: neighbours of a wave then
/// share rows and columns in L2 about equally.
std::int64_t strip_of(std::int64_t tiles_n) {
  constexpr std::int64_t kMost = 12;
  for (std::int64_t strip = std::min(kMost, tiles_n); strip > 1; --strip)
    if (tiles_n % strip == 0) return strip;
  return 1;
}

}  // namespace

std::int64_t clusters_at_once(const Target& target, int size) {
  if (size == 1) return target.sms;
  std::int64_t clusters = 0;
  for (const int sms : target.sms_per_gpc) clusters += sms / size;
  return clusters;
}

isa::Term WarpgroupPlan::place_m(std::int64_t weight, int other) const {
  return {isa::Variable::kCtaX, weight, 1, static_cast<std::uint32_t>(tile.cluster_m),
          static_cast<std::uint32_t>(other)};
}

isa::Term WarpgroupPlan::place_n(std::int64_t weight, int other) const {
  const auto wide = static_cast<std::uint32_t>(tile.cluster_m);
  return {isa::Variable::kCtaX, weight, wide, static_cast<std::uint32_t>(tile.cluster_n),
          wide * static_cast<std::uint32_t>(other)};
}

isa::Expression WarpgroupPlan::rank_of(int other_m, int other_n) const {
  isa::Expression rank;
  if (shares_b()) rank.terms.push_back(place_m(1, other_m));
  if (shares_a()) rank.terms.push_back(place_n(tile.cluster_m, other_n));
  return rank;
}

int WarpgroupPlan::flag_buffer() const {
  const EpiloguePost post(problem.epilogue, post_buffer());
  return post_buffer() + post.vectors() + post.matrices();
}

isa::Expression Walk::all_places() const {
  if (shape_.stream_k) return shape_.stream_k->all_k_tiles();
  isa::Expression all;
  add_scaled(all, trips(), shape_.ring_places());
  return all;
}

GemmProblem part_of_warpgroups(GemmProblem problem, const GemmTile& tile) {
  if (!tile.has_workspace()) return problem;
  problem.output = problem.accumulate;
  problem.epilogue = {};
  return problem;
}

WarpgroupPlan oriented(const GemmProblem& problem, const GemmTile& tile) {
  WarpgroupPlan shape;
  const GemmProblem part = part_of_warpgroups(problem, tile);
  shape.problem = tile.swapped ? swapped(part) : part;
  shape.tile = tile.swapped ? swapped(tile) : tile;
  if (tile.stream_k) shape.tile.split_k = 1;
  return shape;
}

WarpgroupPlan warpgroup_plan(const GemmProblem& problem, const GemmTile& tile,
                             const Target& target) {
  WarpgroupPlan shape = oriented(problem, tile);
  shape.product = *isa::group_mma_opcode(*formats_of(problem), shape.width(),
                                         shape.a_in_registers(), problem.sparse);
  shape.tiles_m = shape.row_tiles(shape.problem.m);
  shape.tiles_n =
      ceil_div<std::int64_t>(shape.problem.n, std::int64_t{shape.tile.n} * shape.tile.cluster_n);
  if (problem.groups.is_masked())
    for (const std::int64_t rows : problem.groups.rows) shape.rows += shape.row_tiles(rows);
  else
    shape.rows = shape.tiles_m * problem.batch;
  shape.tiles = shape.rows * shape.tiles_n * shape.tile.split_k;
  shape.k_tiles = KSlices(problem, shape.tile).tiles;
  shape.strip = strip_of(shape.tiles_n);
  shape.grid = std::min<std::int64_t>(shape.tiles, clusters_at_once(target, shape.cluster()));
  if (!tile.stream_k) return shape;
  const std::int64_t clusters = clusters_at_once(target, shape.cluster());
  shape.stream_k.emplace(
      tile.split_k > 1
          ? deal_in_slices(shape.tiles, shape.k_tiles, tile.split_k, shape.cluster())
          : deal_to_clusters(shape.tiles, shape.tiles_n, shape.k_tiles, clusters, shape.cluster()));
  shape.grid = shape.stream_k->deal().workers;
  return shape;
}

isa::Quotient divided(std::int64_t coefficient, std::int64_t constant, std::vector<isa::Term> terms,
                      std::int64_t divisor, std::int64_t modulus) {
  return {.coefficient = coefficient,
          .constant = constant,
          .terms = std::move(terms),
          .divisor = static_cast<std::uint32_t>(divisor),
          .modulus = static_cast<std::uint32_t>(modulus)};
}

}  // namespace tcsim::kernels::warpgroups
