// The consumers of FlashAttention-3's backward kernel: the five products and the work between them.

#include <array>
#include <cmath>

#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/attention/gradient_output.hpp"
#include "workloads/kernels/attention/gradient_scores.hpp"
#include "workloads/kernels/attention/warpgroup_backward.hpp"
#include "workloads/kernels/warpgroup_launch.hpp"

namespace tcsim::kernels {
namespace {

using isa::BarrierOperand;
using isa::Expression;
using isa::kBarrierBytes;
using isa::kGroupRowBytes;
using isa::kGroupRows;
using isa::kGroupWarps;
using isa::Opcode;
using warpgroups::add_consumer;
using warpgroups::kRowBytes;
using warpgroups::meet;
using GradientPlan = WarpgroupBackwardPlan;

constexpr int kProductDepth = kGroupRowBytes / GradientPlan::kElementBytes;

class GradientConsumer {
 public:
  explicit GradientConsumer(const GradientPlan& plan)
      : plan_(plan),
        r_(plan.registers),
        builder_("consumer"),
        work_(r_.addresses, AddressWork::kFewestRegisters, /*has_uniform_datapath=*/true) {}

  isa::WarpProgram make() {
    emit_gradient_setup(plan_, builder_);
    warpgroups::take_registers(GradientPlan::kRegisters.consumer, builder_);
    builder_.set_uniforms(plan_.uniforms());
    builder_.append(with_immediate(arithmetic(Opcode::kMov, reg(r_.scale)),
                                   fp32_literal(score_scale() / std::log(2.0))));
    builder_.append(clear_registers(r_.key_gradient, r_.scores));
    builder_.append(Opcode::kSyncsTryWait,
                    BarrierOperand{{GradientPlan::barrier(GradientPlan::kKeysFull)}, {0}});
    steps();
    for (int i = 0; i < plan_.key_tile.registers(); ++i) {
      const int gradient = r_.key_gradient + i;
      builder_.append(with_literal(Opcode::kFmul, gradient, gradient, score_scale()));
    }
    meet(builder_, {GradientPlan::barrier(GradientPlan::kAllMeet)}, {0});
    emit_key_gradients(plan_, builder_);
    return builder_.finish();
  }

 private:
  [[nodiscard]] double score_scale() const {
    return 1 / std::sqrt(static_cast<double>(plan_.problem.dim));
  }
  void steps() {
    builder_.begin_loop();
    if (!plan_.separates_masks()) {
      one_step({0, {{GradientPlan::kStepLoop, 1}}}, plan_.problem.causal);
      return builder_.end_loop(plan_.steps());
    }
    one_step({0, {{GradientPlan::kStepLoop, 1}}}, /*is_masked=*/true);
    builder_.end_loop(Expression{0, {{GradientPlan::kMasked, 1}}});
    builder_.begin_skippable_loop();
    one_step({0, {{GradientPlan::kStepLoop, 1}, {GradientPlan::kMasked, 1}}}, /*is_masked=*/false);
    builder_.end_loop(Expression{0, {{GradientPlan::kSteps, 1}, {GradientPlan::kMasked, -1}}});
  }

  void one_step(const Expression& step, bool is_masked) {
    const StageRing ring = step_ring(step);
    GradientScores scores(plan_, builder_, step, work_.fragment_address_a());
    builder_.append(work_.balanced_ops(kStepOps / 2));
    wait_for(GradientPlan::kQueryFull, ring);
    row_products(ring, GradientPlan::keys(), plan_.queries(), r_.scores);
    builder_.append(scores.first_statistics(plan_.log_sums()));
    wait_for(GradientPlan::kGradientFull, ring);
    row_products(ring, plan_.values(), plan_.output_gradients(), r_.products);
    builder_.append(control(Opcode::kWarpgroupDepbar, 1));
    if (is_masked)
      builder_.append(scores.mask_future());
    else if (plan_.has_ragged_keys() && !plan_.problem.causal)
      builder_.append(scores.mask_end());
    builder_.append(place_in_gaps(scores.probabilities(), std::array{Stream{overhead()}}));
    builder_.append(scores.first_statistics(plan_.deltas()));
    builder_.append(control(Opcode::kWarpgroupDepbar, 0));
    builder_.append(scores.score_gradients());
    const int singles = plan_.rows() / 2;
    builder_.append(pack_pairs(plan_.problem.element, r_.scores, r_.scores, singles));
    builder_.append(pack_pairs(plan_.problem.element, packed_gradients(), r_.products, singles));
    stage_score_gradients(ring);
    gradients(ring);
  }

