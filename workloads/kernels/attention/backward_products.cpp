#include "workloads/kernels/attention/backward_products.hpp"

#include "workloads/kernels/attention/panel_fragments.hpp"
#include "workloads/kernels/expression_math.hpp"

namespace tcsim::kernels {
namespace {

using isa::Opcode;
using isa::Variable;

isa::Instruction kept_fragment(const BackwardPlan& plan, ProgramBuilder& builder,
                               const AddressWork& work, const SharedPanels& kept, int step) {
  isa::Expression row;
  add_term(row, {.variable = Variable::kWarp, .coefficient = kLdsmBlock});
  const int access = builder.access({.shared = matrix_rows(kept, row, step * kLdsmBlock, 3)});
  return load(Opcode::kLdsmX4, reg(plan.registers.kept + step % 2 * 4),
              reg(work.fragment_address_a()), access);
}

}  // namespace

Instructions row_products(const BackwardPlan& plan, ProgramBuilder& builder,
                          const AddressWork& work, const SharedPanels& kept,
                          const SharedPanels& moving, const isa::Expression& stage, int sums) {
  const int steps = plan.dim / kLdsmBlock;
  const int groups = plan.moving_rows / kLdsmBlock;
  const FragmentRing ring(plan.registers.ring, (plan.registers.scale - plan.registers.ring) / 4);
  Instructions products{kept_fragment(plan, builder, work, kept, 0)};
  const auto fetch = [&](int i) {
    products.push_back(moving_fragment(builder, work, moving, i % groups, i / groups,
                                       /*transposed=*/false, ring.place(i), stage));
  };
  const auto use = [&](int i) {
    const int step = i / groups;
    if (i % groups == 0 && step + 1 < steps)
      products.push_back(kept_fragment(plan, builder, work, kept, step + 1));
    for (int half = 0; half < 2; ++half) {
      const isa::Register d = reg(BackwardPlan::part_of(sums, 2 * (i % groups) + half, 0));
      products.push_back(arithmetic(plan.mma, d, reg(plan.registers.kept + step % 2 * 4),
                                    reg(ring.place(i) + 2 * half),
                                    step == 0 ? isa::kZeroRegister : d));
    }
  };
  ring.run(steps * groups, fetch, use);
  return products;
}

Instructions gradient_products(const BackwardPlan& plan, ProgramBuilder& builder,
                               const AddressWork& work, int packed, const SharedPanels& moving,
                               const isa::Expression& stage, int gradient) {
  const int steps = plan.moving_rows / kLdsmBlock;
  const int groups = plan.dim / kLdsmBlock;
  const FragmentRing ring(plan.registers.ring, (plan.registers.scale - plan.registers.ring) / 4);
  Instructions products;
  const auto fetch = [&](int i) {
    products.push_back(moving_fragment(builder, work, moving, i / groups, i % groups,
                                       /*transposed=*/true, ring.place(i), stage));
  };
  const auto use = [&](int i) {
    for (int half = 0; half < 2; ++half) {
      const isa::Register d = reg(BackwardPlan::part_of(gradient, 2 * (i % groups) + half, 0));
      products.push_back(arithmetic(plan.mma, d, reg(packed + 4 * (i / groups)),
                                    reg(ring.place(i) + 2 * half), d));
    }
  };
  ring.run(steps * groups, fetch, use);
  return products;
}

Instructions pack_weights(const BackwardPlan& plan, int first) {
  Instructions packs;
  for (int step = 0; step < plan.moving_rows / kLdsmBlock; ++step)
    for (int i = 0; i < 4; ++i) {
      const int source = BackwardPlan::part_of(first, 2 * step + i / 2, 2 * (i % 2));
      packs.push_back(
          arithmetic(plan.pack, reg(first + 4 * step + i), reg(source + 1), reg(source)));
    }
  return packs;
}

}  // namespace tcsim::kernels
