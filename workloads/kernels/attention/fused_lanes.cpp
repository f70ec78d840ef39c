// Which rows of Q, keys and columns of O the accumulators of a lane belong to.

#include "workloads/kernels/attention/fused_plan.hpp"
#include "workloads/kernels/expression_math.hpp"

namespace tcsim::kernels {
namespace {

using isa::Variable;

}  // namespace

isa::Expression FusedPlan::tile_row(int row) const {
  isa::Expression sum = constant(std::int64_t{row / 2} * kMmaRows * tile.warps);
  add_term(sum, {.variable = Variable::kWarp, .coefficient = kMmaRows});
  if (!has_quad_pairs()) {
    sum.constant += std::int64_t{8} * (row % 2);
    add_field(sum, {Variable::kLane, 2, 3, 1});
    return sum;
  }
  sum.constant += std::int64_t{2} * (row % 2);
  add_field(sum, {Variable::kLane, 0, 1, 1});
  add_field(sum, {Variable::kLane, 2, 1, 4});
  add_field(sum, {Variable::kLane, 4, 1, 8});
  return sum;
}

isa::Expression FusedPlan::score_key(int n_tile, int part) const {
  isa::Expression sum = constant(std::int64_t{n_tile} * kMmaColumns + part % 2);
  if (has_quad_pairs()) {
    add_field(sum, {Variable::kLane, 1, 1, 2});
    add_field(sum, {Variable::kLane, 3, 1, 4});
  } else {
    add_field(sum, {Variable::kLane, 0, 2, 2});
  }
  return sum;
}

// An LDS.128 of V brings eight columns: four each of two neighbouring blocks.
int FusedPlan::output_column(int n_tile) const {
  if (!has_quad_pairs()) return n_tile * kMmaColumns;
  const int block = n_tile / 2;
  return block / 2 * 2 * FusedPlan::kQuadPairBlock + n_tile % 2 * FusedPlan::kQuadPairBlock +
         block % 2 * 4;
}

isa::Expression FusedPlan::lane_column() const {
  isa::Expression column;
  if (has_quad_pairs()) {
    add_field(column, {Variable::kLane, 1, 1, 2});
    add_field(column, {Variable::kLane, 3, 1, 8});
  } else {
    add_field(column, {Variable::kLane, 0, 2, 2});
  }
  return column;
}

isa::Expression FusedPlan::place_in_row() const {
  isa::Expression place;
  if (has_quad_pairs()) {
    add_field(place, {Variable::kLane, 1, 1, 1});
    add_field(place, {Variable::kLane, 3, 1, 2});
  } else {
    add_field(place, {Variable::kLane, 0, 2, 1});
  }
  return place;
}

std::array<int, 2> FusedPlan::row_distances() const {
  return has_quad_pairs() ? std::array{8, 2} : std::array{2, 1};
}

}  // namespace tcsim::kernels
