// The consumers of FlashAttention-3's forward kernel: products, masks and softmax.

#include <array>

#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/attention/fused_copies.hpp"
#include "workloads/kernels/attention/softmax_rows.hpp"
#include "workloads/kernels/attention/tile_scheduler.hpp"
#include "workloads/kernels/attention/warpgroup_forward.hpp"
#include "workloads/kernels/attention/warpgroup_output.hpp"
#include "workloads/kernels/attention/warpgroup_softmax.hpp"
#include "workloads/kernels/expression_math.hpp"
#include "workloads/kernels/warpgroup_launch.hpp"

namespace tcsim::kernels {
namespace {

using isa::BarrierOperand;
using isa::Expression;
using isa::kBarrierBytes;
using isa::kGroupRowBytes;
using isa::kGroupWarps;
using isa::Opcode;
using isa::Variable;
using warpgroups::add_consumer;
using warpgroups::kRowBytes;
using Plan = WarpgroupForwardPlan;

// Instructions of compiled code that the algorithm does not name. Counters of a run (hopper.md 10,
// b1 h24 s2048 d64 causal: 14.48 M warp instructions, of which MUFU 1.927 M and HGMMA 0.349 M as
// here, 27.3 % of the ALU's cycles and 16.9 % of the FMA pipe's) leave 98 per block of keys and
// warp: about 25 each for ALU and FMA, the rest uniform. Four words of descriptors for each of 12
// products are 48. Other tiles: the same numbers (assumption).
constexpr int kDescriptorOps = 4;
constexpr int kBlockOps = 50;

class Consumer {
 public:
  explicit Consumer(const Plan& plan)
      : plan_(plan),
        r_(plan.registers),
        builder_("consumer"),
        work_(r_.addresses, AddressWork::kFewestRegisters, /*has_uniform_datapath=*/true),
        scheduler_(plan, builder_, reg(r_.shuffled), /*is_loading=*/false) {}

  isa::WarpProgram make() {
    emit_attention_setup(plan_, builder_);
    warpgroups::take_registers(plan_.register_budget().consumer, builder_);
    builder_.set_uniforms(plan_.uniforms());
    if (!plan_.problem.has_head_scales)
      builder_.append(
          with_immediate(arithmetic(Opcode::kMov, reg(r_.scale)), plan_.softmax_scale()));
    scheduler_.begin_loop();
    if (plan_.problem.has_head_scales) load_scales();
    if (plan_.keys_by_threads())
      builder_.append(sequence_lengths(plan_.common, builder_, work_, r_.shuffled));
    builder_.append(clear_registers(r_.output, r_.output + plan_.output_registers()));
    first_block();
    steps();
    builder_.append(Opcode::kSyncsArrive, BarrierOperand{{Plan::barrier(Plan::kQueryEmpty)}, {}},
                    first_warp());
    const Expression last{-1, {{Plan::kBlocks, 1}}};
    wait_for(Plan::kValueFull, last);
    output_products(last);
    if (plan_.problem.has_head_scales) load_scale(kValueScales, r_.negative);
    builder_.append(control(Opcode::kWarpgroupDepbar, 0));
    give_back(Plan::kValueEmpty, last);
    finish_tile(plan_, builder_, work_);
    scheduler_.end_loop();
    builder_.append(control(Opcode::kDepbar, 0));
    return builder_.finish();
  }

 private:
  int first_warp() { return warpgroups::first_warp(builder_); }

  /// Loads the FP32 scale of the head of K and V from `buffer`.
  void load_scale(FusedBuffer buffer, int to) {
    constexpr int kSingleBytes = 4;
    const auto group = static_cast<std::uint32_t>(plan_.common.kv_group);
    isa::MemoryAccess access{.buffer = buffer};
    access.global.offset.terms = {{Plan::kHead, kSingleBytes, group}};
    builder_.append(
        load(Opcode::kLdg32, reg(to), isa::kZeroRegister, builder_.access(std::move(access))));
  }

