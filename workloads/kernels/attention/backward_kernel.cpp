#include "workloads/kernels/attention/backward_kernel.hpp"

#include <array>
#include <cmath>

#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/attention/backward_epilogue.hpp"
#include "workloads/kernels/attention/backward_products.hpp"
#include "workloads/kernels/attention/softmax_rows.hpp"
#include "workloads/kernels/expression_math.hpp"

namespace tcsim::kernels {
namespace {

using isa::Opcode;
using isa::Variable;

constexpr int kBackwardSetupOps = 160;  // before the first copy (assumption: as forward)
// MOV and integer of a block (assumption: forward at dim 128).
constexpr int kBackwardOverheadOps = 96;

class BackwardKernel {
 public:
  explicit BackwardKernel(const BackwardPlan& plan)
      : plan_(plan),
        builder_("main"),
        work_(plan.registers.addresses, plan.registers.address_count()) {}

  isa::WarpProgram program() {
    prologue();
    const int masked = plan_.masked_blocks();
    masked_blocks(masked);
    isa::Expression trips = plan_.block_count();
    trips.constant -= masked;
    if (trips.constant > 0 || !trips.terms.empty()) {
      if (trips.terms.empty())
        builder_.begin_loop();
      else
        builder_.begin_skippable_loop();
      block(masked, /*in_loop=*/true, /*is_masked=*/false);
      builder_.end_loop(trips);
    }
    builder_.append(control(Opcode::kDepbar, 0));
    builder_.append(backward_epilogue(plan_, builder_, work_));
    return builder_.finish();
  }

 private:
  /// One block after another; those of the heads of a group in a loop.
  void masked_blocks(int count) {
    if (count > 0 && plan_.turns() > 1) {
      builder_.begin_loop();
      block(0, /*in_loop=*/true, /*is_masked=*/true);
      return builder_.end_loop(count);
    }
    for (int place = 0; place < count; ++place) block(place, /*in_loop=*/false, /*is_masked=*/true);
  }

  void prologue() {
    begin_kernel(builder_, work_, 4, work_.vector_ops(kBackwardSetupOps));
    const std::int64_t total = plan_.kept_total();
    const std::int64_t limit = total % BackwardPlan::kKeptRows != 0 ? total : 0;
    const Rows rows{plan_.kept_origin(), plan_.kept_stride(), plan_.first_row(), limit};
    builder_.append(copies(plan_.kept_first, {}, kKeptFirst, rows, {}));
    builder_.append(copies(plan_.kept_second, {}, kKeptSecond, rows, {}));
    builder_.append(moving_copies(0, false));
    builder_.append(control(Opcode::kLdgdepbar));
    builder_.append(with_immediate(
        arithmetic(Opcode::kMov, reg(plan_.registers.scale)),
        fp32_literal(1 / (std::sqrt(static_cast<double>(plan_.problem.dim)) * std::log(2.0)))));
    builder_.append(clear_registers(plan_.registers.first_gradient, plan_.registers.scores));
    if (!plan_.is_for_keys()) {
      builder_.append(load_statistics(0, false));
      builder_.append(negated_statistics());
    }
  }

  /// Rows of a tensor; rows from `limit` on become zeros (0: there is no limit).
  struct Rows {
    isa::Expression origin;
    std::int64_t stride;
    isa::Expression first;
    std::int64_t limit;
  };

  /// Copies of one matrix.
  Instructions copies(const SharedPanels& panels, const isa::Expression& stage, int buffer,
                      const Rows& rows, const isa::Guard& guard) {
    Instructions ops;
    const int index = builder_.guard(guard);
    for (int round = 0; round < panels.rounds(BackwardPlan::kThreads); ++round) {
      const SharedPanels::Chunk chunk = panels.chunk(round, BackwardPlan::kThreads);
      isa::Expression row = rows.first;
      add_scaled(row, chunk.row, 1);
      isa::MemoryAccess access{.buffer = buffer,
                               .shared = panels.at(chunk.row, chunk.first_column, chunk.beyond)};
      add_scaled(access.shared.offset, stage, 1);
      add_scaled(access.global.offset, rows.origin, SharedPanels::kElementBytes);
      add_scaled(access.global.offset, row, rows.stride * SharedPanels::kElementBytes);
      add_scaled(access.global.offset, chunk.column(), SharedPanels::kElementBytes);
      panels.bound(access.source, chunk, row, rows.limit, plan_.problem.dim);
      extend(ops, work_.advance_pointer(round, kOpsPerCopy));
      ops.push_back({.opcode = Opcode::kLdgsts128,
                     .src = {work_.pointer(round), work_.shared_store_address(), isa::kZeroRegister,
                             isa::kZeroRegister},
                     .access = builder_.access(std::move(access)),
                     .guard = index});
    }
    return ops;
  }

