#include "workloads/kernels/attention/warpgroup_output.hpp"

#include <cmath>
#include <utility>

#include "workloads/kernels/attention/fused_copies.hpp"
#include "workloads/kernels/attention/warpgroup_forward.hpp"
#include "workloads/kernels/attention/warpgroup_softmax.hpp"
#include "workloads/kernels/expression_math.hpp"
#include "workloads/kernels/warpgroup_launch.hpp"

namespace tcsim::kernels {
namespace {

using isa::BarrierOperand;
using isa::Expression;
using isa::kBarrierBytes;
using isa::kGroupWarps;
using isa::Opcode;
using isa::Variable;
using warpgroups::add_consumer;
using warpgroups::kRowBytes;
using Plan = WarpgroupForwardPlan;

class TileOutput {
 public:
  TileOutput(const Plan& plan, ProgramBuilder& builder, AddressWork& work)
      : plan_(plan), r_(plan.registers), builder_(builder), work_(work) {}

  void finish() {
    builder_.append(sum_rows(plan_));
    if (plan_.problem.causal && plan_.is_partial()) bound_sums();
    for (int row = 0; row < Plan::kThreadRows; ++row)
      builder_.append(arithmetic(Opcode::kMufuRcp, reg(r_.factor + row), reg(r_.sum + row)));
    for (int row = 0; plan_.problem.has_head_scales && row < Plan::kThreadRows; ++row)
      builder_.append(
          arithmetic(Opcode::kFmul, reg(r_.factor + row), reg(r_.factor + row), reg(r_.negative)));
    store_logarithms();
    builder_.append(rescale_output(plan_));
    if (plan_.stages_output()) return store_through_shared();
    if (plan_.transposes_values()) order_columns();
    store_part();
  }

 private:
  /// A row that sees no key of its split has the sum 0 and must become zeros, not 0 / 0.
  void bound_sums() {
    for (int row = 0; row < Plan::kThreadRows; ++row)
      builder_.append(with_literal(Opcode::kFmnmx, r_.sum + row, r_.sum + row, kLeastSum));
  }

  void store_through_shared() {
    for (int i = 0; i < plan_.output_registers(); i += 2) {
      const auto [left, right] = plan_.output_pair(i);
      builder_.append(packed(plan_, r_.output + i, r_.output + left, r_.output + right));
    }
    // All consumers have read V, which O replaces.
    warpgroups::meet(builder_, {Plan::barrier(Plan::kValuesRead)}, tile_parity(false));
    Expression place{plan_.values()};
    add_consumer(place, std::int64_t{plan_.output_panels()} * Plan::kGroupPanelBytes);
    for (int i = 0; i < plan_.output_registers(); i += 2)
      stage_pair(place, i, r_.output + i, builder_);
    builder_.append(control(Opcode::kFenceViewAsync));
    Expression own{Plan::barrier(Plan::kMeeting)};
    add_consumer(own, kBarrierBytes);
    warpgroups::meet(builder_, own, tile_parity(false));
    if (plan_.rows_by_threads()) {
      store_rows(place);
    } else {
      for (int panel = 0; panel < plan_.output_panels(); ++panel) store_panel(place, panel);
      builder_.append(control(Opcode::kUtmacmdflush));
      builder_.append(control(Opcode::kDepbar, 0));
    }
    builder_.append(Opcode::kSyncsArrive, BarrierOperand{{Plan::barrier(Plan::kOutputStored)}, {}},
                    plan_.rows_by_threads() ? isa::kNoIndex : warpgroups::first_warp(builder_));
  }

  /// LSE = maximum / sqrt(dim) + ln(sum), into `log`: the logarithm with base 2 times ln(2).
  void logarithm_of_sum(isa::Register log, isa::Register maximum, isa::Register sum) {
    const auto multiply = [&](isa::Register to, isa::Register from, double by) {
      builder_.append(with_literal(Opcode::kFmul, to, from, by));
    };
    const int exponent = plan_.probability_exponent();
    if (exponent != 0) multiply(log, sum, std::ldexp(1.0, -exponent));
    builder_.append(arithmetic(Opcode::kMufuLg2, log, exponent != 0 ? log : sum));
    multiply(log, log, std::log(2.0));
    if (plan_.problem.has_head_scales) {
      builder_.append(arithmetic(Opcode::kFmul, maximum, maximum, reg(r_.scale)));
      multiply(maximum, maximum, std::log(2.0));
    } else {
      multiply(maximum, maximum, plan_.score_scale());
    }
    builder_.append(arithmetic(Opcode::kFadd, log, log, maximum));
  }