  /// Multiplies the scale of the scores by the scales of Q and K.
  void load_scales() {
    const isa::Register scale = reg(r_.scale);
    load_scale(kQueryScales, r_.shuffled);
    load_scale(kKeyScales, r_.shuffled + 1);
    builder_.append(arithmetic(Opcode::kFmul, scale, reg(r_.shuffled), reg(r_.shuffled + 1)));
    builder_.append(with_immediate(arithmetic(Opcode::kFmul, scale, scale), plan_.softmax_scale()));
    builder_.append(with_literal(Opcode::kFmul, r_.negative_scale, scale, -1));
  }

  void first_block() {
    builder_.append(Opcode::kSyncsTryWait,
                    BarrierOperand{{Plan::barrier(Plan::kQueryFull)}, tile_parity(false)});
    wait_for(Plan::kKeyFull, {0});
    if (plan_.rows_by_threads() && !plan_.keys_by_threads())
      builder_.append(control(Opcode::kFenceViewAsync));
    score_products({0});
    builder_.append(control(Opcode::kWarpgroupDepbar, 0));
    give_back(Plan::kKeyEmpty, {0});
    if (plan_.problem.causal || plan_.has_ragged_keys()) mask({0});
    builder_.append(work_.balanced_ops(kBlockOps / 2));
    soften(/*first=*/true, plan_.problem.causal);
    take_probabilities();
  }

  /// The other blocks: first the masked ones, then the rest.
  void steps() {
    Expression others{-1, {{Plan::kBlocks, 1}}};
    Expression step{1, {{Plan::kStepLoop, 1}}};
    if (plan_.problem.causal) {
      builder_.begin_skippable_loop();
      one_step(step, /*is_masked=*/true);
      builder_.end_loop(Expression{0, {{Plan::kMasked, 1}}});
      others.terms.push_back({Plan::kMasked, -1});
      step.terms.push_back({Plan::kMasked, 1});
      builder_.begin_skippable_loop();
    } else {
      if (plan_.blocks_of(0) == 1) return;
      if (plan_.common.shortest_count() > 1)
        builder_.begin_loop();
      else
        builder_.begin_skippable_loop();
    }
    one_step(step, /*is_masked=*/false);
    builder_.end_loop(others);
  }

  /// Issues the scores of block `step` and the output of the block before it together; the softmax
  /// of the former overlaps the latter.
  void one_step(const Expression& step, bool is_masked) {
    Expression before = step;
    before.constant -= 1;
    builder_.append(work_.balanced_ops(kBlockOps / 2));
    wait_for(Plan::kKeyFull, step);
    if (plan_.takes_turns()) wait_for_turn(before);
    score_products(step);
    wait_for(Plan::kValueFull, before);
    output_products(before);
    if (plan_.takes_turns()) hand_over_turn();
    builder_.append(control(Opcode::kWarpgroupDepbar, 1));
    give_back(Plan::kKeyEmpty, step);
    if (is_masked) mask(step);
    soften(/*first=*/false, is_masked);
    builder_.append(control(Opcode::kWarpgroupDepbar, 0));
    give_back(Plan::kValueEmpty, before);
    take_probabilities();
    builder_.append(rescale_output(plan_));
  }

  void soften(bool first, bool may_be_masked) {
    builder_.append(
        place_in_gaps(warpgroup_softmax(plan_, first, may_be_masked),
                      std::array{Stream{work_.balanced_ops(kBlockOps - kBlockOps / 2)}}));
  }

  /// Waits for mbarrier `first` + (the stage of step `step`). Products need a fence before they
  /// read what threads have copied.
  void wait_for(int first, const Expression& step) {
    const StageRing ring = key_ring(step);
    builder_.append(
        Opcode::kSyncsTryWait,
        BarrierOperand{ring.stage(Plan::barrier(first), kBarrierBytes), ring.parity(false)});
    if (plan_.keys_by_threads()) builder_.append(control(Opcode::kFenceViewAsync));
  }
  void give_back(int first, const Expression& step) {
    builder_.append(Opcode::kSyncsArrive,
                    BarrierOperand{key_ring(step).stage(Plan::barrier(first), kBarrierBytes), {}},
                    first_warp());
  }

