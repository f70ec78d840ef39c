#include "workloads/kernels/attention/backward_delta.hpp"

#include <bit>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/expression_math.hpp"
#include "workloads/kernels/program_builder.hpp"
#include "workloads/kernels/vector/lane_vectors.hpp"

namespace tcsim::kernels {
namespace {

using isa::kLanes;
using isa::Opcode;
using isa::Variable;

constexpr int kDeltaWarps = 4;      // assumption
constexpr int kDeltaElements = 8;   // of a lane
constexpr int kDeltaSetupOps = 24;  // index, bounds and pointers (assumption)
constexpr int kDeltaAddressRegisters = 16;

// Registers of a thread.
constexpr int kLoadedOutput = 0;  // 16 bytes each
constexpr int kLoadedGradient = 4;
constexpr int kDeltaOutput = 8;  // FP32
constexpr int kDeltaGradient = kDeltaOutput + kDeltaElements;
constexpr int kDeltaSum = kDeltaGradient + kDeltaElements;
constexpr int kDeltaShuffled = kDeltaSum + 1;
constexpr int kDeltaAddresses = kDeltaSum + 4;

class DeltaKernel {
 public:
  explicit DeltaKernel(const AttentionProblem& problem)
      : p_(problem),
        lanes_(static_cast<int>(std::bit_ceil(
            static_cast<std::uint64_t>(ceil_div<std::int64_t>(problem.dim, kDeltaElements))))),
        rows_(problem.batch * problem.queries * problem.heads),
        builder_("delta"),
        work_(kDeltaAddresses, kDeltaAddressRegisters, true) {}

  isa::KernelLaunch launch() {
    isa::KernelLaunch launch;
    launch.name = "attention_delta";
    launch.grid = {ceil_div<std::int64_t>(rows_, kDeltaWarps * kLanes / lanes_), 1, 1};
    launch.warps_per_cta = kDeltaWarps;
    launch.registers_per_thread = kDeltaAddresses + kDeltaAddressRegisters;
    emit();
    launch.programs = {builder_.finish()};
    launch.program_of_warp.assign(kDeltaWarps, 0);
    return launch;
  }

 private:
  /// The lane's row, in the order of memory: [batch][query][head].
  [[nodiscard]] isa::Expression row() const {
    isa::Expression row;
    add_term(row, {.variable = Variable::kCtaX, .coefficient = kDeltaWarps * kLanes / lanes_});
    add_term(row, {.variable = Variable::kWarp, .coefficient = kLanes / lanes_});
    const int bits = log2_exact(lanes_);
    add_field(row, {Variable::kLane, bits, 5 - bits, 1});
    return row;
  }

  [[nodiscard]] isa::Expression column() const {
    isa::Expression column;
    add_field(column, {Variable::kLane, 0, log2_exact(lanes_), kDeltaElements});
    return column;
  }

  void emit() {
    builder_.append(arithmetic(Opcode::kS2r, work_.pointer(0)));
    builder_.append(arithmetic(Opcode::kS2r, work_.pointer(1)));
    builder_.append(work_.vector_ops(kDeltaSetupOps));
    for (int i = 0; i < kDeltaOutput; i += 2) builder_.append(arithmetic(Opcode::kCs2r, reg(i)));
    isa::Guard inside{{{row(), rows_}, {column(), p_.dim}}};
    const int guard = builder_.guard(inside);
    isa::Address place;
    add_scaled(place.offset, row(), 2 * p_.dim);
    add_scaled(place.offset, column(), 2);
    for (const auto& [buffer, to] : {std::pair(0, kLoadedOutput), std::pair(1, kLoadedGradient)})
      builder_.append(load(Opcode::kLdg128, reg(to), work_.pointer(buffer),
                           builder_.access({.buffer = buffer, .global = place}), guard));
    builder_.append(widen(p_.element, kLoadedOutput, kDeltaOutput, kDeltaElements));
    builder_.append(widen(p_.element, kLoadedGradient, kDeltaGradient, kDeltaElements));
    for (int i = 0; i < kDeltaElements; ++i)
      builder_.append(arithmetic(Opcode::kFfma, reg(kDeltaSum), reg(kDeltaOutput + i),
                                 reg(kDeltaGradient + i),
                                 i == 0 ? isa::kZeroRegister : reg(kDeltaSum)));
    for (int distance = lanes_ / 2; distance > 0; distance /= 2) {
      builder_.append(
          with_immediate(arithmetic(Opcode::kShfl, reg(kDeltaShuffled), reg(kDeltaSum)), distance));
      builder_.append(
          arithmetic(Opcode::kFadd, reg(kDeltaSum), reg(kDeltaSum), reg(kDeltaShuffled)));
    }
    store_sum(inside);
  }

  /// By the first lane of a row, to [batch][head][query].
  void store_sum(isa::Guard guard) {
    guard.bounds[1] = {column(), 1};
    isa::Address place;
    add_quotient(place.offset, 4 * p_.heads * p_.queries, row(), p_.heads * p_.queries, 0);
    add_quotient(place.offset, 4 * p_.queries, row(), 1, p_.heads);
    add_quotient(place.offset, 4, row(), p_.heads, p_.queries);
    builder_.append(store(Opcode::kStg32, reg(kDeltaSum), work_.pointer(2),
                          builder_.access({.buffer = 2, .global = std::move(place)}),
                          builder_.guard(guard)));
  }

  const AttentionProblem& p_;
  const int lanes_;  ///< of a row
  const std::int64_t rows_;
  ProgramBuilder builder_;
  AddressWork work_;
};

}  // namespace

isa::KernelLaunch backward_delta(const AttentionProblem& problem) {
  return DeltaKernel(problem).launch();
}

}  // namespace tcsim::kernels