  /// Both moving matrices of the block at place `place`, if the CTA has one.
  Instructions moving_copies(int place, bool in_loop) {
    const std::int64_t total = plan_.moving_total();
    const std::int64_t limit = total % BackwardPlan::kKeptRows != 0 ? total : 0;
    isa::Expression left = constant(place);
    if (in_loop) add_term(left, {.variable = Variable::kLoop0, .coefficient = 1});
    add_scaled(left, plan_.block_count(), -1);
    const isa::Guard exists = place == 0 ? isa::Guard{} : isa::Guard{{{left, 0}}};
    isa::Expression first_row;
    add_scaled(first_row, plan_.block(place, in_loop), plan_.moving_rows);
    const isa::Expression stage = plan_.stage_offset(place, in_loop);
    const Rows rows{plan_.moving_origin(place, in_loop), plan_.moving_stride(), first_row, limit};
    Instructions ops = copies(plan_.moving_first, stage, kMovingFirst, rows, exists);
    extend(ops, copies(plan_.moving_second, stage, kMovingSecond, rows, exists));
    return ops;
  }

  void block(int place, bool in_loop, bool is_masked) {
    builder_.append(control(Opcode::kDepbar, 0));
    builder_.append(control(Opcode::kBarSync));
    const isa::Expression stage = plan_.stage_offset(place, in_loop);
    if (plan_.is_for_keys()) builder_.append(load_statistics(place, in_loop));
    Stream loads{moving_copies(place + 1, in_loop), 0, 80};
    loads.instructions.push_back(control(Opcode::kLdgdepbar));
    builder_.append(
        place_in_gaps(row_products(plan_, builder_, work_, plan_.kept_first, plan_.moving_first,
                                   stage, plan_.registers.scores),
                      std::array{loads, Stream{work_.vector_ops(kBackwardOverheadOps / 2)}}));
    if (is_masked) builder_.append(mask(place, in_loop));
    builder_.append(row_products(plan_, builder_, work_, plan_.kept_second, plan_.moving_second,
                                 stage, plan_.registers.products));
    if (plan_.is_for_keys()) builder_.append(negated_statistics());
    builder_.append(score_gradients());
    gradients(stage);
  }

  void gradients(const isa::Expression& stage) {
    const BackwardRegisters& r = plan_.registers;
    if (plan_.is_for_keys()) {
      builder_.append(pack_weights(plan_, r.scores));
      builder_.append(gradient_products(plan_, builder_, work_, r.scores, plan_.moving_second,
                                        stage, r.second_gradient));
    }
    builder_.append(pack_weights(plan_, r.products));
    builder_.append(place_in_gaps(
        gradient_products(plan_, builder_, work_, r.products, plan_.moving_first, stage,
                          r.first_gradient),
        std::array{Stream{work_.vector_ops(kBackwardOverheadOps - kBackwardOverheadOps / 2)}}));
  }

  [[nodiscard]] int statistics() const { return plan_.registers.deltas - plan_.registers.log_sums; }

  /// Row of Q of statistic `i` of a thread: a row of the tile or, for keys, a column of the block.
  [[nodiscard]] isa::Expression statistic_row(int i, int place, bool in_loop) const {
    isa::Expression row;
    if (!plan_.is_for_keys()) {
      row = plan_.first_row();
      row.constant += std::int64_t{i} * 8;
      add_term(row, {.variable = Variable::kWarp, .coefficient = BackwardPlan::kMmaRows});
      add_field(row, {Variable::kLane, 2, 3, 1});
      return row;
    }
    add_scaled(row, plan_.block(place, in_loop), plan_.moving_rows);
    row.constant += std::int64_t{i / 2} * BackwardPlan::kMmaColumns + i % 2;
    add_field(row, {Variable::kLane, 0, 2, 2});
    return row;
  }