  /// One lane of each row stores.
  void store_logarithms() {
    for (int row = 0; row < Plan::kThreadRows; ++row) {
      const isa::Register log = reg(r_.negative + row);
      logarithm_of_sum(log, reg(r_.maximum + row), reg(r_.sum + row));
      const Expression number = row_of_thread(plan_, row);
      isa::Guard guard = inside(number);
      guard.bounds.push_back({{0, {{Variable::kLane, 1, 1, 4}}}, 1});
      isa::MemoryAccess access{.buffer = kLogSum};
      constexpr int kSingleBytes = 4;
      add_scaled(access.global.offset,
                 plan_.is_partial() ? number : plan_.common.log_sum_offset(number), kSingleBytes);
      add_head(access.global.offset, kSingleBytes);
      builder_.append(kernels::store(Opcode::kStg32, log, isa::kZeroRegister,
                                     builder_.access(std::move(access)), builder_.guard(guard)));
    }
  }

  [[nodiscard]] isa::Guard inside(const Expression& row) const {
    if (plan_.common.rows % plan_.tile.rows == 0) return {};
    return {{{row, plan_.common.rows}}};
  }

  /// Adds the start of the rows of the tile's head and split, with `bytes` for each row before.
  void add_head(Expression& offset, std::int64_t bytes) const {
    offset.terms.push_back({Plan::kHead, plan_.common.rows * bytes});
    if (plan_.is_partial())
      offset.terms.push_back(plan_.common.split_axis.term(plan_.problem.batch * plan_.common.heads *
                                                          plan_.common.rows * bytes));
  }

  /// Brings the accumulators of neighbouring columns, which transposed V has left apart
  /// (output_pair), into neighbouring registers (utils.h, permute_output_fp8).
  void order_columns() {
    constexpr int kSixteen = 8;  // registers of sixteen columns
    const isa::Register kept = reg(r_.scores);
    const auto move = [&](isa::Register to, isa::Register from) {
      builder_.append(arithmetic(Opcode::kMov, to, from));
    };
    for (int first = r_.output; first < r_.output + plan_.output_registers(); first += kSixteen)
      for (const int row : {0, 2}) {
        const isa::Register of_first_eight = reg(first + 1 + row);
        const isa::Register of_second_eight = reg(first + 4 + row);
        move(kept, of_first_eight);
        move(of_first_eight, of_second_eight);
        move(of_second_eight, kept);
      }
  }

  /// FP32 rows of the split, pairs of neighbours as the accumulators have them (epilogue_fwd.hpp,
  /// PackGQA's store_O_direct).
  void store_part() {
    constexpr int kSingleBytes = 4;
    constexpr int kEight = 8;  // columns of four lanes
    const std::int64_t row_bytes = plan_.problem.dim * kSingleBytes;
    for (int i = 0; i < plan_.output_registers(); i += 2) {
      const Expression row = row_of_thread(plan_, i / 2 % 2);
      const std::int64_t first_column = std::int64_t{i / 4} * kEight;
      const Expression column{first_column, {{Variable::kLane, 2, 1, 4}}};
      isa::Guard guard = inside(row);
      if (first_column + kEight > plan_.problem.dim)
        guard.bounds.push_back({column, plan_.problem.dim});
      isa::MemoryAccess access{.buffer = kOutputMap};
      add_scaled(access.global.offset, row, row_bytes);
      add_head(access.global.offset, row_bytes);
      add_scaled(access.global.offset, column, kSingleBytes);
      builder_.append(kernels::store(Opcode::kStg64, reg(r_.output + i), work_.pointer(i / 2),
                                     builder_.access(std::move(access)), builder_.guard(guard)));
    }
  }

  /// Stores the consumer's rows of O from shared memory to the places of their heads and queries,
  /// 16 bytes per lane.
  void store_rows(const Expression& place) {
    constexpr int kLanesOfRow = kRowBytes / 16;
    constexpr int kRowsAtOnce = isa::kLanes / kLanesOfRow * kGroupWarps;
    constexpr int kRounds = isa::kGroupRows / kRowsAtOnce;
    for (int panel = 0; panel < plan_.output_panels(); ++panel)
      for (const bool loads : {true, false})
        for (int round = 0; round < kRounds; ++round) {
          Expression row{std::int64_t{round} * kRowsAtOnce,
                         {{Variable::kWarp, isa::kLanes / kLanesOfRow, 1, kGroupWarps},
                          {Variable::kLane, 1, kLanesOfRow}}};
          const isa::Register vector = reg(r_.scores + round * kVectorRegisters);
          if (loads)
            load_vector(vector, place, panel, row);
          else
            store_vector(vector, panel, row);
        }
  }

