#include "workloads/kernels/attention/fused_forward.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/attention/fused_copies.hpp"
#include "workloads/kernels/attention/fused_epilogue.hpp"
#include "workloads/kernels/attention/fused_products.hpp"
#include "workloads/kernels/attention/fused_quad_pairs.hpp"
#include "workloads/kernels/attention/fused_scales.hpp"
#include "workloads/kernels/attention/fused_softmax.hpp"
#include "workloads/kernels/attention/softmax_rows.hpp"
#include "workloads/kernels/attention/tile_numbers.hpp"
#include "workloads/kernels/expression_math.hpp"
#include "workloads/kernels/semaphore.hpp"

namespace tcsim::kernels {
namespace {

using isa::Opcode;
using isa::Variable;

constexpr int kFusedSetupOps = 160;  // before the first copy (assumption: less than a GEMM's 210)
constexpr int kQuadPairOverheadOps = 20;  // per key block, without copies and loops (assumption)

/// MOV and integer instructions per key block, without the copies of the maxima and the pointer
/// increments. kernels.md 6.2 counts about 50 in all at dim 64 and 95 at dim 128; the others are by
/// analogy (assumption).
int overhead_ops(const FusedPlan& plan, int copies) {
  const int counted = plan.dim > 64 ? 95 : 50;
  return std::max(0, counted - plan.thread_rows() - kOpsPerCopy * copies);
}

class FusedForward {
 public:
  explicit FusedForward(const FusedPlan& plan)
      : plan_(plan),
        builder_("main"),
        work_(plan.registers.addresses, plan.registers.address_count()),
        copies_(plan, builder_, work_) {}

  isa::WarpProgram program() {
    begin_kernel(builder_, work_, 4, {});
    if (!plan_.tile.is_persistent) {
      one_tile();
      return builder_.finish();
    }
    builder_.set_uniforms(plan_.uniforms());
    tell_tile();
    builder_.begin_outer_loop();
    one_tile();
    tell_tile();
    builder_.end_taking_loop(trips_in_turns(plan_.tiles(), plan_.ctas), plan_.tiles(),
                             reg(plan_.registers.number));
    return builder_.finish();
  }

 private:
  void one_tile() {
    prologue();
    const int masked = plan_.masked_blocks();
    isa::Expression trips = plan_.block_count();
    for (int place = 0; place < masked; ++place) add_scaled(trips, masked_block(place), -1);
    if (has_loop(trips)) {
      if (plan_.shortest_count() > masked)
        builder_.begin_loop();
      else
        builder_.begin_skippable_loop();
      block(masked, /*in_loop=*/true);
      builder_.end_loop(trips);
    }
    if (!plan_.is_staged()) builder_.append(control(Opcode::kDepbar, 0));
    if (plan_.tile.is_persistent)
      ask_for_number(builder_, reg(plan_.registers.number), work_.pointer(0), kPageTable + 1,
                     /*in_first_warp=*/true);
    builder_.append(fused_epilogue(plan_, builder_, work_));
  }

  /// The first warp looks up the sequence that the next number stands for and shares it with the
  /// other warps.
  void tell_tile() {
    const isa::Register number = reg(plan_.registers.number);
    const int place = builder_.access({.shared = {{plan_.number_place()}, {}}});
    const int one =
        builder_.guard({{{{0, {{Variable::kLane, 1}}}, 1}, {{0, {{Variable::kWarp, 1}}}, 1}}});
    isa::Expression first{1};
    add_behind_first_warp(first, plan_.tile.warps, -1);
    builder_.begin_skippable_loop();
    builder_.append(copies_.next_tile(plan_.ctas));
    builder_.end_loop(first);
    builder_.append(kernels::store(Opcode::kSts32, number, isa::kZeroRegister, place, one));
    builder_.append(control(Opcode::kBarSync));
    builder_.append(load(Opcode::kLds32, number, isa::kZeroRegister, place));
  }

  [[nodiscard]] bool has_loop(const isa::Expression& trips) const {
    return trips.constant > 0 || !trips.terms.empty() || !trips.quotients.empty();
  }

