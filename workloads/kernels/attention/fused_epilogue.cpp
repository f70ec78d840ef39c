#include "workloads/kernels/attention/fused_epilogue.hpp"

#include <cmath>

#include "workloads/kernels/attention/fused_copies.hpp"
#include "workloads/kernels/attention/fused_products.hpp"
#include "workloads/kernels/attention/fused_quad_pairs.hpp"
#include "workloads/kernels/attention/fused_softmax.hpp"
#include "workloads/kernels/expression_math.hpp"

namespace tcsim::kernels {
namespace {

using isa::Opcode;
using isa::Variable;

class FusedEpilogue {
 public:
  FusedEpilogue(const FusedPlan& plan, ProgramBuilder& builder, AddressWork& work)
      : plan_(plan),
        builder_(builder),
        work_(work),
        partial_(plan.tile.splits > 1),
        element_bytes_(partial_ ? 4 : plan.result_bytes) {}

  Instructions emit() {
    extend(ops_, sum_rows(plan_));
    if (partial_ && plan_.problem.causal) bound_sums();
    for (int row = 0; row < plan_.thread_rows(); ++row)
      ops_.push_back(
          arithmetic(Opcode::kMufuRcp, reg(inverse(row)), reg(plan_.registers.sum + row)));
    store_logarithms();
    if (plan_.is_int8() && !plan_.problem.has_block_scales)
      for (int row = 0; row < plan_.thread_rows(); ++row)
        ops_.push_back(with_literal(Opcode::kFmul, inverse(row), inverse(row), kInt8Step));
    normalise();
    stage();
    ops_.push_back(control(Opcode::kBarSync));
    store();
    return std::move(ops_);
  }

 private:
  /// A row that sees no key of the CTA has the sum 0 and must become zeros, not 0 / 0.
  void bound_sums() {
    for (int row = 0; row < plan_.thread_rows(); ++row) {
      const isa::Register sum = reg(plan_.registers.sum + row);
      ops_.push_back(with_literal(Opcode::kFmnmx, sum, sum, kLeastSum));
    }
  }

  // Scratch registers of the softmax: these are written while the sums are being read.
  [[nodiscard]] int inverse(int row) const { return softmax_scratch(plan_, 0) + row; }
  [[nodiscard]] int logarithm(int row) const { return softmax_scratch(plan_, 1) + row; }

  /// LSE = maximum / sqrt(dim) + ln(sum), by one lane per row.
  void store_logarithms() {
    for (int row = 0; row < plan_.thread_rows(); ++row) {
      const isa::Register log = reg(logarithm(row));
      const isa::Register maximum = reg(plan_.registers.maximum + row);
      ops_.push_back(arithmetic(Opcode::kMufuLg2, log, reg(plan_.registers.sum + row)));
      ops_.push_back(with_literal(Opcode::kFmul, log, log, std::log(2.0)));
      ops_.push_back(with_literal(Opcode::kFmul, maximum, maximum, plan_.score_scale()));
      ops_.push_back(arithmetic(Opcode::kFadd, log, log, maximum));
      if (plan_.is_int8())
        ops_.push_back(with_literal(Opcode::kFadd, log, log, -std::log(kProbabilitySteps)));
      isa::Expression position = plan_.first_row();
      add_scaled(position, plan_.tile_row(row), 1);
      isa::Guard guard;
      if (row_limit() > 0) guard.bounds.push_back({position, row_limit()});
      guard.bounds.push_back({plan_.place_in_row(), 1});
      isa::MemoryAccess access{.buffer = kLogSum};
      add_scaled(access.global.offset, partial_ ? position : plan_.log_sum_offset(position), 4);
      add_scaled(access.global.offset, plan_.row_origin(), 4);
      ops_.push_back(kernels::store(Opcode::kStg32, log, work_.pointer(row),
                                    builder_.access(std::move(access)), builder_.guard(guard)));
    }
  }

  /// Number of rows, if some tiles have more; otherwise 0.
  [[nodiscard]] std::int64_t row_limit() const {
    return plan_.rows % plan_.tile.rows != 0 ? plan_.rows : 0;
  }

  void normalise() {
    for (int m = 0; m < plan_.m_tiles(); ++m)
      for (int n = 0; n < plan_.output_tiles(); ++n)
        for (int part = 0; part < 4; ++part) {
          const isa::Register o = reg(plan_.output(m, n, part));
          ops_.push_back(arithmetic(Opcode::kFmul, o, o, reg(inverse(2 * m + part / 2))));
        }
  }

