#include "workloads/kernels/attention/fused_plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/attention/tile_numbers.hpp"
#include "workloads/kernels/attention/warpgroup_forward_plan.hpp"
#include "workloads/kernels/expression_math.hpp"
#include "workloads/kernels/output_conversion.hpp"

namespace tcsim::kernels {
namespace {

using isa::Variable;

constexpr std::array kDims{32, 64, 96, 128, 192, 256};  // kernels.md 6.2
constexpr int kFusedRingGroups = 4;  // three fragments ahead: 12 HMMA hide the latency of an LDSM
constexpr int kStepHalves = 16;      // 16-bit units of Q in a k-step
constexpr std::int64_t kPersistentWarps = 8;  // on an SM, in one CTA or two
constexpr int kFusedAddressRegisters = 22;    // 255 in all at dim 64 and 128 (kernels.md 6.2)

/// Rows of INT8 are whole panels of shared memory only if 64 divides their length.
int padded_dim(std::int64_t dim, Element element) {
  constexpr int kInt8Step = 64;
  return *std::ranges::find_if(kDims, [&](int padded) {
    return padded >= dim && (element != Element::kInt8 || padded % kInt8Step == 0);
  });
}

/// With roles, the columns of O form whole panels of 64.
int padded_dim(const AttentionProblem& problem, const FusedTile& tile) {
  constexpr int kPanelColumns = 64;
  if (tile.has_roles)
    return static_cast<int>(ceil_div<std::int64_t>(problem.dim, kPanelColumns)) * kPanelColumns;
  return padded_dim(problem.dim, problem.element);
}

/// Heads that share K and V as rows of one tile: always in the paged form, with roles if the tile
/// says so, otherwise with one query.
std::int64_t packed_heads(const AttentionProblem& problem, const FusedTile& tile) {
  const bool packs = problem.algorithm == AttentionAlgorithm::kPaged ||
                     (tile.has_roles ? tile.packs_heads : problem.queries == 1);
  return packs ? problem.heads / problem.kv_heads : 1;
}

/// Registers of a producer; the other numbers are those of the consumers. A producer that leaves
/// all copies to TMA has 24, and no pointers to hand from thread to thread. V is transposed in the
/// registers of addresses, four at once.
FusedRegisters producer_registers(bool copies) {
  constexpr int kFirstRegister = 4;  // below: CTA and thread numbers
  FusedRegisters registers;
  registers.page = kFirstRegister;
  registers.addresses = registers.page + 4;
  registers.total = registers.addresses + kFusedAddressRegisters;
  registers.number = copies ? registers.total++ : registers.page;
  return registers;
}

FusedRegisters fused_registers(const FusedPlan& plan) {
  if (plan.tile.has_roles) return producer_registers(plan.is_paged() || plan.tile.packs_heads);
  const int m_tiles = plan.m_tiles();
  FusedRegisters registers;
  registers.scores = 4 * m_tiles * plan.output_tiles();
  registers.query = registers.scores + 4 * m_tiles * plan.score_tiles();
  registers.ring = registers.query + 2 * 4 * m_tiles;
  registers.bias = registers.ring + 4 * kFusedRingGroups;
  registers.products = registers.bias + (plan.is_int8() ? 4 : 0);
  registers.kept_query = registers.products + (plan.is_int8() ? 2 * 2 * 4 * m_tiles : 0);
  const int kept = plan.tile.keeps_query ? 4 * m_tiles * plan.row_halves() / kStepHalves : 0;
  registers.maximum = registers.kept_query + kept;
  registers.sum = registers.maximum + plan.thread_rows();
  registers.scale = registers.sum + plan.thread_rows();
  registers.row_scale = registers.scale + 2;
  const bool has_scales = plan.problem.has_block_scales;
  registers.factor = registers.row_scale + (has_scales ? plan.thread_rows() : 0);
  registers.key_scale = registers.factor + (has_scales ? plan.thread_rows() : 0);
  registers.page = registers.key_scale + (has_scales ? 2 : 0);
  registers.staged = registers.page + (plan.is_paged() ? 2 : 0);
  registers.addresses = registers.staged;
  if (plan.is_staged()) {
    registers.staged = align_up(registers.staged, kVectorRegisters);
    registers.addresses =
        registers.staged + kVectorRegisters * plan.shared_k.rounds(plan.threads());
  }
  registers.total = std::min(kMostRegisters, registers.addresses + kFusedAddressRegisters);
  if (plan.tile.is_persistent) {
    registers.total = kMostRegisters;
    registers.number = kMostRegisters - 1;
  }
  return registers;
}

/// Sets the instructions and element sizes for the operands' format.
void set_format(FusedPlan& plan) {
  plan.mma = fused_mma(plan.form, plan.problem.element);
  plan.pack = packing_opcode(attention_result(plan.problem.element));
  switch (plan.problem.element) {
    case Element::kTf32:
      plan.bytes = plan.result_bytes = 4;
      break;
    case Element::kInt8:
    case Element::kE4m3:
      plan.bytes = 1;
      break;
    default:
      break;
  }
}

/// Which CTA takes which tile, in the order in which the libraries' CTAs start.
void set_axes(FusedPlan& plan) {
  const auto heads = static_cast<std::uint32_t>(plan.heads);
  const auto splits = static_cast<std::uint32_t>(plan.tile.splits);
  plan.tile_axis = {Variable::kCtaX};
  plan.batch_axis = {Variable::kCtaY};
  plan.head_axis = {Variable::kCtaZ};
  plan.split_axis = {Variable::kCtaY};
  if (plan.tile.has_roles) {  // uniforms, found from the number of the tile
    using Roles = WarpgroupForwardPlan;
    plan.tile_axis = {Roles::kRowBlock};
    const std::int64_t tiles_between = plan.problem.causal ? 1 : plan.row_blocks();
    plan.split_axis = {Roles::kNumber, static_cast<std::uint32_t>(tiles_between), splits};
    plan.batch_axis = {Roles::kHead, heads};
    plan.head_axis = {Roles::kHead, 1, heads};
  } else if (plan.tile.is_persistent) {
    const auto of_sequence = static_cast<std::uint32_t>(plan.tiles() / plan.problem.batch);
    plan.head_axis = {FusedPlan::kNumber, splits, heads};
    plan.split_axis = {FusedPlan::kNumber, 1, splits};
    plan.tile_axis = {FusedPlan::kRowBlock};
    plan.batch_axis = {FusedPlan::kNumber, of_sequence};
  } else if (plan.is_paged()) {
    plan.head_axis = {Variable::kCtaY};
    plan.batch_axis = {Variable::kCtaZ};
  } else if (plan.tile.splits > 1) {
    plan.batch_axis = {Variable::kCtaZ, heads};
    plan.head_axis = {Variable::kCtaZ, 1, heads};
  }
}

RowStrides scaled(const RowStrides& strides, int numerator, int denominator) {
  return {strides.batch * numerator / denominator, strides.head * numerator / denominator,
          strides.row * numerator / denominator};
}

}  // namespace

isa::Term GridAxis::term(std::int64_t coefficient, std::int64_t group) const {
  const auto by = static_cast<std::uint32_t>(group);
  return {.variable = variable,
          .coefficient = coefficient,
          .divisor = divisor * by,
          .modulus = modulus / by};
}

int FusedPlan::output(int m_tile, int n_tile, int part) const {
  return registers.output + 4 * (m_tile * output_tiles() + n_tile) + part;
}

int FusedPlan::score(int m_tile, int n_tile, int part) const {
  return registers.scores + 4 * ((n_tile / 2 * m_tiles() + m_tile) * 2 + n_tile % 2) + part;
}

int FusedPlan::probability(int m_tile, int step) const {
  return registers.scores + 4 * (step * m_tiles() + m_tile);
}

double FusedPlan::score_scale() const {
  const double step = is_int8() && !problem.has_block_scales ? kInt8Step : 1;
  return step * step / std::sqrt(static_cast<double>(problem.dim));
}

isa::Expression FusedPlan::query_of(const isa::Expression& row) const {
  isa::Expression number;
  add_quotient(number, 1, row, group_rows, 0);
  return number;
}

isa::Expression FusedPlan::row_tensor_origin(const RowStrides& strides) const {
  isa::Expression origin;
  add_term(origin, batch_axis.term(strides.batch));
  add_term(origin, head_axis.term(group_rows * strides.head));
  return origin;
}

isa::Expression FusedPlan::key_origin() const {
  isa::Expression origin;
  add_term(origin, batch_axis.term(key.batch));
  add_term(origin, head_axis.term(key.head, kv_group));
  return origin;
}

isa::Expression FusedPlan::row_offset(const RowStrides& strides, const isa::Expression& row) const {
  isa::Expression offset;
  add_scaled(offset, row, group_rows == 1 ? strides.row : strides.head);
  if (group_rows > 1 && problem.queries > 1)
    add_scaled(offset, query_of(row), strides.row - group_rows * strides.head);
  return offset;
}

isa::Expression FusedPlan::row_origin() const {
  isa::Expression origin;
  if (tile.splits > 1) add_term(origin, split_axis.term(problem.batch * heads * rows));
  add_term(origin, batch_axis.term(heads * rows));
  add_term(origin, head_axis.term(rows));
  return origin;
}

isa::Expression FusedPlan::log_sum_offset(const isa::Expression& row) const {
  return row_offset({.head = problem.queries, .row = 1}, row);
}

std::vector<isa::Expression> FusedPlan::uniforms() const {
  const auto between = static_cast<std::uint32_t>(heads * tile.splits);
  return {number_in_turns(ctas),
          {0, {{kNumber, 1, between, static_cast<std::uint32_t>(row_blocks())}}}};
}

std::array<std::int64_t, 3> FusedPlan::grid() const {
  if (tile.is_persistent) return {ctas, 1, 1};
  if (is_paged()) return {row_blocks(), heads, problem.batch};
  if (tile.splits == 1) return {row_blocks(), problem.batch, heads};
  return {row_blocks(), tile.splits, problem.batch * heads};
}

int FusedPlan::shared_bytes() const {
  int operands = std::max(shared_v.base, shared_k.base) + shared_k.bytes();
  if (has_quad_pairs() && !stores_over_keys()) operands += shared_p.bytes();
  const int staged = (tile.splits == 1 ? result_bytes : 4) * tile.rows * dim;
  return std::max(operands, staged) + (tile.is_persistent ? kNumberBytes : 0);
}

FusedPlan plan_fused(const AttentionProblem& problem, const FusedTile& tile, const Target& target) {
  FusedPlan plan;
  plan.problem = problem;
  plan.tile = tile;
  plan.form = form_of(target);
  set_format(plan);
  plan.dim = padded_dim(problem, tile);
  plan.group_rows = packed_heads(problem, tile);
  plan.heads = problem.heads / plan.group_rows;
  plan.rows = problem.queries * plan.group_rows;
  plan.kv_group = plan.heads / problem.kv_heads;
  plan.result = {problem.queries * problem.heads * problem.dim, problem.dim,
                 problem.heads * problem.dim};
  plan.key = {problem.keys * problem.kv_heads * problem.dim, problem.dim,
              problem.kv_heads * problem.dim};
  set_axes(plan);
  plan.query = scaled(plan.result, plan.bytes, 2);
  plan.key = scaled(plan.key, plan.bytes, 2);
  plan.shared_q = {0, tile.rows, plan.row_halves()};
  plan.shared_k = {plan.shared_q.bytes(), tile.keys, plan.row_halves()};
  plan.shared_v = {plan.shared_k.base + plan.shared_k.bytes(), tile.keys, plan.row_halves()};
  if (tile.keeps_query) {
    plan.shared_k.base = std::max(plan.shared_q.bytes(), plan.shared_v.bytes());
    plan.shared_v.base = 0;
  }
  plan.shared_p = {plan.shared_k.base, tile.rows, tile.keys};
  if (plan.shared_p.bytes() > plan.shared_k.bytes())
    plan.shared_p.base = plan.shared_v.base + plan.shared_v.bytes();
  plan.registers = fused_registers(plan);
  if (tile.is_persistent)
    plan.ctas = std::min(plan.tiles(), target.sms * (kPersistentWarps / tile.warps));
  return plan;
}

}  // namespace tcsim::kernels