  /// How often (0 or 1) the block at a place before the loop exists: CTAs with fewer blocks skip
  /// it.
  isa::Expression masked_block(int place) {
    isa::Expression trips = plan_.has_place(place);
    const bool is_everywhere = place < plan_.shortest_count();
    if (!is_everywhere) builder_.begin_skippable_loop();
    block(place, /*in_loop=*/false);
    if (!is_everywhere) builder_.end_loop(trips);
    return trips;
  }

  void prologue() {
    if (plan_.is_paged())
      builder_.append(sequence_lengths(plan_, builder_, work_, plan_.registers.page));
    builder_.append(work_.setup_ops(kFusedSetupOps));
    if (plan_.is_staged())
      first_tiles();
    else
      first_copies();
    if (plan_.problem.has_block_scales) builder_.append(load_row_scales(plan_, builder_, work_));
    builder_.append(with_immediate(arithmetic(Opcode::kMov, reg(plan_.registers.scale)),
                                   fp32_literal(plan_.score_scale() / std::log(2.0))));
    for (int r = plan_.registers.bias; r < plan_.registers.products; ++r)
      builder_.append(with_immediate(arithmetic(Opcode::kMov, reg(r)), kIntegerBias));
    builder_.append(clear_registers(plan_.registers.output, plan_.registers.scores));
  }

  void first_copies() {
    builder_.append(copies_.query());
    if (plan_.tile.keeps_query) builder_.append(control(Opcode::kLdgdepbar));
    builder_.append(copies_.keys(kKey, 0, false));
    builder_.append(control(Opcode::kLdgdepbar));
    if (plan_.tile.keeps_query) keep_query();
  }

  /// Lanes beyond a tensor load nothing, so their registers must hold zeros.
  void first_tiles() {
    builder_.append(clear_registers(plan_.registers.output, plan_.registers.query));
    builder_.append(clear_registers(plan_.registers.staged, plan_.registers.addresses));
    builder_.append(copies_.query());
    builder_.append(copies_.keys(kKey, 0, false));
    builder_.append(copies_.staged_query());
    builder_.append(copies_.staged_keys(kKey));
    builder_.append(control(Opcode::kBarSync));
  }

  /// Loads Q into registers while K is in flight; V may take its place after that.
  void keep_query() {
    builder_.append(control(Opcode::kDepbar, 1));
    builder_.append(control(Opcode::kBarSync));
    builder_.append(kept_query(plan_, builder_, work_));
    builder_.append(control(Opcode::kBarSync));
  }

  /// True if the CTA has a block after the one at place `place`.
  [[nodiscard]] isa::Guard has_next(int place, bool in_loop) const {
    if (!in_loop && plan_.shortest_count() > place + 1) return {};
    isa::Expression left = constant(place + 1);
    if (in_loop) add_term(left, {.variable = Variable::kLoop0, .coefficient = 1});
    add_scaled(left, plan_.block_count(), -1);
    return {{{left, 0}}};
  }

  void block(int place, bool in_loop) {
    if (plan_.has_quad_pairs()) return quad_pair_block(place, in_loop);
    if (plan_.is_staged()) return staged_block(place, in_loop);
    const bool first = place == 0 && !in_loop;
    const Instructions values = copies_.keys(kValue, place, in_loop);
    const Instructions next_keys = copies_.keys(kKey, place + 1, in_loop, has_next(place, in_loop));
    const int overhead = overhead_ops(plan_, 2 * plan_.shared_k.rounds(plan_.threads()));
    wait_for_copies();
    Stream loads{values, 0, 40};
    if (plan_.problem.has_block_scales)
      builder_.append(load_key_scales(plan_, builder_, work_, place, in_loop));
    loads.instructions.push_back(control(Opcode::kLdgdepbar));
    builder_.append(
        place_in_gaps(score_products(plan_, builder_, work_),
                      std::array{loads, Stream{work_.vector_ops(overhead / 2), 40, 100}}));
    if (!in_loop) builder_.append(mask(place));
    wait_for_copies();
    builder_.append(next_keys);
    builder_.append(control(Opcode::kLdgdepbar));
    builder_.append(online_softmax(plan_, first, !in_loop && plan_.problem.causal));
    builder_.append(place_in_gaps(output_products(plan_, builder_, work_),
                                  std::array{Stream{work_.vector_ops(overhead - overhead / 2)}}));
  }