  /// Each consumer waits for the one before it; the first one begins. Turns so far: those of the
  /// previous tiles, one fewer than their blocks each, and `before` of this tile.
  void wait_for_turn(const Expression& before) {
    Expression address{Plan::barrier(Plan::kTurn)};
    add_consumer(address, kBarrierBytes);
    std::vector<isa::Term> turns{{Plan::kBlocksEnd, 1},
                                 {Plan::kBlocks, -1},
                                 {Plan::kTileLoop, -1},
                                 // 1 for the first consumer, whose phases end one turn earlier, 2
                                 // for the others.
                                 {Variable::kWarp, 1, 2 * kGroupWarps, 0, kGroupWarps * 2}};
    turns.insert(turns.end(), before.terms.begin(), before.terms.end());
    builder_.append(
        Opcode::kSyncsTryWait,
        BarrierOperand{address, {0, {}, {warpgroups::divided(1, before.constant, turns, 1, 2)}}});
  }
  void hand_over_turn() {
    Expression address{Plan::barrier(Plan::kTurn)};
    address.terms.push_back({Variable::kWarp, kBarrierBytes, kGroupWarps,
                             static_cast<std::uint32_t>(plan_.consumers())});
    builder_.append(Opcode::kSyncsArrive, BarrierOperand{address, {}}, first_warp());
  }

  /// S = Q K^T of block `step`, one group.
  void score_products(const Expression& step) {
    const StageRing ring = key_ring(step);
    builder_.append(control(Opcode::kWarpgroupArrive));
    const int count = plan_.dim / plan_.product_depth();
    const int row_bytes = plan_.panel_row_bytes();
    for (int k = 0; k < count; ++k) {
      const int panel = k * kGroupRowBytes / row_bytes;
      const int in_row = k * kGroupRowBytes % row_bytes;
      isa::MatrixDescriptor q = descriptor(
          {Plan::query() + panel * plan_.tile.rows * row_bytes + in_row}, plan_.swizzle());
      add_consumer(q.start, std::int64_t{isa::kGroupRows} * row_bytes);
      const isa::MatrixDescriptor keys =
          descriptor(ring.stage(plan_.keys() + panel * plan_.tile.keys * row_bytes + in_row,
                                plan_.block_bytes()),
                     plan_.swizzle());
      isa::Instruction product{.opcode = plan_.score_product, .dst = reg(r_.scores)};
      product.src[2] = reg(r_.scores);
      product.immediate =
          (k == 0 ? isa::kClearsSums : 0) | (k + 1 == count ? isa::kClosesGroup : 0);
      product.access = builder_.async(isa::MatrixOperands{q, keys});
      builder_.append(work_.uniform_ops(kDescriptorOps));
      builder_.append(product);
    }
  }

  /// O += P V of block `step`, one group.
  void output_products(const Expression& step) {
    const StageRing ring = key_ring(step);
    if (plan_.tile.probabilities_in_shared)
      builder_.append(Opcode::kSyncsTryWait,
                      BarrierOperand{probabilities_stored(), ring.phase_parity(false)});
    builder_.append(control(Opcode::kWarpgroupArrive));
    const int count = plan_.tile.keys / plan_.product_depth();
    for (int k = 0; k < count; ++k) {
      const isa::MatrixDescriptor values =
          plan_.transposes_values() ? transposed_values(ring, k) : values_as_loaded(ring, k);
      isa::Instruction product{.opcode = plan_.output_product, .dst = reg(r_.output)};
      product.src[2] = reg(r_.output);
      product.immediate = k + 1 == count ? isa::kClosesGroup : 0;
      isa::MatrixOperands operands{.b = values};
      if (plan_.tile.probabilities_in_shared)
        operands.a = probabilities(k);
      else
        product.src[0] = reg(r_.probabilities + 4 * k);
      product.access = builder_.async(operands);
      builder_.append(work_.uniform_ops(kDescriptorOps));
      builder_.append(product);
    }
  }

