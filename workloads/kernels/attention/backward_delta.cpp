#include "workloads/kernels/attention/backward_delta.hpp"

#include "models/isa/cycle.hpp"
#include "workloads/kernels/attention/row_dot.hpp"
#include "workloads/kernels/expression_math.hpp"

namespace tcsim::kernels {
namespace {

using isa::kLanes;
using isa::Opcode;
using isa::Variable;

constexpr int kDeltaWarps = 4;      // assumption
constexpr int kDeltaSetupOps = 24;  // index, bounds and pointers (assumption)
constexpr int kDeltaAddressRegisters = 16;

class DeltaKernel {
 public:
  explicit DeltaKernel(const AttentionProblem& problem)
      : p_(problem),
        dot_{problem.dim, problem.element},
        lanes_(dot_.lanes()),
        rows_(problem.batch * problem.queries * problem.heads),
        builder_("delta"),
        work_(RowDot::kEnd, kDeltaAddressRegisters) {}

  isa::KernelLaunch launch() {
    emit();
    return uniform_launch(
        {.name = "attention_delta",
         .grid = {ceil_div<std::int64_t>(rows_, kDeltaWarps * kLanes / lanes_), 1, 1},
         .warps_per_cta = kDeltaWarps,
         .registers_per_thread = RowDot::kEnd + kDeltaAddressRegisters},
        builder_.finish());
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

  void emit() {
    begin_kernel(builder_, work_, 2, work_.vector_ops(kDeltaSetupOps));
    const isa::Guard inside{{{row(), rows_}, {dot_.column(), p_.dim}}};
    isa::Expression place;
    add_scaled(place, row(), 2 * p_.dim);
    add_scaled(place, dot_.column(), 2);
    dot_.emit(builder_, work_, place, builder_.guard(inside));
    store_sum(inside);
  }

  /// The first lane of a row stores it, to [batch][head][query].
  void store_sum(isa::Guard guard) {
    guard.bounds[1] = {dot_.column(), 1};
    isa::Address place;
    add_quotient(place.offset, 4 * p_.heads * p_.queries, row(), p_.heads * p_.queries, 0);
    add_quotient(place.offset, 4 * p_.queries, row(), 1, p_.heads);
    add_quotient(place.offset, 4, row(), p_.heads, p_.queries);
    builder_.append(store(Opcode::kStg32, reg(RowDot::kSum), work_.pointer(2),
                          builder_.access({.buffer = 2, .global = std::move(place)}),
                          builder_.guard(guard)));
  }

  const AttentionProblem& p_;
  const RowDot dot_;
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
