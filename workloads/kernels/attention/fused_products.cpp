#include "workloads/kernels/attention/fused_products.hpp"

#include "workloads/kernels/attention/panel_fragments.hpp"
#include "workloads/kernels/expression_math.hpp"

namespace tcsim::kernels {
namespace {

using isa::Opcode;
using isa::Variable;

/// Where the fragments of k-step `step` are: two steps take turns unless all are kept.
int query_place(const FusedPlan& plan, int step) {
  const int first = plan.tile.keeps_query ? plan.registers.kept_query : plan.registers.query;
  return first + 4 * (plan.tile.keeps_query ? step : step % 2) * plan.m_tiles();
}

Instructions query_fragments(const FusedPlan& plan, ProgramBuilder& builder,
                             const AddressWork& work, int step) {
  Instructions loads;
  for (int m = 0; m < plan.m_tiles(); ++m) {
    isa::Expression row = constant(std::int64_t{m} * kLdsmBlock * plan.tile.warps);
    add_term(row, {.variable = Variable::kWarp, .coefficient = kLdsmBlock});
    const int access =
        builder.access({.shared = matrix_rows(plan.shared_q, row, step * kLdsmBlock, 3)});
    const int dst = query_place(plan, step) + 4 * m;
    loads.push_back(load(Opcode::kLdsmX4, reg(dst), reg(work.fragment_address_a()), access));
  }
  return loads;
}

/// The scores of k-step `step` in place, two per register: a pair of accumulator tiles has the
/// layout of an A fragment.
Instructions packed_probabilities(const FusedPlan& plan, int step) {
  Instructions packs;
  for (int m = 0; m < plan.m_tiles(); ++m)
    for (int i = 0; i < 4; ++i) {
      const int source = plan.score(m, 2 * step + i / 2, 2 * (i % 2));
      extend(packs, packed_pair(plan, plan.probability(m, step) + i, source, source + 1));
    }
  return packs;
}

/// d = a b + c for 16 x 16 elements of a; each of Turing's MMAs takes half of the columns.
void multiply(Instructions& products, const FusedPlan& plan, isa::Register d, int a, int b,
              isa::Register c) {
  products.push_back(arithmetic(plan.mma, d, reg(a), reg(b), c));
  if (plan.form == FusedForm::kTuring)
    products.push_back(arithmetic(plan.mma, d, reg(a + 2), reg(b + 1), d));
}

}  // namespace

Instructions packed_pair(const FusedPlan& plan, int to, int low, int high) {
  if (!plan.is_staged()) return {arithmetic(plan.pack, reg(to), reg(high), reg(low))};
  return {arithmetic(Opcode::kF2f, reg(low), reg(low)),
          arithmetic(Opcode::kF2f, reg(high), reg(high)),
          with_immediate(arithmetic(Opcode::kPrmt, reg(to), reg(low), reg(high)), kLowHalves)};
}

Instructions kept_query(const FusedPlan& plan, ProgramBuilder& builder, const AddressWork& work) {
  Instructions loads;
  for (int step = 0; step < plan.row_halves() / kLdsmBlock; ++step)
    extend(loads, query_fragments(plan, builder, work, step));
  return loads;
}

Instructions score_products(const FusedPlan& plan, ProgramBuilder& builder,
                            const AddressWork& work) {
  const int steps = plan.row_halves() / kLdsmBlock;
  const isa::Register start = plan.is_int8() ? reg(plan.registers.bias) : isa::kZeroRegister;
  const int groups = plan.tile.keys / kLdsmBlock;
  const FragmentRing ring(plan.registers.ring, plan.ring_groups());
  const bool loads_query = !plan.tile.keeps_query;
  Instructions products = loads_query ? query_fragments(plan, builder, work, 0) : Instructions{};
  const auto fetch = [&](int i) {
    products.push_back(moving_fragment(builder, work, plan.shared_k, i % groups, i / groups,
                                       /*transposed=*/false, ring.place(i)));
  };
  const auto use = [&](int i) {
    const int step = i / groups;
    if (loads_query && i % groups == groups / 2 && step + 1 < steps)
      extend(products, query_fragments(plan, builder, work, step + 1));
    for (int half = 0; half < 2; ++half)
      for (int m = 0; m < plan.m_tiles(); ++m) {
        const isa::Register d = reg(plan.score(m, 2 * (i % groups) + half, 0));
        multiply(products, plan, d, query_place(plan, step) + 4 * m, ring.place(i) + 2 * half,
                 step == 0 ? start : d);
      }
  };
  ring.run(steps * groups, fetch, use);
  return products;
}

Instructions output_products(const FusedPlan& plan, ProgramBuilder& builder,
                             const AddressWork& work) {
  if (plan.is_tf32()) return tf32_output_products(plan, builder, work);
  if (plan.is_int8()) return int8_output_products(plan, builder, work);
  const int steps = plan.tile.keys / kLdsmBlock;
  const int groups = plan.dim / kLdsmBlock;
  // The passing Q fragments are not needed here, so the ring uses their registers.
  const FragmentRing ring(plan.registers.query, (plan.registers.bias - plan.registers.query) / 4);
  Instructions products;
  const auto fetch = [&](int i) {
    products.push_back(moving_fragment(builder, work, plan.shared_v, i / groups, i % groups,
                                       /*transposed=*/true, ring.place(i)));
  };
  const auto use = [&](int i) {
    if (i % groups == 0 && i / groups + 1 < steps)
      extend(products, packed_probabilities(plan, i / groups + 1));
    for (int half = 0; half < 2; ++half)
      for (int m = 0; m < plan.m_tiles(); ++m) {
        const isa::Register d = reg(plan.output(m, 2 * (i % groups) + half, 0));
        multiply(products, plan, d, plan.probability(m, i / groups), ring.place(i) + 2 * half, d);
      }
  };
  const auto begin = [&] { extend(products, packed_probabilities(plan, 0)); };
  ring.run(steps * groups, fetch, begin, use);
  return products;
}

}  // namespace tcsim::kernels
