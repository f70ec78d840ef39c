#include "workloads/kernels/attention/fused_products.hpp"
#include "workloads/kernels/attention/panel_fragments.hpp"
#include "workloads/kernels/expression_math.hpp"

namespace tcsim::kernels {
namespace {

using isa::Opcode;
using isa::Variable;

constexpr int kTf32MmaKeys = 8;  // of one MMA
constexpr int kMostAhead = 8;    // fragments of V (assumption)

/// Rounds to the nearest TF32 number, halves away from zero, because HMMA drops the 13 low bits.
Instructions rounded_probabilities(const FusedPlan& plan, int step) {
  constexpr std::int32_t kHalfUlp = 0x1000;
  Instructions ops;
  for (int m = 0; m < plan.m_tiles(); ++m)
    for (int part = 0; part < 4; ++part) {
      const isa::Register p = reg(plan.score(m, step, part));
      ops.push_back(with_immediate(arithmetic(Opcode::kIadd3, p, p), kHalfUlp));
    }
  return ops;
}

/// B fragment of keys `first_key` to `first_key` + 7 and columns `column` to `column` + 7.
Instructions value_fragment(const FusedPlan& plan, ProgramBuilder& builder, const AddressWork& work,
                            int first_key, int column, int to) {
  Instructions loads;
  for (int half = 0; half < 2; ++half) {
    isa::Expression key = constant(first_key + half);
    add_field(key, {Variable::kLane, 0, 2, 2});
    isa::Expression beyond;
    add_field(beyond, {Variable::kLane, 2, 3, 2});  // words of two 16-bit units
    const int access = builder.access({.shared = plan.shared_v.at(key, 2 * column, beyond)});
    loads.push_back(load(Opcode::kLds32, reg(to + half), reg(work.fragment_address_b()), access));
  }
  return loads;
}

}  // namespace

Instructions tf32_output_products(const FusedPlan& plan, ProgramBuilder& builder,
                                  const AddressWork& work) {
  const int tiles = plan.output_tiles();
  const int fragments = plan.tile.keys / kTf32MmaKeys * tiles;
  constexpr int kWidth = 2;
  const FragmentRing ring(plan.registers.query,
                          (plan.registers.bias - plan.registers.query) / kWidth, kWidth);
  Instructions products;
  const auto fetch = [&](int i) {
    extend(products, value_fragment(plan, builder, work, i / tiles * kTf32MmaKeys,
                                    i % tiles * FusedPlan::kMmaColumns, ring.place(i)));
  };
  const auto use = [&](int i) {
    const int step = i / tiles;
    if (i % tiles == 0 && (step + 1) * tiles < fragments)
      extend(products, rounded_probabilities(plan, step + 1));
    for (int m = 0; m < plan.m_tiles(); ++m) {
      const isa::Register d = reg(plan.output(m, i % tiles, 0));
      products.push_back(
          arithmetic(plan.mma, d, reg(plan.score(m, step, 0)), reg(ring.place(i)), d));
    }
  };
  const auto begin = [&] { extend(products, rounded_probabilities(plan, 0)); };
  ring.run(fragments, fetch, begin, use, kMostAhead);
  return products;
}

}  // namespace tcsim::kernels
