#include "workloads/kernels/attention/warpgroup_forward_plan.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "models/isa/cycle.hpp"
#include "models/isa/group_mma.hpp"
#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/attention/fused_copies.hpp"
#include "workloads/kernels/attention/tile_numbers.hpp"
#include "workloads/kernels/cta_room.hpp"

namespace tcsim::kernels {
namespace {

using isa::Expression;
using isa::Quotient;
using isa::Term;
using isa::Variable;
using Plan = WarpgroupForwardPlan;

constexpr int kFirstRegister = 4;  // below: CTA and thread numbers

WarpgroupRegisters place_registers(const Plan& plan) {
  WarpgroupRegisters r;
  int next = kFirstRegister;
  const auto take = [&next](int count) {
    const int first = next;
    next += count;
    return first;
  };
  r.output = take(plan.output_registers());
  r.scores = take(plan.score_registers());
  r.probabilities =
      take(plan.tile.probabilities_in_shared ? 0 : plan.score_registers() * plan.bytes() / 4);
  r.maximum = take(Plan::kThreadRows);
  r.sum = take(Plan::kThreadRows);
  r.factor = take(Plan::kThreadRows);
  r.negative = take(Plan::kThreadRows);
  r.shuffled = take(Plan::kThreadRows);
  r.scale = take(1);
  r.negative_scale = take(plan.problem.has_head_scales ? 1 : 0);
  next += next % 2;
  r.addresses = take(AddressWork::kFewestRegisters);
  r.total = next;
  return r;
}

/// Heads whose K and V take 32 MiB of the L2, a power of two, times those that share them
/// (hopper/tile_scheduler.hpp of FlashAttention-3, DynamicPersistentTileScheduler).
std::int64_t heads_of_section(const AttentionProblem& problem) {
  constexpr std::int64_t kL2Bytes = std::int64_t{32} << 20;
  const std::int64_t bytes = problem.keys * 2 * problem.dim * element_bytes(problem.element);
  const auto heads = static_cast<std::int64_t>(
      std::bit_floor(static_cast<std::uint64_t>(std::max<std::int64_t>(1, kL2Bytes / bytes))));
  return heads * (problem.heads / problem.kv_heads);
}

isa::GroupFormats formats_of(const AttentionProblem& problem) {
  GemmProblem product;
  product.input = problem.element;
  product.accumulate = Element::kFp32;
  return *warpgroups::formats_of(product);
}

}  // namespace

std::int64_t WarpgroupForwardPlan::blocks_of(std::int64_t row_block) const {
  if (!problem.causal) return common.blocks_per_split();
  const std::int64_t last_query =
      (std::min((row_block + 1) * tile.rows, common.rows) - 1) / common.group_rows;
  return ceil_div<std::int64_t>(last_query + 1 + problem.keys - problem.queries,
                                std::int64_t{tile.keys} * tile.splits);
}

Expression WarpgroupForwardPlan::block(const Expression& step) const {
  Expression block{-block_stride() * (1 + step.constant), {{kBlocks, block_stride()}}};
  for (Term term : step.terms) {
    term.coefficient *= -block_stride();
    block.terms.push_back(term);
  }
  if (is_partial())
    block.terms.push_back(common.split_axis.term(problem.causal ? 1 : common.blocks_per_split()));
  return block;
}

Expression WarpgroupForwardPlan::first_key(const Expression& step) const {
  Expression key = block(step);
  key.constant *= tile.keys;
  for (Term& term : key.terms) term.coefficient *= tile.keys;
  return key;
}

isa::TileSwizzle WarpgroupForwardPlan::widest_swizzle(int bytes) {
  using isa::TileSwizzle;
  for (const TileSwizzle swizzle : {TileSwizzle::k128, TileSwizzle::k64})
    if (bytes % isa::row_bytes(swizzle) == 0) return swizzle;
  return TileSwizzle::k32;
}

// Of sixteen columns, transposed V has 0, 8, 2, 10, 4, 12, 6 and 14 before 1, 9, 3, ...
std::array<int, 2> WarpgroupForwardPlan::output_pair(int index) const {
  constexpr int kEight = 4;  // registers of eight columns
  if (!transposes_values()) return {index, index + 1};
  const int half = index / kEight % 2;
  const int even = index - half * kEight + half;
  return {even, even + kEight};
}

double WarpgroupForwardPlan::score_scale() const {
  return 1 / std::sqrt(static_cast<double>(problem.dim));
}

std::int32_t WarpgroupForwardPlan::softmax_scale() const {
  return fp32_literal(score_scale() / std::log(2.0));
}

int WarpgroupForwardPlan::counter() const {
  if (keys_by_threads()) return kPageTable + 1;
  return problem.has_head_scales ? kValueScales + 1 : kLogSum + 1;
}

Expression WarpgroupForwardPlan::block_count() const {
  if (!problem.causal && !is_partial()) return {common.key_blocks()};
  if (!problem.causal)  // the last split may have fewer
    return {0,
            {},
            {{.constant = common.key_blocks(),
              .terms = {common.split_axis.term(-common.blocks_per_split())},
              .most = common.blocks_per_split()}}};
  // For the query of the last row.
  const std::int64_t stride = tile.keys * block_stride();
  const std::int64_t beyond = common.group_rows * (problem.keys - problem.queries + stride);
  return {0,
          {},
          {{.constant = tile.rows - 1 + beyond,
            .terms = {{kRowBlock, tile.rows}},
            .divisor = static_cast<std::uint32_t>(common.group_rows * stride),
            .most = common.rows - 1 + beyond}}};
}

// Blocks from the block of the last key that the first row sees.
Expression WarpgroupForwardPlan::masked_count() const {
  return {
      -1,
      {{kBlocks, 1}},
      {{.coefficient = -1,
        .constant = common.group_rows * (problem.keys - problem.queries),
        .terms = {{kRowBlock, tile.rows}},
        .divisor = static_cast<std::uint32_t>(common.group_rows * tile.keys * block_stride())}}};
}

std::vector<Expression> WarpgroupForwardPlan::uniforms() const {
  const auto u32 = [](std::int64_t value) { return static_cast<std::uint32_t>(value); };
  std::vector<Expression> all{number_in_turns(grid)};
  const std::int64_t splits = tile.splits;
  if (problem.causal) {
    // Sections of heads. In each section, the row blocks with the most keys come first, for all its
    // heads.
    const std::int64_t heads = heads_together / splits;
    all.push_back({row_blocks - 1, {{kNumber, -1, u32(heads_together), u32(row_blocks)}}});
    all.push_back({0,
                   {{kNumber, 1, u32(splits), u32(heads)},
                    {kNumber, heads, u32(heads_together * row_blocks)}}});
  } else {
    all.push_back({0, {{kNumber, 1, 1, u32(row_blocks)}}});
    all.push_back({0, {{kNumber, 1, u32(row_blocks * splits)}}});
  }
  all.push_back(block_count());
  all.push_back({0, {{kBlocks, 1}, {kBlocksEnd, 1}}});
  if (problem.causal) all.push_back(masked_count());
  return all;
}

WarpgroupForwardPlan plan_warpgroup_forward(const AttentionProblem& problem, const FusedTile& tile,
                                            const Target& target) {
  WarpgroupForwardPlan plan;
  plan.problem = problem;
  plan.tile = tile;
  plan.common = plan_fused(problem, tile, target);
  plan.dim = plan.common.dim;
  plan.score_product = *isa::group_mma_opcode(formats_of(problem), tile.keys, false);
  plan.output_product =
      *isa::group_mma_opcode(formats_of(problem), plan.dim, !tile.probabilities_in_shared);
  plan.row_blocks = plan.common.row_blocks();
  const std::int64_t heads = problem.batch * plan.common.heads;
  // All sections are equal here: the number of heads per section divides all heads.
  plan.heads_together = std::min(heads, heads_of_section(problem) / plan.common.group_rows);
  while (heads % plan.heads_together != 0) --plan.heads_together;
  plan.heads_together *= tile.splits;
  plan.tiles = plan.row_blocks * heads * tile.splits;
  plan.grid = std::min<std::int64_t>(plan.tiles, target.sms);
  plan.registers = place_registers(plan);
  plan.common.shared_q.base = Plan::query();
  plan.common.shared_k.base = plan.keys();
  plan.common.shared_v.base = plan.loaded_values();
  return plan;
}

std::string why_not_warpgroup_forward(const AttentionProblem& problem, const FusedTile& tile,
                                      const Target& target) {
  if (!target.features.warpgroups)
    return "the warp-specialised kernel needs wgmma, TMA and mbarriers, which " +
           target.architecture + " lacks";
  const bool is_8_bit = problem.element == Element::kE4m3;
  if (!is_16_bit(problem.element) && !is_8_bit)
    return "the warp-specialised kernel supports fp16, bf16 and e4m3";
  constexpr std::int64_t kLargestDim = 256;
  constexpr int kRowStep = 16;  // bytes, of the rows of a tensor map
  const int step = kRowStep / element_bytes(problem.element);
  if (problem.dim > kLargestDim || problem.dim % step != 0)
    return "the warp-specialised kernel needs head sizes that are multiples of " +
           std::to_string(step) + " up to 256";
  if (is_8_bit && (tile.probabilities_in_shared || tile.keys % isa::kGroupRowBytes != 0))
    return "tiles of e4m3 need probabilities in registers and a multiple of 32 keys";
  constexpr int kRowsAtOnce = 16;  // that the threads of a warpgroup copy
  if (problem.algorithm == AttentionAlgorithm::kPaged && tile.keys % kRowsAtOnce != 0)
    return "tiles of pages need a multiple of 16 keys";
  const WarpgroupForwardPlan plan = plan_warpgroup_forward(problem, tile, target);
  const int registers = plan.register_budget().consumer;
  if (plan.registers.total > registers)
    return "the tile needs " + std::to_string(plan.registers.total) +
           " registers in a thread, a consumer has " + std::to_string(registers);
  const std::string reason = why_no_room({.registers_per_thread = plan.register_budget().launch,
                                          .shared_bytes = plan.shared_bytes(),
                                          .warps = isa::kGroupWarps * (1 + plan.consumers())},
                                         target);
  return reason.empty() ? reason : "the tile " + reason;
}

}  // namespace tcsim::kernels