  /// V passes through registers during the first product, the next K during the softmax.
  void staged_block(int place, bool in_loop) {
    const bool first = place == 0 && !in_loop;
    const Instructions values = copies_.keys(kValue, place, in_loop);
    const Instructions next_keys = copies_.keys(kKey, place + 1, in_loop, has_next(place, in_loop));
    const int overhead = overhead_ops(plan_, 2 * plan_.shared_k.rounds(plan_.threads()));
    builder_.append(place_in_gaps(
        score_products(plan_, builder_, work_),
        std::array{Stream{values, 0, 40}, Stream{work_.vector_ops(overhead / 2), 40, 100}}));
    builder_.append(copies_.staged_keys(kValue));
    builder_.append(control(Opcode::kBarSync));
    if (!in_loop) builder_.append(mask(place));
    builder_.append(next_keys);
    builder_.append(online_softmax(plan_, first, !in_loop && plan_.problem.causal));
    builder_.append(place_in_gaps(output_products(plan_, builder_, work_),
                                  std::array{Stream{work_.vector_ops(overhead - overhead / 2)},
                                             Stream{copies_.staged_keys(kKey), 10, 60}}));
    builder_.append(control(Opcode::kBarSync));
  }

  /// The same, with products that are separate loops.
  void quad_pair_block(int place, bool in_loop) {
    const bool first = place == 0 && !in_loop;
    builder_.append(copies_.keys(kValue, place, in_loop));
    append_quad_pair_scores(plan_, builder_, work_);
    builder_.append(copies_.staged_keys(kValue));
    builder_.append(control(Opcode::kBarSync));
    if (!in_loop) builder_.append(mask(place));
    builder_.append(copies_.keys(kKey, place + 1, in_loop, has_next(place, in_loop)));
    builder_.append(online_softmax(plan_, first, !in_loop && plan_.problem.causal));
    builder_.append(stored_probabilities(plan_, builder_, work_));
    if (!plan_.stores_over_keys()) builder_.append(copies_.staged_keys(kKey));
    append_quad_pair_output(plan_, builder_, work_);
    if (plan_.stores_over_keys()) {
      builder_.append(control(Opcode::kBarSync));
      builder_.append(copies_.staged_keys(kKey));
    }
    builder_.append(work_.vector_ops(kQuadPairOverheadOps));
    builder_.append(control(Opcode::kBarSync));
  }

  void wait_for_copies() {
    builder_.append(control(Opcode::kDepbar, 0));
    builder_.append(control(Opcode::kBarSync));
  }

  /// Scores of keys after the last one, or beyond the diagonal, become minus infinity.
  Instructions mask(int place) {
    Instructions ops;
    const bool tail = plan_.problem.keys % plan_.tile.keys != 0 && place == 0;
    if (!plan_.problem.causal && !tail) return ops;
    for (int n = 0; n < plan_.score_tiles(); ++n)
      for (int m = 0; m < plan_.m_tiles(); ++m)
        for (int part = 0; part < 4; ++part) {
          ops.push_back(arithmetic(Opcode::kIsetp, isa::kZeroRegister));
          ops.push_back(hide_score(builder_, plan_.score(m, n, part), slack_of(place, m, n, part)));
        }
    return ops;
  }

  /// limit - key, where the limit is the last key or the row's own; negative in the lanes whose key
  /// is hidden.
  [[nodiscard]] isa::Expression slack_of(int place, int m, int n, int part) const {
    isa::Expression slack = constant(plan_.problem.keys - 1);
    if (plan_.problem.causal) {
      isa::Expression row = plan_.first_row();
      add_scaled(row, plan_.tile_row(2 * m + part / 2), 1);
      slack = plan_.query_of(row);
      slack.constant += plan_.problem.keys - plan_.problem.queries;
    }
    add_scaled(slack, plan_.block(place, false), -plan_.tile.keys);
    add_scaled(slack, plan_.score_key(n, part), -1);
    return slack;
  }

  const FusedPlan& plan_;
  ProgramBuilder builder_;
  AddressWork work_;
  FusedCopies copies_;
};

}  // namespace

isa::WarpProgram fused_program(const FusedPlan& plan) { return FusedForward(plan).program(); }

}  // namespace tcsim::kernels
