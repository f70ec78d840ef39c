#include "workloads/kernels/attention/backward_epilogue.hpp"

#include <cmath>

#include "workloads/kernels/expression_math.hpp"

namespace tcsim::kernels {
namespace {

using isa::Opcode;
using isa::Variable;

constexpr int kGradientLoadsInFlight = 4;  // loads before the first store (assumption)

class BackwardEpilogue {
 public:
  BackwardEpilogue(const BackwardPlan& plan, ProgramBuilder& builder, AddressWork& work)
      : plan_(plan), builder_(builder), work_(work) {}

  Instructions emit() {
    const BackwardRegisters& r = plan_.registers;
    scale(r.first_gradient);
    stage(r.first_gradient, plan_.kept_first);
    if (plan_.is_for_keys()) stage(r.second_gradient, plan_.kept_second);
    ops_.push_back(control(Opcode::kBarSync));
    store(kFirstGradient, plan_.kept_first);
    if (plan_.is_for_keys()) store(kSecondGradient, plan_.kept_second);
    return std::move(ops_);
  }

 private:
  void scale(int gradient) {
    const double factor = 1 / std::sqrt(static_cast<double>(plan_.problem.dim));
    for (int i = gradient; i < gradient + 4 * plan_.gradient_tiles(); ++i)
      ops_.push_back(with_literal(Opcode::kFmul, i, i, factor));
  }

  void stage(int gradient, const SharedPanels& panels) {
    for (int n = 0; n < plan_.gradient_tiles(); ++n)
      for (int half = 0; half < 2; ++half) {
        const int pair = BackwardPlan::part_of(gradient, n, 2 * half);
        ops_.push_back(arithmetic(plan_.pack, reg(pair), reg(pair + 1), reg(pair)));
        isa::Expression row = constant(std::int64_t{half} * 8);
        add_term(row, {.variable = Variable::kWarp, .coefficient = BackwardPlan::kMmaRows});
        add_field(row, {Variable::kLane, 2, 3, 1});
        isa::Expression beyond;
        add_field(beyond, {Variable::kLane, 0, 2, 2});
        const int access =
            builder_.access({.shared = panels.at(row, n * BackwardPlan::kMmaColumns, beyond)});
        ops_.push_back(
            kernels::store(Opcode::kSts32, reg(pair), reg(work_.fragment_address_a()), access));
      }
  }

  void store(int buffer, const SharedPanels& panels) {
    extend(ops_,
           rows_from_panels(panels, BackwardPlan::kThreads, kGradientLoadsInFlight, vector(0),
                            builder_, work_, [&](const SharedPanels::Chunk& chunk, int index) {
                              return store_vector(buffer, panels, chunk, index);
                            }));
  }

  /// After the gradients have been staged, their registers are free.
  [[nodiscard]] isa::Register vector(int index) const {
    return reg(plan_.registers.first_gradient + index * kVectorRegisters);
  }

  isa::Instruction store_vector(int buffer, const SharedPanels& panels,
                                const SharedPanels::Chunk& chunk, int index) {
    isa::Expression row = plan_.first_row();
    add_scaled(row, chunk.row, 1);
    const std::int64_t total = plan_.kept_total();
    isa::Guard guard;
    panels.bound(guard, chunk, row, total % BackwardPlan::kKeptRows != 0 ? total : 0,
                 plan_.problem.dim);
    isa::MemoryAccess access{.buffer = buffer};
    add_scaled(access.global.offset, plan_.kept_origin(), SharedPanels::kElementBytes);
    add_scaled(access.global.offset, row, plan_.kept_stride() * SharedPanels::kElementBytes);
    add_scaled(access.global.offset, chunk.column(), SharedPanels::kElementBytes);
    return kernels::store(Opcode::kStg128, vector(index), work_.pointer(index),
                          builder_.access(std::move(access)), builder_.guard(guard));
  }

  const BackwardPlan& plan_;
  ProgramBuilder& builder_;
  AddressWork& work_;
  Instructions ops_;
};

}  // namespace

Instructions backward_epilogue(const BackwardPlan& plan, ProgramBuilder& builder,
                               AddressWork& work) {
  return BackwardEpilogue(plan, builder, work).emit();
}

}  // namespace tcsim::kernels