  [[nodiscard]] SharedPanels panels() const {
    // A row of FP32 numbers counts as a row of twice as many 16-bit columns.
    return {0, plan_.tile.rows, plan_.dim * element_bytes_ / 2};
  }

  /// Every warp writes the rows whose Q only it has read, so no barrier is needed before. A barrier
  /// is needed for partial outputs and outputs of INT8 operands, which extend into K and V, and for
  /// all outputs if V is in Q's place.
  void stage() {
    if (partial_ || plan_.is_int8() || plan_.tile.keeps_query)
      ops_.push_back(control(Opcode::kBarSync));
    if (plan_.is_int8()) return stage_interleaved();
    if (plan_.has_quad_pairs() && !partial_)
      return extend(ops_, stored_output(plan_, builder_, work_, panels()));
    for (int m = 0; m < plan_.m_tiles(); ++m)
      for (int n = 0; n < plan_.output_tiles(); ++n)
        for (int half = 0; half < 2; ++half) {
          const int pair = plan_.output(m, n, 2 * half);
          if (element_bytes_ == 2) extend(ops_, packed_pair(plan_, pair, pair, pair + 1));
          isa::Expression beyond;
          add_scaled(beyond, plan_.lane_column(), element_bytes_ / 2);
          const int column = plan_.output_column(n) * element_bytes_ / 2;
          const int access = builder_.access(
              {.shared = panels().at(plan_.tile_row(2 * m + half), column, beyond)});
          ops_.push_back(kernels::store(element_bytes_ == 4 ? Opcode::kSts64 : Opcode::kSts32,
                                        reg(pair), reg(work_.fragment_address_a()), access));
        }
  }

  /// Two tiles hold the even and the odd columns of sixteen; a lane has four neighbours of a row.
  void stage_interleaved() {
    for (int m = 0; m < plan_.m_tiles(); ++m)
      for (int n = 0; n < plan_.output_tiles(); n += 2)
        for (int half = 0; half < 2; ++half) {
          const int even = plan_.output(m, n, 2 * half);
          const int odd = plan_.output(m, n + 1, 2 * half);
          for (int i = 0; i < 2; ++i)
            ops_.push_back(arithmetic(plan_.pack, reg(even + i), reg(odd + i), reg(even + i)));
          isa::Expression beyond;
          add_field(beyond, {Variable::kLane, 0, 2, 4});
          const int access =
              builder_.access({.shared = panels().at(plan_.tile_row(2 * m + half),
                                                     n * FusedPlan::kMmaColumns, beyond)});
          ops_.push_back(
              kernels::store(Opcode::kSts64, reg(even), reg(work_.fragment_address_a()), access));
        }
  }

  /// Rows of the staged tile, 16 bytes per lane.
  void store() {
    constexpr int kInFlight = 8;  // loads before the first store (assumption)
    extend(ops_, rows_from_panels(panels(), plan_.threads(), kInFlight, vector(0), builder_, work_,
                                  [&](const SharedPanels::Chunk& chunk, int index) {
                                    return store_vector(chunk, index);
                                  }));
  }

  [[nodiscard]] isa::Register vector(int index) const {
    return reg(plan_.registers.output + index * kVectorRegisters);
  }

  isa::Instruction store_vector(const SharedPanels::Chunk& chunk, int index) {
    isa::Expression row = plan_.first_row();
    add_scaled(row, chunk.row, 1);
    // In units of 16 bits; an FP32 number takes two.
    const int halves = element_bytes_ / 2;
    const std::int64_t width = plan_.problem.dim * halves;
    isa::Guard guard;
    panels().bound(guard, chunk, row, row_limit(), width);
    isa::MemoryAccess access{.buffer = kOutput};
    isa::Expression& offset = access.global.offset;
    if (partial_) {
      add_scaled(offset, plan_.row_origin(), width * 2);
      add_scaled(offset, row, width * 2);
    } else {
      add_scaled(offset, plan_.result_origin(), element_bytes_);
      add_scaled(offset, plan_.row_offset(plan_.result, row), element_bytes_);
    }
    add_scaled(offset, chunk.column(), 2);
    return kernels::store(Opcode::kStg128, vector(index), work_.pointer(index),
                          builder_.access(std::move(access)), builder_.guard(guard));
  }

  const FusedPlan& plan_;
  ProgramBuilder& builder_;
  AddressWork& work_;
  const bool partial_;
  const int element_bytes_;
  Instructions ops_;
};

}  // namespace

Instructions fused_epilogue(const FusedPlan& plan, ProgramBuilder& builder, AddressWork& work) {
  return FusedEpilogue(plan, builder, work).emit();
}

}  // namespace tcsim::kernels