  void load_vector(isa::Register to, const Expression& place, int panel, const Expression& row) {
    isa::MemoryAccess access;
    access.shared.offset = place;
    access.shared.offset.constant += std::int64_t{panel} * Plan::kGroupPanelBytes;
    add_scaled(access.shared.offset, row, kRowBytes);
    access.shared.offset.terms.push_back({Variable::kLane, 16, 1, kRowBytes / 16});
    access.shared.swizzle = isa::swizzle_of(warpgroups::kSwizzle);
    builder_.append(load(Opcode::kLds128, to, reg(work_.fragment_address_a()),
                         builder_.access(std::move(access))));
  }

  void store_vector(isa::Register from, int panel, Expression row) {
    row.terms.push_back({Plan::kRowBlock, plan_.tile.rows});
    add_consumer(row, isa::kGroupRows);
    constexpr int kVectorElements = 16 / Plan::kResultBytes;
    const Expression column{std::int64_t{panel} * Plan::kPanelColumns,
                            {{Variable::kLane, kVectorElements, 1, kRowBytes / 16}}};
    isa::Guard guard = inside(row);
    if (std::int64_t{panel + 1} * Plan::kPanelColumns > plan_.problem.dim)
      guard.bounds.push_back({column, plan_.problem.dim});
    isa::MemoryAccess access{.buffer = kOutputMap};
    isa::Expression& offset = access.global.offset;
    add_scaled(offset, plan_.common.result_origin(), Plan::kResultBytes);
    add_scaled(offset, plan_.common.row_offset(plan_.common.result, row), Plan::kResultBytes);
    add_scaled(offset, column, Plan::kResultBytes);
    builder_.append(work_.vector_ops(kOpsPerAccess));
    builder_.append(kernels::store(Opcode::kStg128, from, work_.pointer(0),
                                   builder_.access(std::move(access)), builder_.guard(guard)));
  }

  void store_panel(const Expression& place, int panel) {
    Expression shared = place;
    shared.constant += std::int64_t{panel} * Plan::kGroupPanelBytes;
    Expression row{0, {{Plan::kRowBlock, plan_.tile.rows}}};
    add_consumer(row, isa::kGroupRows);
    const auto heads = static_cast<std::uint32_t>(plan_.problem.heads);
    builder_.append(Opcode::kUtmastg4d,
                    isa::TileOperand{.map = kOutputMap,
                                     .coordinates = {{std::int64_t{panel} * Plan::kPanelColumns},
                                                     row,
                                                     {0, {{Plan::kHead, 1, 1, heads}}},
                                                     {0, {{Plan::kHead, 1, heads}}}},
                                     .shared = shared},
                    warpgroups::first_warp(builder_));
  }

  const Plan& plan_;
  const WarpgroupRegisters& r_;
  ProgramBuilder& builder_;
  AddressWork& work_;
};

}  // namespace

void stage_pair(const Expression& place, int i, int from, ProgramBuilder& builder) {
  constexpr int kEightsOfPanel = Plan::kPanelColumns / 8;
  constexpr int kPairBytes = 2 * Plan::kResultBytes;
  const int eight = i / 4;
  isa::MemoryAccess access;
  Expression& offset = access.shared.offset;
  offset = place;
  offset.constant += eight / kEightsOfPanel * Plan::kGroupPanelBytes +
                     eight % kEightsOfPanel * 4 * kPairBytes + i / 2 % 2 * 8 * kRowBytes;
  offset.terms.push_back({Variable::kWarp, std::int64_t{16} * kRowBytes, 1, kGroupWarps});
  offset.terms.push_back({Variable::kLane, kRowBytes, 4});
  offset.terms.push_back({Variable::kLane, kPairBytes, 1, 4});
  access.shared.swizzle = isa::swizzle_of(warpgroups::kSwizzle);
  builder.append(
      kernels::store(Opcode::kSts32, reg(from), isa::kZeroRegister, builder.access(access)));
}

Expression row_of_thread(const Plan& plan, int half) {
  Expression row{std::int64_t{8} * half, {{Plan::kRowBlock, plan.tile.rows}}};
  add_consumer(row, isa::kGroupRows);
  row.terms.push_back({Variable::kWarp, 16, 1, kGroupWarps});
  row.terms.push_back({Variable::kLane, 1, 4});
  return row;
}

void finish_tile(const Plan& plan, ProgramBuilder& builder, AddressWork& work) {
  TileOutput(plan, builder, work).finish();
}

}  // namespace tcsim::kernels
