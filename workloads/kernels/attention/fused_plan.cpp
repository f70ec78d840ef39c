#include "workloads/kernels/attention/fused_plan.hpp"

#include <algorithm>
#include <array>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/expression_math.hpp"

namespace tcsim::kernels {
namespace {

using isa::Variable;

constexpr std::array kDims{32, 64, 96, 128, 192, 256};  // kernels.md 6.2
constexpr int kRingGroups = 4;         // three fragments ahead: 12 HMMA hide the latency of an LDSM
constexpr int kAddressRegisters = 22;  // 255 in all at dim 64 and 128 (kernels.md 6.2)

int padded_dim(std::int64_t dim) {
  return *std::ranges::find_if(kDims, [dim](int padded) { return padded >= dim; });
}

/// With one query the heads that share K and V are the rows of one tile.
bool groups_are_rows(const AttentionProblem& problem) {
  return problem.queries == 1 && problem.heads > problem.kv_heads;
}

FusedRegisters fused_registers(const FusedPlan& plan) {
  const int m_tiles = plan.m_tiles();
  FusedRegisters registers;
  registers.scores = 4 * m_tiles * plan.output_tiles();
  registers.query = registers.scores + 4 * m_tiles * plan.score_tiles();
  registers.ring = registers.query + 2 * 4 * m_tiles;
  registers.maximum = registers.ring + 4 * kRingGroups;
  registers.sum = registers.maximum + plan.thread_rows();
  registers.scale = registers.sum + plan.thread_rows();
  registers.addresses = registers.scale + 2;
  registers.total = std::min(255, registers.addresses + kAddressRegisters);
  return registers;
}

/// min(per_group, total - per_group * index) for index in [0, groups), groups the smallest number
/// that covers `total`: only the last group may have fewer.
isa::Expression share(std::int64_t total, std::int64_t per_group, Variable index) {
  const std::int64_t groups = ceil_div(total, per_group);
  isa::Expression count = constant(per_group);
  add_term(count, {.variable = index,
                   .coefficient = total - groups * per_group,
                   .divisor = static_cast<std::uint32_t>(groups),
                   .offset = 1});
  return count;
}

}  // namespace

int FusedPlan::output(int m_tile, int n_tile, int part) const {
  return registers.output + 4 * (m_tile * output_tiles() + n_tile) + part;
}

int FusedPlan::score(int m_tile, int n_tile, int part) const {
  return registers.scores + 4 * ((n_tile / 2 * m_tiles() + m_tile) * 2 + n_tile % 2) + part;
}

int FusedPlan::probability(int m_tile, int step) const {
  return registers.scores + 4 * (step * m_tiles() + m_tile);
}

std::int64_t FusedPlan::row_blocks() const { return ceil_div<std::int64_t>(rows, tile.rows); }

std::int64_t FusedPlan::key_blocks() const {
  return ceil_div<std::int64_t>(problem.keys, tile.keys);
}

std::int64_t FusedPlan::blocks_per_split() const {
  return ceil_div<std::int64_t>(key_blocks(), tile.splits);
}

int FusedPlan::masked_blocks() const {
  if (!problem.causal) return 1;
  // The diagonal crosses as many blocks as a tile of rows is wide, one more where it starts inside
  // one.
  const int crossed = tile.rows / tile.keys + ((problem.keys - problem.queries) % tile.keys != 0);
  return static_cast<int>(std::min<std::int64_t>(std::max(crossed, 1), shortest_count()));
}

isa::Expression FusedPlan::block_count() const {
  if (!problem.causal) return share(key_blocks(), blocks_per_split(), Variable::kCtaY);
  // Up to the diagonal of the tile's last row, but not beyond the last key.
  const std::int64_t per_tile = tile.rows / tile.keys;
  const std::int64_t first =
      ceil_div(tile.rows + problem.keys - problem.queries, static_cast<std::int64_t>(tile.keys));
  isa::Expression count = constant(first);
  add_term(count, {.variable = Variable::kCtaX, .coefficient = per_tile});
  add_term(count, {.variable = Variable::kCtaX,
                   .coefficient = key_blocks() - (first + per_tile * (row_blocks() - 1)),
                   .divisor = static_cast<std::uint32_t>(row_blocks()),
                   .offset = 1});
  return count;
}

std::int64_t FusedPlan::shortest_count() const {
  const isa::Expression count = block_count();
  const std::int64_t extent = problem.causal ? row_blocks() : tile.splits;
  std::int64_t shortest = key_blocks();
  for (std::int64_t i = 0; i < extent; ++i) {
    isa::Bindings bindings{};
    bindings[static_cast<std::size_t>(problem.causal ? Variable::kCtaX : Variable::kCtaY)] = i;
    shortest = std::min(shortest, isa::evaluate(count, bindings));
  }
  return shortest;
}

isa::Expression FusedPlan::block(int place, bool in_loop) const {
  isa::Expression block = block_count();
  block.constant -= 1 + place;
  if (in_loop) add_term(block, {.variable = Variable::kLoop0, .coefficient = -1});
  if (tile.splits > 1)
    add_term(block, {.variable = Variable::kCtaY, .coefficient = blocks_per_split()});
  return block;
}

isa::Expression FusedPlan::first_row() const {
  isa::Expression row;
  add_term(row, {.variable = Variable::kCtaX, .coefficient = tile.rows});
  return row;
}

isa::Expression FusedPlan::query_origin() const {
  isa::Expression origin;
  if (tile.splits == 1) {
    add_term(origin, {.variable = Variable::kCtaY, .coefficient = query.batch});
    add_term(origin, {.variable = Variable::kCtaZ, .coefficient = query.head});
    return origin;
  }
  const auto head_count = static_cast<std::uint32_t>(heads);
  add_term(origin,
           {.variable = Variable::kCtaZ, .coefficient = query.batch, .divisor = head_count});
  add_term(origin, {.variable = Variable::kCtaZ, .coefficient = query.head, .modulus = head_count});
  return origin;
}

isa::Expression FusedPlan::key_origin() const {
  isa::Expression origin;
  const auto group = static_cast<std::uint32_t>(kv_group);
  if (tile.splits == 1) {
    add_term(origin, {.variable = Variable::kCtaY, .coefficient = key.batch});
    add_term(origin, {.variable = Variable::kCtaZ, .coefficient = key.head, .divisor = group});
    return origin;
  }
  const auto kv_heads = static_cast<std::uint32_t>(heads / kv_group);
  add_term(origin, {.variable = Variable::kCtaZ,
                    .coefficient = key.batch,
                    .divisor = static_cast<std::uint32_t>(heads)});
  add_term(origin, {.variable = Variable::kCtaZ,
                    .coefficient = key.head,
                    .divisor = group,
                    .modulus = kv_heads});
  return origin;
}

isa::Expression FusedPlan::row_origin() const {
  isa::Expression origin;
  if (tile.splits == 1) {
    add_term(origin, {.variable = Variable::kCtaY, .coefficient = heads * rows});
    add_term(origin, {.variable = Variable::kCtaZ, .coefficient = rows});
    return origin;
  }
  add_term(origin, {.variable = Variable::kCtaY, .coefficient = problem.batch * heads * rows});
  add_term(origin, {.variable = Variable::kCtaZ, .coefficient = rows});
  return origin;
}

std::array<std::int64_t, 3> FusedPlan::grid() const {
  if (tile.splits == 1) return {row_blocks(), problem.batch, heads};
  return {row_blocks(), tile.splits, problem.batch * heads};
}

int FusedPlan::shared_bytes() const {
  const int operands = shared_v.base + shared_v.bytes();
  const int partial = 4 * tile.rows * dim;  // partial outputs pass through as FP32
  return tile.splits == 1 ? operands : std::max(operands, partial);
}

FusedPlan plan_fused(const AttentionProblem& problem, const FusedTile& tile) {
  FusedPlan plan;
  plan.problem = problem;
  plan.tile = tile;
  if (problem.element == Element::kBf16) {
    plan.mma = isa::Opcode::kHmma16816F32Bf16;
    plan.pack = isa::Opcode::kF2fpBf16;
  }
  plan.dim = padded_dim(problem.dim);
  plan.heads = problem.heads;
  plan.rows = problem.queries;
  plan.kv_group = problem.heads / problem.kv_heads;
  plan.query = {problem.queries * problem.heads * problem.dim, problem.dim,
                problem.heads * problem.dim};
  plan.key = {problem.keys * problem.kv_heads * problem.dim, problem.dim,
              problem.kv_heads * problem.dim};
  if (groups_are_rows(problem)) {
    plan.rows = plan.kv_group;
    plan.heads = problem.kv_heads;
    plan.query.row = problem.dim;
    plan.query.head = plan.kv_group * problem.dim;
    plan.kv_group = 1;
  }
  plan.shared_q = {0, tile.rows, plan.dim};
  plan.shared_k = {plan.shared_q.bytes(), tile.keys, plan.dim};
  plan.shared_v = {plan.shared_k.base + plan.shared_k.bytes(), tile.keys, plan.dim};
  plan.registers = fused_registers(plan);
  return plan;
}

}  // namespace tcsim::kernels
