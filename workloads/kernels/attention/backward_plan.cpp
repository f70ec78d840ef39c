#include "workloads/kernels/attention/backward_plan.hpp"

#include "models/isa/cycle.hpp"
#include "workloads/kernels/expression_math.hpp"
#include "workloads/kernels/output_conversion.hpp"

namespace tcsim::kernels {
namespace {

using isa::Variable;

constexpr int kDimStep = 32;
constexpr int kBackwardRingGroups = 4;         // three fragments ahead, as in the forward kernel
constexpr int kBackwardAddressRegisters = 22;  // as in the forward kernel

BackwardRegisters registers_of(const BackwardPlan& plan) {
  const int gradient = 4 * plan.gradient_tiles();
  const int scores = 4 * plan.score_tiles();
  // Two rows per thread, or two columns of every tile.
  const int statistics = plan.is_for_keys() ? 2 * plan.score_tiles() : 2;
  BackwardRegisters r;
  r.second_gradient = gradient;
  r.scores = r.second_gradient + (plan.is_for_keys() ? gradient : 0);
  r.products = r.scores + scores;
  r.log_sums = r.products + scores;
  r.deltas = r.log_sums + statistics;
  r.kept = r.deltas + statistics;
  r.ring = r.kept + 2 * 4;
  r.scale = r.ring + 4 * kBackwardRingGroups;
  r.addresses = r.scale + 2;
  r.total = r.addresses + kBackwardAddressRegisters;
  return r;
}

}  // namespace

std::int64_t BackwardPlan::kept_blocks() const {
  return ceil_div<std::int64_t>(kept_total(), kKeptRows);
}

isa::Expression BackwardPlan::block_count() const {
  if (!problem.causal)
    return constant(turns() * ceil_div<std::int64_t>(moving_total(), moving_rows));
  // Up to the diagonal, or from there to the last whole 64 rows.
  const std::int64_t per_block = turns() * kKeptRows / moving_rows;
  isa::Expression count = constant(is_for_keys() ? kept_blocks() * per_block : per_block);
  add_term(count,
           {.variable = Variable::kCtaX, .coefficient = is_for_keys() ? -per_block : per_block});
  return count;
}

int BackwardPlan::masked_blocks() const {
  if (problem.causal) return static_cast<int>(turns()) * kKeptRows / moving_rows;
  // Queries beyond the last are zeros, and so are their gradients.
  return !is_for_keys() && moving_total() % moving_rows != 0 ? 1 : 0;
}

isa::Expression BackwardPlan::block(int place, bool in_loop) const {
  isa::Expression block;
  if (is_for_keys()) {
    if (!in_loop) block.constant = place / turns();
    if (problem.causal)
      add_term(block, {.variable = Variable::kCtaX, .coefficient = kKeptRows / moving_rows});
    if (in_loop)
      add_term(block, {.variable = Variable::kLoop0,
                       .coefficient = 1,
                       .divisor = static_cast<std::uint32_t>(turns()),
                       .offset = static_cast<std::uint32_t>(place)});
    return block;
  }
  block = block_count();
  block.constant -= 1 + place;
  if (in_loop) add_term(block, {.variable = Variable::kLoop0, .coefficient = -1});
  return block;
}

isa::Expression BackwardPlan::stage_offset(int place, bool in_loop) const {
  const std::int64_t bytes = std::int64_t{moving_first.bytes()} + moving_second.bytes();
  if (!in_loop) return constant(place % kStages * bytes);
  isa::Expression offset;
  add_term(offset, {.variable = Variable::kLoop0,
                    .coefficient = bytes,
                    .modulus = kStages,
                    .offset = static_cast<std::uint32_t>(place)});
  return offset;
}

isa::Expression BackwardPlan::first_row() const {
  isa::Expression row;
  add_term(row, {.variable = Variable::kCtaX, .coefficient = kKeptRows});
  return row;
}

void BackwardPlan::add_query_head(isa::Expression& sum, std::int64_t weight, int place,
                                  bool in_loop) const {
  add_term(sum, {.variable = Variable::kCtaZ, .coefficient = weight * turns()});
  if (turns() == 1) return;
  if (in_loop)
    add_term(sum, {.variable = Variable::kLoop0,
                   .coefficient = weight,
                   .modulus = static_cast<std::uint32_t>(turns()),
                   .offset = static_cast<std::uint32_t>(place)});
  else
    sum.constant += weight * (place % turns());
}

isa::Expression BackwardPlan::kept_origin() const {
  isa::Expression origin;
  add_term(origin, {.variable = Variable::kCtaY, .coefficient = kept_total() * kept_stride()});
  add_term(origin, {.variable = Variable::kCtaZ, .coefficient = problem.dim});
  return origin;
}

isa::Expression BackwardPlan::moving_origin(int place, bool in_loop) const {
  isa::Expression origin;
  add_term(origin, {.variable = Variable::kCtaY, .coefficient = moving_total() * moving_stride()});
  if (is_for_keys())
    add_query_head(origin, problem.dim, place, in_loop);
  else
    add_term(origin, {.variable = Variable::kCtaZ,
                      .coefficient = problem.dim,
                      .divisor = static_cast<std::uint32_t>(group())});
  return origin;
}

isa::Expression BackwardPlan::row_origin(int place, bool in_loop) const {
  isa::Expression origin;
  add_term(origin, {.variable = Variable::kCtaY, .coefficient = problem.heads * problem.queries});
  add_query_head(origin, problem.queries, place, in_loop);
  return origin;
}

std::array<std::int64_t, 3> BackwardPlan::grid() const {
  return {kept_blocks(), problem.batch, kept_heads()};
}

int BackwardPlan::shared_bytes() const {
  return kept_first.bytes() + kept_second.bytes() +
         kStages * (moving_first.bytes() + moving_second.bytes());
}

BackwardPlan plan_backward(const AttentionProblem& problem, BackwardSide side) {
  BackwardPlan plan;
  plan.problem = problem;
  plan.side = side;
  if (problem.element == Element::kBf16) plan.mma = isa::Opcode::kHmma16816F32Bf16;
  plan.pack = packing_opcode(attention_result(problem.element));
  plan.dim = static_cast<int>(ceil_div<std::int64_t>(problem.dim, kDimStep)) * kDimStep;
  // Two gradients of 128 columns leave registers for 32 columns of scores.
  constexpr int kWide = 64;
  plan.moving_rows = plan.is_for_keys() && plan.dim > kWide ? 32 : 64;
  plan.kept_first = {0, BackwardPlan::kKeptRows, plan.dim};
  plan.kept_second = {plan.kept_first.bytes(), BackwardPlan::kKeptRows, plan.dim};
  plan.moving_first = {2 * plan.kept_first.bytes(), plan.moving_rows, plan.dim};
  plan.moving_second = {plan.moving_first.base + plan.moving_first.bytes(), plan.moving_rows,
                        plan.dim};
  plan.registers = registers_of(plan);
  return plan;
}

}  // namespace tcsim::kernels