  static isa::MatrixDescriptor descriptor(const Expression& start, isa::TileSwizzle swizzle) {
    return {.start = start, .stride_bytes = isa::pattern_bytes(swizzle), .swizzle = swizzle};
  }

  /// V of the keys of product `k`: a row of keys for each column of O.
  [[nodiscard]] isa::MatrixDescriptor transposed_values(const StageRing& ring, int k) const {
    const int row_bytes = isa::row_bytes(plan_.transposed_swizzle());
    const int panel = k * kGroupRowBytes / row_bytes;
    const int in_row = k * kGroupRowBytes % row_bytes;
    return descriptor(
        ring.stage(plan_.values() + panel * plan_.dim * row_bytes + in_row, plan_.block_bytes()),
        plan_.transposed_swizzle());
  }
  /// The same as a row for each key.
  [[nodiscard]] isa::MatrixDescriptor values_as_loaded(const StageRing& ring, int k) const {
    isa::MatrixDescriptor values = descriptor(
        ring.stage(plan_.values() + k * plan_.product_depth() * kRowBytes, plan_.block_bytes()),
        plan_.swizzle());
    values.leading_bytes = plan_.tile.keys * kRowBytes;
    values.transposed = true;
    return values;
  }

  [[nodiscard]] isa::MatrixDescriptor probabilities(int k) const {
    const int panel = k * kGroupRowBytes / kRowBytes;
    const int in_row = k * kGroupRowBytes % kRowBytes;
    isa::MatrixDescriptor p = descriptor(
        {plan_.probabilities() + panel * Plan::kGroupPanelBytes + in_row}, warpgroups::kSwizzle);
    add_consumer(p.start, plan_.probability_bytes());
    return p;
  }

  void take_probabilities() {
    builder_.append(pack_probabilities(plan_));
    if (!plan_.tile.probabilities_in_shared) return;
    Expression place{plan_.probabilities()};
    add_consumer(place, plan_.probability_bytes());
    for (int i = 0; i < plan_.score_registers(); i += 2)
      stage_pair(place, i, r_.scores + i, builder_);
    builder_.append(control(Opcode::kFenceViewAsync));
    builder_.append(Opcode::kSyncsArrive, BarrierOperand{probabilities_stored(), {}});
  }

  static Expression probabilities_stored() {
    Expression address{Plan::barrier(Plan::kProbabilitiesStored)};
    add_consumer(address, kBarrierBytes);
    return address;
  }

  /// Scores of keys after the last one, or beyond the diagonal, become minus infinity.
  void mask(const Expression& step) {
    for (int i = 0; i < plan_.score_registers(); ++i) {
      builder_.append(arithmetic(Opcode::kIsetp, isa::kZeroRegister));
      Expression slack{plan_.problem.keys - 1};
      std::int64_t rows_of_key = 1;
      if (plan_.problem.causal) {  // all rows of a query see the same keys
        rows_of_key = plan_.common.group_rows;
        slack = row_of_thread(plan_, i / 2 % 2);
        slack.constant += rows_of_key * (plan_.problem.keys - plan_.problem.queries);
      }
      Expression key = plan_.first_key(step);
      key.constant += i / 4 * 8 + i % 2;
      key.terms.push_back({Variable::kLane, 2, 1, 4});
      add_scaled(slack, key, -rows_of_key);
      builder_.append(hide_score(builder_, r_.scores + i, slack));
    }
  }

  const Plan& plan_;
  const WarpgroupRegisters& r_;
  ProgramBuilder builder_;
  AddressWork work_;
  TileScheduler scheduler_;
};

}  // namespace

isa::WarpProgram attention_consumer(const Plan& plan) { return Consumer(plan).make(); }

}  // namespace tcsim::kernels