  /// LSE and delta; zeros for rows beyond the last, whose Q and dO are zeros.
  Instructions load_statistics(int place, bool in_loop) {
    Instructions ops;
    const bool may_end = plan_.problem.queries % BackwardPlan::kKeptRows != 0;
    for (int i = 0; may_end && i < 2 * statistics(); ++i)
      ops.push_back(arithmetic(Opcode::kMov, reg(plan_.registers.log_sums + i)));
    for (int i = 0; i < statistics(); ++i) {
      const isa::Expression row = statistic_row(i, place, in_loop);
      isa::Guard guard;
      if (may_end) guard.bounds.push_back({row, plan_.problem.queries});
      isa::Address address;
      add_scaled(address.offset, plan_.row_origin(place, in_loop), 4);
      add_scaled(address.offset, row, 4);
      for (const auto& [buffer, to] : {std::pair<int, int>(kRowLogSums, plan_.registers.log_sums),
                                       std::pair<int, int>(kRowDeltas, plan_.registers.deltas)})
        ops.push_back(load(Opcode::kLdg32, reg(to + i), work_.pointer(i),
                           builder_.access({.buffer = buffer, .global = address}),
                           builder_.guard(guard)));
    }
    return ops;
  }

  [[nodiscard]] Instructions negated_statistics() const {
    Instructions ops;
    const auto multiply = [&](int first, double factor) {
      for (int i = 0; i < statistics(); ++i)
        ops.push_back(with_literal(Opcode::kFmul, first + i, first + i, factor));
    };
    multiply(plan_.registers.log_sums, -1 / std::log(2.0));
    multiply(plan_.registers.deltas, -1);
    return ops;
  }

  /// Scores become probabilities; products become the gradients of the scores.
  [[nodiscard]] Instructions score_gradients() const {
    const BackwardRegisters& r = plan_.registers;
    Stream exponentials{{}, 0, 85};
    Stream gradients{{}, 15, 100};
    for (int n = 0; n < plan_.score_tiles(); ++n)
      for (int part = 0; part < 4; ++part) {
        const isa::Register score = reg(BackwardPlan::part_of(r.scores, n, part));
        const isa::Register product = reg(BackwardPlan::part_of(r.products, n, part));
        const int row = plan_.is_for_keys() ? 2 * n + part % 2 : part / 2;
        exponentials.instructions.push_back(
            arithmetic(Opcode::kFfma, score, score, reg(r.scale), reg(r.log_sums + row)));
        exponentials.instructions.push_back(arithmetic(Opcode::kMufuEx2, score, score));
        gradients.instructions.push_back(
            arithmetic(Opcode::kFadd, product, product, reg(r.deltas + row)));
        gradients.instructions.push_back(arithmetic(Opcode::kFmul, product, score, product));
      }
    return merge_evenly(std::array{exponentials, gradients});
  }

  /// Scores of keys after the last one, or beyond the diagonal, become minus infinity.
  Instructions mask(int place, bool in_loop) {
    Instructions ops;
    for (int n = 0; n < plan_.score_tiles(); ++n)
      for (int part = 0; part < 4; ++part) {
        ops.push_back(arithmetic(Opcode::kIsetp, isa::kZeroRegister));
        ops.push_back(hide_score(builder_, BackwardPlan::part_of(plan_.registers.scores, n, part),
                                 slack_of(place, in_loop, n, part)));
      }
    return ops;
  }

  /// limit - key; negative in the lanes whose key is hidden.
  [[nodiscard]] isa::Expression slack_of(int place, bool in_loop, int n, int part) const {
    isa::Expression moving;
    add_scaled(moving, plan_.block(place, in_loop), plan_.moving_rows);
    moving.constant += std::int64_t{n} * BackwardPlan::kMmaColumns + part % 2;
    add_field(moving, {Variable::kLane, 0, 2, 2});
    isa::Expression slack;
    if (!plan_.problem.causal) {
      slack.constant = plan_.problem.keys - 1;
      add_scaled(slack, moving, -1);
      return slack;
    }
    isa::Expression kept = plan_.first_row();
    kept.constant += std::int64_t{part} / 2 * 8;
    add_term(kept, {.variable = Variable::kWarp, .coefficient = BackwardPlan::kMmaRows});
    add_field(kept, {Variable::kLane, 2, 3, 1});
    add_scaled(slack, kept, plan_.is_for_keys() ? -1 : 1);
    add_scaled(slack, moving, plan_.is_for_keys() ? 1 : -1);
    return slack;
  }

  const BackwardPlan& plan_;
  ProgramBuilder builder_;
  AddressWork work_;
};

}  // namespace

isa::WarpProgram backward_program(const BackwardPlan& plan) {
  return BackwardKernel(plan).program();
}

}  // namespace tcsim::kernels
