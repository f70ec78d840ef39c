// Which key blocks a CTA of the fused kernel takes, and which of them it masks.

#include <algorithm>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/attention/fused_plan.hpp"
#include "workloads/kernels/expression_math.hpp"

namespace tcsim::kernels {
namespace {

/// min(per_group, total - per_group * index) for index in [0, groups), where groups is the smallest
/// number that covers `total`: only the last group may have fewer.
isa::Expression share(std::int64_t total, std::int64_t per_group, const GridAxis& axis) {
  const std::int64_t groups = ceil_div(total, per_group);
  isa::Expression count = constant(per_group);
  isa::Expression number;
  add_term(number, axis.term(1));
  number.constant = 1;
  add_quotient(count, total - groups * per_group, number, groups, 0);
  return count;
}

}  // namespace

std::int64_t FusedPlan::row_blocks() const { return ceil_div<std::int64_t>(rows, tile.rows); }

std::int64_t FusedPlan::key_blocks() const {
  return ceil_div<std::int64_t>(problem.keys, tile.keys);
}

std::int64_t FusedPlan::blocks_per_split() const {
  return ceil_div<std::int64_t>(key_blocks(), tile.splits);
}

void FusedPlan::add_tile(isa::Expression& sum, std::int64_t factor) const {
  if (!reverses_tiles()) return add_term(sum, tile_axis.term(factor));
  sum.constant += factor * (row_blocks() - 1);
  add_term(sum, tile_axis.term(-factor));
}

void FusedPlan::add_last_tile(isa::Expression& sum, std::int64_t factor) const {
  isa::Term term = tile_axis.term(factor);
  term.divisor = static_cast<std::uint32_t>(row_blocks());
  term.offset = 1;
  if (reverses_tiles()) {
    sum.constant += factor;
    term.coefficient = -factor;
    term.offset = term.divisor - 1;
  }
  add_term(sum, term);
}

std::int64_t FusedPlan::at_tile(const isa::Expression& expression, std::int64_t number) const {
  isa::Bindings bindings{};
  bindings[static_cast<std::size_t>(tile_axis.variable)] =
      reverses_tiles() ? row_blocks() - 1 - number : number;
  return isa::evaluate(expression, bindings);
}

// A tile whose last row belongs to query q sees the keys up to q + keys - queries. A quotient of a
// quotient becomes one: ((a / b) + c) / d = (a + b c) / (b d).
isa::Expression FusedPlan::causal_count() const {
  isa::Expression last_row = constant(tile.rows - 1);
  add_tile(last_row, tile.rows);
  add_last_tile(last_row, rows - row_blocks() * tile.rows);
  const std::int64_t splits = tile.splits;
  last_row.constant += group_rows * (problem.keys - problem.queries + splits * tile.keys);
  isa::Expression count;
  add_quotient(count, 1, last_row, group_rows * tile.keys * splits, 0);
  return count;
}

isa::Expression FusedPlan::whole_blocks() const {
  isa::Expression first = constant(group_rows * (problem.keys - problem.queries + 1));
  add_tile(first, tile.rows);
  isa::Expression blocks;
  add_quotient(blocks, 1, first, group_rows * tile.keys * tile.splits, 0);
  return blocks;
}

isa::Expression FusedPlan::block_count() const {
  return problem.causal ? causal_count() : share(key_blocks(), blocks_per_split(), split_axis);
}

std::int64_t FusedPlan::shortest_count() const {
  if (problem.causal) return at_tile(causal_count(), 0);
  return key_blocks() - (ceil_div(key_blocks(), blocks_per_split()) - 1) * blocks_per_split();
}

int FusedPlan::masked_blocks() const {
  if (!problem.causal) return 1;
  const isa::Expression count = causal_count();
  const isa::Expression whole = whole_blocks();
  std::int64_t most = 1;
  for (std::int64_t number = 0; number < row_blocks(); ++number)
    most = std::max(most, at_tile(count, number) - at_tile(whole, number));
  return static_cast<int>(most);
}

isa::Expression FusedPlan::has_place(int place) const {
  if (place < shortest_count()) return constant(1);
  const isa::Expression count = causal_count();
  std::int64_t first = 1;
  while (at_tile(count, first) <= place) ++first;
  isa::Expression reaches;
  isa::Expression number = constant(row_blocks() - first);
  add_tile(number, 1);
  add_quotient(reaches, 1, number, row_blocks(), 0);
  return reaches;
}

isa::Expression FusedPlan::block(int place, bool in_loop) const {
  const std::int64_t step = problem.causal ? tile.splits : 1;
  isa::Expression block;
  add_scaled(block, block_count(), step);
  block.constant -= step * (1 + place);
  if (in_loop) add_term(block, {.variable = isa::Variable::kLoop0, .coefficient = -step});
  if (tile.splits > 1) add_term(block, split_axis.term(problem.causal ? 1 : blocks_per_split()));
  return block;
}

isa::Expression FusedPlan::first_row() const {
  isa::Expression row;
  add_tile(row, tile.rows);
  return row;
}

}  // namespace tcsim::kernels
