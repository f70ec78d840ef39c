#include "workloads/kernels/attention/gradient_preparation.hpp"

#include <cmath>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/attention/row_dot.hpp"
#include "workloads/kernels/expression_math.hpp"

namespace tcsim::kernels {
namespace {

using isa::Expression;
using isa::kLanes;
using isa::Opcode;
using isa::Variable;
using GradientPlan = WarpgroupBackwardPlan;

constexpr int kPreparedSetupOps = 24;  // index, bounds and pointers (assumption)
constexpr int kZeroBytes = 16;         // that a lane stores at once

Expression thread_of_cta() { return {0, {{Variable::kLane, 1}, {Variable::kWarp, kLanes}}}; }

class Preparation {
 public:
  explicit Preparation(const GradientPlan& plan)
      : plan_(plan),
        dot_{plan.problem.dim, plan.problem.element},
        builder_("prepare"),
        work_(kAddresses, kAddressRegisters) {}

  isa::KernelLaunch launch() {
    begin_kernel(builder_, work_, 3, work_.vector_ops(kPreparedSetupOps));
    deltas();
    log_sums();
    clear();
    return uniform_launch({.name = "attention_prepare_gradients",
                           .grid = {plan_.query_blocks(), plan_.problem.heads, plan_.problem.batch},
                           .warps_per_cta = kWarps,
                           .registers_per_thread = kAddresses + kAddressRegisters},
                          builder_.finish());
  }

 private:
  enum Buffer : int { kOutput, kOutputGradient, kLogSums, kScaledLogSums, kDeltas, kSums };

  /// `row` of the CTA's block as a query; and its number among the statistics.
  [[nodiscard]] Expression query(const Expression& row) const {
    Expression query = row;
    query.terms.push_back({Variable::kCtaX, plan_.rows()});
    return query;
  }
  [[nodiscard]] Expression statistic(const Expression& row) const {
    Expression offset;
    add_head(offset, plan_.padded_queries() * GradientPlan::kSingleBytes);
    add_scaled(offset, query(row), GradientPlan::kSingleBytes);
    return offset;
  }
  void add_head(Expression& offset, std::int64_t bytes) const {
    offset.terms.push_back({Variable::kCtaY, bytes});
    offset.terms.push_back({Variable::kCtaZ, plan_.problem.heads * bytes});
  }

  void deltas() {
    const int rows_at_once = kThreads / dot_.lanes();
    for (int first = 0; first < plan_.rows(); first += rows_at_once) {
      const Expression row{first,
                           {{Variable::kWarp, kLanes / dot_.lanes()},
                            {Variable::kLane, 1, static_cast<std::uint32_t>(dot_.lanes())}}};
      isa::Guard inside{{{query(row), plan_.problem.queries}, {dot_.column(), plan_.problem.dim}}};
      isa::Guard stores{{{dot_.column(), 1}}};
      if (rows_at_once > plan_.rows()) {
        inside.bounds.push_back({row, plan_.rows()});
        stores.bounds.push_back({row, plan_.rows()});
      }
      const std::int64_t head_bytes = plan_.problem.dim * GradientPlan::kElementBytes;
      const std::int64_t row_bytes = plan_.problem.heads * head_bytes;
      Expression place{
          0, {{Variable::kCtaY, head_bytes}, {Variable::kCtaZ, plan_.problem.queries * row_bytes}}};
      add_scaled(place, query(row), row_bytes);
      add_scaled(place, dot_.column(), GradientPlan::kElementBytes);
      dot_.emit(builder_, work_, place, builder_.guard(inside));
      negate_and_store(RowDot::kSum, 1, kDeltas, row, stores);
    }
  }

