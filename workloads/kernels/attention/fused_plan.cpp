#include "workloads/kernels/attention/fused_plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/expression_math.hpp"

namespace tcsim::kernels {
namespace {

using isa::Variable;

constexpr std::array kDims{32, 64, 96, 128, 192, 256};  // kernels.md 6.2
constexpr int kRingGroups = 4;         // three fragments ahead: 12 HMMA hide the latency of an LDSM
constexpr int kAddressRegisters = 22;  // 255 in all at dim 64 and 128 (kernels.md 6.2)

/// Rows of INT8 are whole panels of shared memory only if 64 divides their length.
int padded_dim(std::int64_t dim, Element element) {
  constexpr int kInt8Step = 64;
  return *std::ranges::find_if(kDims, [&](int padded) {
    return padded >= dim && (element != Element::kInt8 || padded % kInt8Step == 0);
  });
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
  registers.bias = registers.ring + 4 * kRingGroups;
  registers.products = registers.bias + (plan.is_int8() ? 4 : 0);
  registers.maximum = registers.products + (plan.is_int8() ? 2 * 2 * 4 * m_tiles : 0);
  registers.sum = registers.maximum + plan.thread_rows();
  registers.scale = registers.sum + plan.thread_rows();
  registers.addresses = registers.scale + 2;
  registers.total = std::min(255, registers.addresses + kAddressRegisters);
  return registers;
}

/// Instructions and element sizes of the operands' format.
void set_format(FusedPlan& plan) {
  switch (plan.problem.element) {
    case Element::kBf16:
      plan.mma = isa::Opcode::kHmma16816F32Bf16;
      plan.pack = isa::Opcode::kF2fpBf16;
      break;
    case Element::kTf32:
      plan.mma = isa::Opcode::kHmma1688F32Tf32;
      plan.bytes = plan.result_bytes = 4;
      break;
    case Element::kInt8:
      plan.mma = isa::Opcode::kImma16832S8;
      plan.bytes = 1;
      break;
    default:
      break;
  }
}

RowStrides scaled(const RowStrides& strides, int numerator, int denominator) {
  return {strides.batch * numerator / denominator, strides.head * numerator / denominator,
          strides.row * numerator / denominator};
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

double FusedPlan::score_scale() const {
  const double step = is_int8() ? kInt8Step : 1;
  return step * step / std::sqrt(static_cast<double>(problem.dim));
}

isa::Expression FusedPlan::row_tensor_origin(const RowStrides& strides) const {
  isa::Expression origin;
  if (tile.splits == 1) {
    add_term(origin, {.variable = Variable::kCtaY, .coefficient = strides.batch});
    add_term(origin, {.variable = Variable::kCtaZ, .coefficient = strides.head});
    return origin;
  }
  const auto head_count = static_cast<std::uint32_t>(heads);
  add_term(origin,
           {.variable = Variable::kCtaZ, .coefficient = strides.batch, .divisor = head_count});
  add_term(origin,
           {.variable = Variable::kCtaZ, .coefficient = strides.head, .modulus = head_count});
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
  const int staged = (tile.splits == 1 ? result_bytes : 4) * tile.rows * dim;
  return std::max(operands, staged);
}

FusedPlan plan_fused(const AttentionProblem& problem, const FusedTile& tile) {
  FusedPlan plan;
  plan.problem = problem;
  plan.tile = tile;
  set_format(plan);
  plan.dim = padded_dim(problem.dim, problem.element);
  plan.heads = problem.heads;
  plan.rows = problem.queries;
  plan.kv_group = problem.heads / problem.kv_heads;
  plan.result = {problem.queries * problem.heads * problem.dim, problem.dim,
                 problem.heads * problem.dim};
  plan.key = {problem.keys * problem.kv_heads * problem.dim, problem.dim,
              problem.kv_heads * problem.dim};
  if (groups_are_rows(problem)) {
    plan.rows = plan.kv_group;
    plan.heads = problem.kv_heads;
    plan.result.row = problem.dim;
    plan.result.head = plan.kv_group * problem.dim;
    plan.kv_group = 1;
  }
  plan.query = scaled(plan.result, plan.bytes, 2);
  plan.key = scaled(plan.key, plan.bytes, 2);
  plan.shared_q = {0, tile.rows, plan.row_halves()};
  plan.shared_k = {plan.shared_q.bytes(), tile.keys, plan.row_halves()};
  plan.shared_v = {plan.shared_k.base + plan.shared_k.bytes(), tile.keys, plan.row_halves()};
  plan.registers = fused_registers(plan);
  return plan;
}

}  // namespace tcsim::kernels
