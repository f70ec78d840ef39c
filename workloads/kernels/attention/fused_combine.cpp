#include "workloads/kernels/attention/fused_combine.hpp"

#include <algorithm>
#include <numbers>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/attention/fused_products.hpp"
#include "workloads/kernels/expression_math.hpp"

namespace tcsim::kernels {
namespace {

using isa::kLanes;
using isa::Opcode;
using isa::Variable;

enum CombineBuffer { kPartialOutput, kPartialLogSum, kCombinedOutput, kCombinedLogSum };

constexpr int kCombineWarps = 4;
constexpr int kCombineSetupOps = 24;  // index, bounds and pointers (assumption)
constexpr int kSplitsInFlight = 4;    // splits read before the first is added (assumption)
constexpr int kCombineAddressRegisters = 20;

class Combine {
 public:
  explicit Combine(const FusedPlan& plan)
      : plan_(plan),
        splits_(plan.tile.splits),
        vectors_(ceil_div(static_cast<int>(plan.problem.dim), kLanes * kVectorRegisters)),
        addresses_(align_up(scratch() + 4, kVectorRegisters)),
        builder_("combine"),
        work_(addresses_, kCombineAddressRegisters) {}

  isa::KernelLaunch launch() {
    emit();
    return uniform_launch({.name = "attention_combine_" + std::to_string(splits_),
                           .grid = {ceil_div<std::int64_t>(plan_.rows, kCombineWarps), plan_.heads,
                                    plan_.problem.batch},
                           .warps_per_cta = kCombineWarps,
                           .registers_per_thread = addresses_ + kCombineAddressRegisters},
                          builder_.finish());
  }

 private:
  // Registers: sums, vectors in flight, one weight per split, scratch.
  [[nodiscard]] int sum(int vector) const { return vector * kVectorRegisters; }
  [[nodiscard]] int loaded(int split, int vector) const {
    return kVectorRegisters * (vectors_ * (1 + split % kSplitsInFlight) + vector);
  }
  [[nodiscard]] int weight(int split) const {
    return kVectorRegisters * vectors_ * (1 + kSplitsInFlight) + split;
  }
  [[nodiscard]] int scratch() const { return weight(splits_); }
  [[nodiscard]] int maximum() const { return scratch(); }
  [[nodiscard]] int total() const { return scratch() + 1; }
  [[nodiscard]] int inverse() const { return scratch() + 2; }

  [[nodiscard]] static isa::Expression row() {
    isa::Expression row;
    add_term(row, {.variable = Variable::kCtaX, .coefficient = kCombineWarps});
    add_term(row, {.variable = Variable::kWarp, .coefficient = 1});
    return row;
  }

  /// Number of the row among [batch][head][row].
  [[nodiscard]] isa::Expression row_index() const {
    isa::Expression index = row();
    add_term(index, {.variable = Variable::kCtaY, .coefficient = plan_.rows});
    add_term(index, {.variable = Variable::kCtaZ, .coefficient = plan_.rows * plan_.heads});
    return index;
  }

  [[nodiscard]] std::int64_t all_rows() const {
    return plan_.rows * plan_.heads * plan_.problem.batch;
  }

  [[nodiscard]] isa::Expression column(int vector) const {
    isa::Expression column = constant(std::int64_t{vector} * kLanes * kVectorRegisters);
    add_term(column, {.variable = Variable::kLane, .coefficient = kVectorRegisters});
    return column;
  }

  int row_guard(isa::Guard guard = {}) {
    if (plan_.rows % kCombineWarps != 0) guard.bounds.push_back({row(), plan_.rows});
    return builder_.guard(guard);
  }

  int vector_guard(int vector) {
    if (plan_.problem.dim % (std::int64_t{kLanes} * kVectorRegisters) == 0) return row_guard();
    return row_guard({{{column(vector), plan_.problem.dim}}});
  }

  void op(Opcode opcode, int dst, int a, int b = isa::kZeroRegister, int c = isa::kZeroRegister) {
    builder_.append(arithmetic(opcode, reg(dst), reg(a), reg(b), reg(c)));
  }
  void op_literal(Opcode opcode, int dst, int a, double value) {
    builder_.append(with_literal(opcode, dst, a, value));
  }

  void emit() {
    begin_kernel(builder_, work_, 3, work_.setup_ops(kCombineSetupOps));
    for (int split = 0; split < splits_; ++split) load_log_sum(split);
    for (int split = 0; split < std::min(splits_, kSplitsInFlight); ++split) load_output(split);
    weights();
    for (int split = 0; split < splits_; ++split) {
      for (int i = 0; i < vectors_ * kVectorRegisters; ++i)
        if (split == 0)
          op(Opcode::kFmul, i, loaded(0, 0) + i, weight(0));
        else
          op(Opcode::kFfma, i, loaded(split, 0) + i, weight(split), i);
      if (split + kSplitsInFlight < splits_) load_output(split + kSplitsInFlight);
    }
    finish();
  }