  void gradients(const StageRing& ring) {
    key_products(ring, r_.scores, plan_.output_gradients(), r_.value_gradient);
    builder_.append(control(Opcode::kFenceViewAsync));
    meet(builder_, {GradientPlan::barrier(GradientPlan::kScoresStored)},
         ring.phase_parity(/*opposite=*/false));
    query_products(ring);
    builder_.append(control(Opcode::kWarpgroupDepbar, 1));
    give_back(GradientPlan::kGradientEmpty, ring);
    key_products(ring, packed_gradients(), plan_.queries(), r_.key_gradient);
    builder_.append(control(Opcode::kWarpgroupDepbar, 1));
    hand_over_sums(ring);
    builder_.append(control(Opcode::kWarpgroupDepbar, 0));
    give_back(GradientPlan::kQueryEmpty, ring);
  }

  Instructions overhead() { return work_.balanced_ops(kStepOps - kStepOps / 2); }
  [[nodiscard]] int packed_gradients() const { return r_.scores + plan_.rows() / 4; }

  void wait_for(int full, const StageRing& ring) {
    builder_.append(Opcode::kSyncsTryWait,
                    BarrierOperand{ring.stage(GradientPlan::barrier(full), kBarrierBytes),
                                   ring.parity(/*opposite=*/false)});
  }
  void give_back(int empty, const StageRing& ring) {
    builder_.append(Opcode::kSyncsArrive,
                    BarrierOperand{ring.stage(GradientPlan::barrier(empty), kBarrierBytes), {}},
                    warpgroups::first_warp(builder_));
  }
  static isa::MatrixDescriptor descriptor(const Expression& start) {
    return {
        .start = start, .stride_bytes = warpgroups::kPatternBytes, .swizzle = warpgroups::kSwizzle};
  }
  /// A matrix whose rows lie along m or n.
  static isa::MatrixDescriptor turned(const Expression& start, int panel_bytes) {
    isa::MatrixDescriptor matrix = descriptor(start);
    matrix.leading_bytes = panel_bytes;
    matrix.transposed = true;
    return matrix;
  }
  /// Byte at which the columns of product `k` begin in a matrix whose rows lie along k.
  static int along_k(int k, int panel_bytes) {
    return k * kGroupRowBytes / kRowBytes * panel_bytes + k * kGroupRowBytes % kRowBytes;
  }
  /// Byte at which the rows of product `k` begin in a transposed matrix.
  static int rows_of_k(int k) { return k * kProductDepth * kRowBytes; }

  /// One of the `count` products of a group; if `clears` is true it clears its sums.
  void product(Opcode opcode, int sums, int a, const isa::MatrixOperands& operands, int k,
               int count, bool clears) {
    isa::Instruction product{.opcode = opcode, .dst = reg(sums)};
    product.src[0] = reg(a);
    product.src[2] = reg(sums);
    product.immediate =
        (clears && k == 0 ? isa::kClearsSums : 0) | (k + 1 == count ? isa::kClosesGroup : 0);
    product.access = builder_.async(operands);
    builder_.append(work_.uniform_ops(kDescriptorOps));
    builder_.append(product);
  }