  void log_sums() {
    constexpr auto kInfinity = static_cast<std::int32_t>(0x7f800000);
    const isa::Guard in_block{{{thread_of_cta(), plan_.rows()}}};
    isa::Guard inside = in_block;
    inside.bounds.push_back({query(thread_of_cta()), plan_.problem.queries});
    isa::MemoryAccess access{.buffer = kLogSums};
    add_head(access.global.offset, plan_.problem.queries * GradientPlan::kSingleBytes);
    add_scaled(access.global.offset, query(thread_of_cta()), GradientPlan::kSingleBytes);
    builder_.append(with_immediate(arithmetic(Opcode::kMov, reg(kLogSum)), kInfinity));
    builder_.append(load(Opcode::kLdg32, reg(kLogSum), work_.pointer(kLogSums),
                         builder_.access(std::move(access)), builder_.guard(inside)));
    negate_and_store(kLogSum, 1 / std::log(2.0), kScaledLogSums, thread_of_cta(), in_block);
  }

  void negate_and_store(int number, double factor, Buffer buffer, const Expression& row,
                        const isa::Guard& guard) {
    builder_.append(with_literal(Opcode::kFmul, number, number, -factor));
    isa::MemoryAccess access{.buffer = buffer};
    access.global.offset = statistic(row);
    builder_.append(store(Opcode::kStg32, reg(number), work_.pointer(buffer),
                          builder_.access(std::move(access)), builder_.guard(guard)));
  }

  /// Clears the sums of the block of queries.
  void clear() {
    builder_.append(clear_registers(kZeros, kZeros + kVectorRegisters));
    const int bytes = plan_.query_tile.bytes();
    for (int first = 0; first < bytes; first += kThreads * kZeroBytes) {
      isa::MemoryAccess access{.buffer = kSums};
      Expression& offset = access.global.offset;
      offset = {first, {{Variable::kCtaX, bytes}}};
      add_head(offset, plan_.query_blocks() * bytes);
      add_scaled(offset, thread_of_cta(), kZeroBytes);
      builder_.append(store(Opcode::kStg128, reg(kZeros), work_.pointer(kSums),
                            builder_.access(std::move(access))));
    }
  }

  static constexpr int kWarps = 8;  // flash_bwd_preprocess_kernel.h: 256 threads
  static constexpr int kThreads = kWarps * kLanes;
  static constexpr int kAddressRegisters = 16;
  static constexpr int kZeros = RowDot::kEnd;  // four registers
  static constexpr int kLogSum = kZeros + kVectorRegisters;
  static constexpr int kAddresses = kLogSum + 2;

  const GradientPlan& plan_;
  const RowDot dot_;
  ProgramBuilder builder_;
  AddressWork work_;
};

}  // namespace

isa::KernelLaunch prepare_gradients(const GradientPlan& plan) { return Preparation(plan).launch(); }

isa::KernelLaunch clear_sums(std::int64_t bytes) {
  constexpr int kFillWarps = 4;    // aten, vectorized_elementwise_kernel: 128 threads,
  constexpr int kFillVectors = 2;  // eight FP32 numbers each
  constexpr std::int64_t kRoundBytes = std::int64_t{kFillWarps} * kLanes * kZeroBytes;
  AddressWork work(kVectorRegisters, AddressWork::kFewestRegisters);
  ProgramBuilder builder("clear");
  begin_kernel(builder, work, 1, work.vector_ops(kPreparedSetupOps));
  builder.append(clear_registers(0, kVectorRegisters));
  for (int round = 0; round < kFillVectors; ++round) {
    isa::MemoryAccess access{.buffer = 0};
    access.global.offset = {round * kRoundBytes, {{Variable::kCtaX, kFillVectors * kRoundBytes}}};
    add_scaled(access.global.offset, thread_of_cta(), kZeroBytes);
    isa::Guard inside{{{access.global.offset, bytes}}};
    builder.append(store(Opcode::kStg128, reg(0), work.pointer(round),
                         builder.access(std::move(access)), builder.guard(inside)));
  }
  return uniform_launch({.name = "clear_sums",
                         .grid = {ceil_div(bytes, kFillVectors * kRoundBytes), 1, 1},
                         .warps_per_cta = kFillWarps,
                         .registers_per_thread = kVectorRegisters + AddressWork::kFewestRegisters},
                        builder.finish());
}

}  // namespace tcsim::kernels
