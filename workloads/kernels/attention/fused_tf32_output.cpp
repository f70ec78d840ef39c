#include <algorithm>

#include "workloads/kernels/attention/fused_products.hpp"
#include "workloads/kernels/expression_math.hpp"
#include "workloads/kernels/main_loop_parts.hpp"

namespace tcsim::kernels {
namespace {

using isa::Opcode;
using isa::Variable;

constexpr int kTf32MmaKeys = 8;  // of one MMA
constexpr int kMostAhead = 8;    // fragments of V (assumption)

/// To the nearest TF32 number, halves away from zero, as HMMA drops the 13 low bits.
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
  const int places = (plan.registers.bias - plan.registers.query) / 2;
  const int ahead = std::min({kMostAhead, places - 1, fragments});
  const auto place = [&](int i) { return plan.registers.query + i % places * 2; };
  const auto fetch = [&](int i) {
    return value_fragment(plan, builder, work, i / tiles * kTf32MmaKeys,
                          i % tiles * FusedPlan::kMmaColumns, place(i));
  };
  Instructions products;
  for (int i = 0; i < ahead; ++i) extend(products, fetch(i));
  extend(products, rounded_probabilities(plan, 0));
  for (int i = 0; i < fragments; ++i) {
    const int step = i / tiles;
    if (i + ahead < fragments) extend(products, fetch(i + ahead));
    if (i % tiles == 0 && (step + 1) * tiles < fragments)
      extend(products, rounded_probabilities(plan, step + 1));
    for (int m = 0; m < plan.m_tiles(); ++m) {
      const isa::Register d = reg(plan.output(m, i % tiles, 0));
      products.push_back(arithmetic(plan.mma, d, reg(plan.score(m, step, 0)), reg(place(i)), d));
    }
  }
  return products;
}

}  // namespace tcsim::kernels