  /// K Q^T or V dO^T: the consumer's keys by the queries of the step.
  void row_products(const StageRing& ring, int keys, int queries, int sums) {
    builder_.append(control(Opcode::kWarpgroupArrive));
    const int count = plan_.dim / kProductDepth;
    for (int k = 0; k < count; ++k) {
      isa::MatrixOperands operands{
          descriptor({keys + along_k(k, GradientPlan::key_panel_bytes())}),
          descriptor(
              ring.stage(queries + along_k(k, plan_.query_panel_bytes()), plan_.query_bytes()))};
      add_consumer(operands.a.start, std::int64_t{kGroupRows} * kRowBytes);
      product(plan_.score_product, sums, isa::kZeroRegister, operands, k, count, /*clears=*/true);
    }
  }

  /// P^T dO or dS^T Q, added to the gradients of the consumer's keys.
  void key_products(const StageRing& ring, int packed, int queries, int sums) {
    builder_.append(control(Opcode::kWarpgroupArrive));
    const int count = plan_.rows() / kProductDepth;
    for (int k = 0; k < count; ++k) {
      const isa::MatrixOperands operands{
          .b = turned(ring.stage(queries + rows_of_k(k), plan_.query_bytes()),
                      plan_.query_panel_bytes())};
      product(plan_.key_product, sums, packed + 4 * k, operands, k, count, /*clears=*/false);
    }
  }

  /// dS K for the CTA's keys, or K^T dS^T.
  void query_products(const StageRing& ring) {
    builder_.append(control(Opcode::kWarpgroupArrive));
    const int count = GradientPlan::kKeyRows / kProductDepth;
    for (int k = 0; k < count; ++k) {
      isa::MatrixDescriptor gradients = descriptor(
          ring.stage(plan_.scores() + along_k(k, plan_.query_panel_bytes()), plan_.score_bytes()));
      isa::MatrixDescriptor keys =
          turned({GradientPlan::keys() + rows_of_k(k)}, GradientPlan::key_panel_bytes());
      if (plan_.query_tile.share == SumTile::Share::kRows)
        add_consumer(gradients.start, std::int64_t{kGroupRows} * kRowBytes);
      else
        add_consumer(keys.start, GradientPlan::key_panel_bytes());
      const isa::MatrixOperands operands = plan_.query_tile.is_transposed()
                                               ? isa::MatrixOperands{keys, gradients}
                                               : isa::MatrixOperands{gradients, keys};
      product(plan_.query_product, r_.products, isa::kZeroRegister, operands, k, count,
              /*clears=*/true);
    }
  }

  void stage_score_gradients(const StageRing& ring) {
    Expression place = ring.stage(plan_.scores(), plan_.score_bytes());
    add_consumer(place, plan_.query_panel_bytes());
    builder_.append(stage_packed(builder_, packed_gradients(), plan_.rows(), place,
                                 plan_.query_panel_bytes(), /*transposed=*/true));
  }

  /// Hands the step's contribution to dQ to the warp that adds it.
  void hand_over_sums(const StageRing& ring) {
    builder_.append(Opcode::kSyncsTryWait,
                    BarrierOperand{consumer_barrier(GradientPlan::kSumsTaken),
                                   ring.phase_parity(/*opposite=*/true)});
    Expression place{plan_.query_sums()};
    add_consumer(place, plan_.query_tile.group_bytes());
    builder_.append(stage_sums(builder_, plan_.query_tile, r_.products, place));
    builder_.append(Opcode::kSyncsArrive,
                    BarrierOperand{consumer_barrier(GradientPlan::kSumsStored), {}});
  }

  static constexpr int kDescriptorOps = 4;  // as in the forward kernel
  // ALU and FMA instructions of a step. Counters of a run (hopper.md 10, b1 h24 s2048 d64 causal:
  // 19.95 M warp instructions) leave 140 for each of 26,112 steps of warps. Other tiles: the same
  // (assumption).
  static constexpr int kStepOps = 140;

  const GradientPlan& plan_;
  const WarpgroupBackwardRegisters& r_;
  ProgramBuilder builder_;
  AddressWork work_;
};

}  // namespace

isa::WarpProgram gradient_consumer(const GradientPlan& plan) {
  return GradientConsumer(plan).make();
}

}  // namespace tcsim::kernels