  void load_log_sum(int split) {
    isa::MemoryAccess access{.buffer = kPartialLogSum};
    add_scaled(access.global.offset, row_index(), 4);
    access.global.offset.constant += std::int64_t{4} * split * all_rows();
    builder_.append(load(Opcode::kLdg32, reg(weight(split)), work_.pointer(split),
                         builder_.access(std::move(access)), row_guard()));
  }

  void load_output(int split) {
    for (int vector = 0; vector < vectors_; ++vector) {
      isa::MemoryAccess access{.buffer = kPartialOutput};
      isa::Expression& offset = access.global.offset;
      add_scaled(offset, row_index(), 4 * plan_.problem.dim);
      add_scaled(offset, column(vector), 4);
      offset.constant += std::int64_t{4} * split * all_rows() * plan_.problem.dim;
      builder_.append(work_.advance_pointer(split, 2));
      builder_.append(load(Opcode::kLdg128, reg(loaded(split, vector)), work_.pointer(split),
                           builder_.access(std::move(access)), vector_guard(vector)));
    }
  }

  /// weight = exp(LSE - maximum) / sum over the splits of the same.
  void weights() {
    op(Opcode::kMov, maximum(), weight(0));
    for (int split = 1; split < splits_; ++split)
      op(Opcode::kFmnmx, maximum(), maximum(), weight(split));
    op_literal(Opcode::kFmul, inverse(), maximum(), -std::numbers::log2e);
    for (int split = 0; split < splits_; ++split) {
      op_literal(Opcode::kFmul, weight(split), weight(split), std::numbers::log2e);
      op(Opcode::kFadd, weight(split), weight(split), inverse());
      op(Opcode::kMufuEx2, weight(split), weight(split));
    }
    op(Opcode::kMov, total(), weight(0));
    for (int split = 1; split < splits_; ++split)
      op(Opcode::kFadd, total(), total(), weight(split));
    op(Opcode::kMufuRcp, inverse(), total());
    for (int split = 0; split < splits_; ++split)
      op(Opcode::kFmul, weight(split), weight(split), inverse());
  }

  void finish() {
    op(Opcode::kMufuLg2, total(), total());
    op_literal(Opcode::kFmul, total(), total(), std::numbers::ln2);
    op(Opcode::kFadd, total(), total(), maximum());
    isa::MemoryAccess access{.buffer = kCombinedLogSum};
    isa::Expression& offset = access.global.offset;
    add_scaled(offset, plan_.log_sum_offset(row()), 4);
    add_term(offset, {.variable = Variable::kCtaY, .coefficient = 4 * plan_.rows});
    add_term(offset, {.variable = Variable::kCtaZ, .coefficient = 4 * plan_.rows * plan_.heads});
    const int guard = row_guard({{{{.constant = 0, .terms = {{Variable::kLane, 1}}}, 1}}});
    builder_.append(store(Opcode::kStg32, reg(total()), work_.pointer(0),
                          builder_.access(std::move(access)), guard));
    for (int vector = 0; vector < vectors_; ++vector) store_output(vector);
  }

  void store_output(int vector) {
    const int first = sum(vector);
    const int bytes = plan_.result_bytes;
    for (int pair = 0; bytes == 2 && pair < kVectorRegisters / 2; ++pair)
      builder_.append(packed_pair(plan_, first + pair, first + 2 * pair, first + 2 * pair + 1));
    isa::MemoryAccess access{.buffer = kCombinedOutput};
    isa::Expression& offset = access.global.offset;
    add_scaled(offset, plan_.row_offset(plan_.result, row()), bytes);
    add_term(offset, {.variable = Variable::kCtaY,
                      .coefficient = bytes * plan_.group_rows * plan_.result.head});
    add_term(offset, {.variable = Variable::kCtaZ, .coefficient = bytes * plan_.result.batch});
    add_scaled(offset, column(vector), bytes);
    builder_.append(store(bytes == 2 ? Opcode::kStg64 : Opcode::kStg128, reg(first),
                          work_.pointer(1), builder_.access(std::move(access)),
                          vector_guard(vector)));
  }

  const FusedPlan& plan_;
  const int splits_;
  const int vectors_;  ///< of a lane
  const int addresses_;
  ProgramBuilder builder_;
  AddressWork work_;
};

}  // namespace

isa::KernelLaunch combine_splits(const FusedPlan& plan) { return Combine(plan).launch(); }

}  // namespace tcsim::kernels
