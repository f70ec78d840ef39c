#include "workloads/kernels/attention/fused_forward.hpp"

#include <array>
#include <bit>
#include <cmath>

#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/attention/fused_epilogue.hpp"
#include "workloads/kernels/attention/fused_products.hpp"
#include "workloads/kernels/attention/fused_softmax.hpp"
#include "workloads/kernels/expression_math.hpp"

namespace tcsim::kernels {
namespace {

using isa::Opcode;
using isa::Variable;

constexpr int kHalfBytes = 2;   // strides and columns count units of 16 bits
constexpr int kSetupOps = 160;  // before the first copy (assumption: less than a GEMM's 210)
constexpr int kOpsPerCopy = 2;  // a 64-bit pointer increment
constexpr int kMaskedScore = static_cast<int>(0xff800000);  // minus infinity

/// MOV and integer instructions per key block besides the copies of the maxima and the pointer
/// increments: kernels.md 6.2 counts about 50 in all at dim 64 and 95 at dim 128; the others by
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
        work_(plan.registers.addresses, plan.registers.address_count(), true) {}

  isa::WarpProgram program() {
    prologue();
    const int masked = plan_.masked_blocks();
    for (int place = 0; place < masked; ++place) block(place, /*in_loop=*/false);
    isa::Expression trips = plan_.block_count();
    trips.constant -= masked;
    if (has_loop(trips)) {
      if (plan_.shortest_count() > masked)
        builder_.begin_loop();
      else
        builder_.begin_skippable_loop();
      block(masked, /*in_loop=*/true);
      builder_.end_loop(trips);
    }
    builder_.append(control(Opcode::kDepbar, 0));
    builder_.append(fused_epilogue(plan_, builder_, work_));
    return builder_.finish();
  }

 private:
  [[nodiscard]] bool has_loop(const isa::Expression& trips) const {
    return trips.constant > 0 || !trips.terms.empty();
  }

  void prologue() {
    for (int i = 0; i < 4; ++i) builder_.append(arithmetic(Opcode::kS2r, work_.pointer(i)));
    builder_.append(work_.setup_ops(kSetupOps));
    builder_.append(copies(plan_.shared_q, kQuery, plan_.query_origin(), plan_.query.row,
                           plan_.first_row(), plan_.rows % plan_.tile.rows != 0 ? plan_.rows : 0));
    builder_.append(key_copies(kKey, plan_.shared_k, 0, false));
    builder_.append(control(Opcode::kLdgdepbar));
    const auto scale = static_cast<float>(plan_.score_scale() / std::log(2.0));
    builder_.append(with_immediate(arithmetic(Opcode::kMov, reg(plan_.registers.scale)),
                                   std::bit_cast<std::int32_t>(scale)));
    for (int r = plan_.registers.bias; r < plan_.registers.products; ++r)
      builder_.append(with_immediate(arithmetic(Opcode::kMov, reg(r)), kIntegerBias));
    for (int r = plan_.registers.output; r < plan_.registers.scores; r += 2)
      builder_.append(arithmetic(Opcode::kCs2r, reg(r)));
  }

  /// Copies of one matrix; rows at or beyond `limit` (0: there are none) become zeros.
  Instructions copies(const SharedPanels& panels, int buffer, const isa::Expression& origin,
                      std::int64_t stride, const isa::Expression& first_row, std::int64_t limit,
                      const isa::Guard& guard = {}) {
    Instructions ops;
    const int index = builder_.guard(guard);
    for (int round = 0; round < panels.rounds(plan_.threads()); ++round) {
      const SharedPanels::Chunk chunk = panels.chunk(round, plan_.threads());
      isa::Expression row = first_row;
      add_scaled(row, chunk.row, 1);
      isa::Expression column = chunk.beyond;
      column.constant += chunk.first_column;
      isa::MemoryAccess access{.buffer = buffer,
                               .shared = panels.at(chunk.row, chunk.first_column, chunk.beyond)};
      add_scaled(access.global.offset, origin, kHalfBytes);
      add_scaled(access.global.offset, row, stride * kHalfBytes);
      add_scaled(access.global.offset, column, kHalfBytes);
      if (limit > 0) access.source.bounds.push_back({row, limit});
      if (chunk.first_column + panels.panel_columns() > plan_.stored_halves())
        access.source.bounds.push_back({column, plan_.stored_halves()});
      const Instructions advance = work_.advance_pointer(round, kOpsPerCopy);
      ops.insert(ops.end(), advance.begin(), advance.end());
      ops.push_back({.opcode = Opcode::kLdgsts128,
                     .src = {work_.pointer(round), work_.shared_store_address(), isa::kZeroRegister,
                             isa::kZeroRegister},
                     .access = builder_.access(std::move(access)),
                     .guard = index});
    }
    return ops;
  }

