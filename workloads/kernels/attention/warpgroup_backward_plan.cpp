#include "workloads/kernels/attention/warpgroup_backward_plan.hpp"

#include <algorithm>
#include <bit>

#include "workloads/kernels/address_work.hpp"

namespace tcsim::kernels {
namespace {

using isa::Expression;
using isa::Term;
using isa::Variable;
using GradientPlan = WarpgroupBackwardPlan;

constexpr int kSmallDim = 64;
constexpr int kLargeDim = 128;

/// flash_bwd_launch_template.h, run_mha_bwd_hdim64 and run_mha_bwd_hdim128; other head sizes use
/// the next larger one.
SumTile query_tile(const AttentionProblem& problem) {
  if (problem.dim <= kSmallDim) return {128, kSmallDim, SumTile::Share::kRows};
  return problem.causal ? SumTile{64, kLargeDim, SumTile::Share::kColumns}
                        : SumTile{80, kLargeDim, SumTile::Share::kTransposed};
}

/// Heads whose Q, dO and FP32 sums of dQ take 40 MiB of the L2, a power of two
/// (hopper/tile_scheduler.hpp, SingleTileBwdLPTScheduler).
std::int64_t heads_in_l2(const AttentionProblem& problem) {
  constexpr std::int64_t kL2Bytes = std::int64_t{40} << 20;
  const std::int64_t element = 2 * GradientPlan::kElementBytes + GradientPlan::kSingleBytes;
  const std::int64_t bytes = problem.queries * problem.dim * element;
  return static_cast<std::int64_t>(
      std::bit_floor(static_cast<std::uint64_t>(std::max<std::int64_t>(1, kL2Bytes / bytes))));
}

WarpgroupBackwardRegisters place_registers(const GradientPlan& plan) {
  WarpgroupBackwardRegisters r;
  r.scale = 3;  // the thread's number was there
  int next = r.scale + 1;
  const auto take = [&next](int count) {
    const int first = next;
    next += count;
    return first;
  };
  r.key_gradient = take(plan.key_tile.registers());
  r.value_gradient = take(plan.key_tile.registers());
  r.scores = take(plan.rows() / 2);
  r.products = take(plan.rows() / 2);
  r.statistics = take(2 * plan.statistic_pairs());
  r.shuffled = take(plan.shuffles_statistics() ? 8 : 0);
  r.addresses = take(AddressWork::kFewestRegisters);
  r.total = next;
  return r;
}

std::uint32_t u32(std::int64_t value) { return static_cast<std::uint32_t>(value); }

}  // namespace

int GradientPlan::statistic_pairs() const {
  if (shuffles_statistics()) return rows() / 64;
  // Limited so that registers suffice; the rest follows in a second turn.
  constexpr int kMostPairs = 8;
  return std::min(kMostPairs, rows() / 8);
}

std::array<std::int64_t, 3> GradientPlan::grid() const {
  if (problem.causal) return {key_blocks() * problem.batch * problem.heads, 1, 1};
  return {key_blocks(), problem.heads, problem.batch};
}

std::vector<Expression> GradientPlan::uniforms() const {
  if (!problem.causal) return {};
  // Sections of heads. In each section, the keys that most queries see come first, for all its
  // heads.
  std::vector<Expression> all{
      {0, {{Variable::kCtaX, 1, u32(heads_together), u32(key_blocks())}}},
      {0,
       {{Variable::kCtaX, 1, 1, u32(heads_together)},
        {Variable::kCtaX, heads_together, u32(heads_together * key_blocks())}}},
      {0, {}, {warpgroups::divided(1, 0, {{kKeyBlock, kKeyRows}}, rows(), 0)}},
      {query_blocks(), {{kFirstBlock, -1}}}};
  if (!separates_masks()) return all;
  // Up to the query that sees the last key.
  isa::Quotient last = warpgroups::divided(1, kKeyRows - 1, {{kKeyBlock, kKeyRows}}, rows(), 0);
  last.most = padded_queries() - 1;
  all.push_back({1, {{kFirstBlock, -1}}, {last}});
  return all;
}

Term GradientPlan::key_block(std::int64_t factor) const {
  return {problem.causal ? kKeyBlock : Variable::kCtaX, factor};
}

std::vector<Term> GradientPlan::head(std::int64_t factor, std::int64_t shared) const {
  if (problem.causal) return {{kHead, factor, u32(shared)}};
  return {{Variable::kCtaY, factor, u32(shared)},
          {Variable::kCtaZ, factor * (problem.heads / shared)}};
}

std::vector<Expression> GradientPlan::panel_of(int panel, const Expression& row,
                                               std::int64_t shared_heads) const {
  constexpr std::int64_t kColumns = warpgroups::kRowBytes / kElementBytes;
  const Term head = problem.causal
                        ? Term{kHead, 1, u32(shared_heads), u32(problem.heads / shared_heads)}
                        : Term{Variable::kCtaY, 1, u32(shared_heads)};
  const Term batch = problem.causal ? Term{kHead, 1, u32(problem.heads)} : Term{Variable::kCtaZ, 1};
  return {{panel * kColumns}, row, {0, {head}}, {0, {batch}}};
}

Expression GradientPlan::steps() const {
  return problem.causal ? Expression{0, {{kSteps, 1}}} : Expression{query_blocks()};
}

Expression GradientPlan::query_block(const Expression& step) const {
  Expression block = step;
  if (problem.causal) block.terms.push_back({kFirstBlock, 1});
  return block;
}

WarpgroupBackwardPlan plan_warpgroup_backward(const AttentionProblem& problem) {
  GradientPlan plan;
  plan.problem = problem;
  plan.query_tile = query_tile(problem);
  plan.dim = plan.query_tile.dim;
  plan.key_tile = {GradientPlan::kKeyRows, plan.dim, SumTile::Share::kRows};
  const std::int64_t heads = problem.batch * problem.heads;
  // All sections are equal here: the number of heads per section divides all heads.
  plan.heads_together = std::min(heads, heads_in_l2(problem));
  while (heads % plan.heads_together != 0) --plan.heads_together;
  GemmProblem product;
  product.input = problem.element;
  product.accumulate = Element::kFp32;
  const isa::GroupFormats formats = *warpgroups::formats_of(product);
  plan.score_product = *isa::group_mma_opcode(formats, plan.rows(), false);
  plan.key_product = *isa::group_mma_opcode(formats, plan.dim, true);
  plan.query_product = *isa::group_mma_opcode(formats, plan.query_tile.width(), false);
  plan.registers = place_registers(plan);
  return plan;
}

}  // namespace tcsim::kernels