  /// K or V of the block in place `place`. Only the last block may reach beyond the keys.
  Instructions key_copies(int buffer, const SharedPanels& panels, int place, bool in_loop,
                          const isa::Guard& guard = {}) {
    isa::Expression first_key;
    add_scaled(first_key, plan_.block(place, in_loop), plan_.tile.keys);
    const bool may_end = place == 0 && !in_loop && plan_.problem.keys % plan_.tile.keys != 0;
    return copies(panels, buffer, plan_.key_origin(), plan_.key.row, first_key,
                  may_end ? plan_.problem.keys : 0, guard);
  }

  /// That a CTA has a block behind the one in place `place`.
  [[nodiscard]] isa::Guard has_next(int place, bool in_loop) const {
    if (!in_loop && plan_.shortest_count() > place + 1) return {};
    isa::Expression left = constant(place + 1);
    if (in_loop) add_term(left, {.variable = Variable::kLoop0, .coefficient = 1});
    add_scaled(left, plan_.block_count(), -1);
    return {{{left, 0}}};
  }

  void block(int place, bool in_loop) {
    const bool first = place == 0 && !in_loop;
    const Instructions values = key_copies(kValue, plan_.shared_v, place, in_loop);
    const Instructions next_keys =
        key_copies(kKey, plan_.shared_k, place + 1, in_loop, has_next(place, in_loop));
    const int overhead = overhead_ops(plan_, 2 * plan_.shared_k.rounds(plan_.threads()));
    wait_for_copies();
    Stream loads{values, 0, 40};
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

  void wait_for_copies() {
    builder_.append(control(Opcode::kDepbar, 0));
    builder_.append(control(Opcode::kBarSync));
  }

  /// Scores of keys beyond the last one, or behind the diagonal, become minus infinity.
  Instructions mask(int place) {
    Instructions ops;
    const bool tail = plan_.problem.keys % plan_.tile.keys != 0 && place == 0;
    if (!plan_.problem.causal && !tail) return ops;
    for (int n = 0; n < plan_.score_tiles(); ++n)
      for (int m = 0; m < plan_.m_tiles(); ++m)
        for (int part = 0; part < 4; ++part) {
          ops.push_back(arithmetic(Opcode::kIsetp, isa::kZeroRegister));
          isa::Instruction hide =
              with_immediate(arithmetic(Opcode::kMov, reg(plan_.score(m, n, part))), kMaskedScore);
          hide.guard = builder_.guard(hidden(place, m, n, part));
          ops.push_back(hide);
        }
    return ops;
  }

  /// The lanes whose key is hidden: limit - key < 0, the limit being the last key or the row's own.
  [[nodiscard]] isa::Guard hidden(int place, int m, int n, int part) const {
    isa::Expression slack = constant(plan_.problem.keys - 1);
    if (plan_.problem.causal) {
      slack = plan_.first_row();
      slack.constant += plan_.problem.keys - plan_.problem.queries +
                        std::int64_t{m} * FusedPlan::kMmaRows * plan_.tile.warps +
                        std::int64_t{8} * (part / 2);
      add_term(slack, {.variable = Variable::kWarp, .coefficient = FusedPlan::kMmaRows});
      add_field(slack, {Variable::kLane, 2, 3, 1});
    }
    add_scaled(slack, plan_.block(place, false), -plan_.tile.keys);
    slack.constant -= std::int64_t{n} * FusedPlan::kMmaColumns + part % 2;
    add_field(slack, {Variable::kLane, 0, 2, -2});
    return {{{slack, 0}}};
  }

  const FusedPlan& plan_;
  ProgramBuilder builder_;
  AddressWork work_;
};

}  // namespace

isa::WarpProgram fused_program(const FusedPlan& plan) { return FusedForward(plan).program(); }

}  // namespace tcsim::kernels
