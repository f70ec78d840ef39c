#include "workloads/kernels/dmma_math.hpp"

namespace tcsim::kernels {
namespace {

using isa::Opcode;
using isa::Variable;

constexpr int kPair = 16;        // rows or columns that one LDS.128 of a warp covers
constexpr int kFirstRowBit = 2;  // lane = 4 g + q: row or column g of a fragment, k = q
constexpr int kRowBits = 3;

}  // namespace

int DmmaMath::accumulator(const MathRegisters& registers, int block_m, int block_n) const {
  return registers.accumulators + 4 * (block_m * blocks_n() + block_n);
}

isa::Address DmmaMath::pair_address(bool is_a, int pair, int step, KTile tile) const {
  isa::Expression across = constant(std::int64_t{pair} * kPair);
  if (is_a)
    plan_.warps.add_row(across, plan_.warps.warp_m);
  else
    plan_.warps.add_column(across, plan_.warps.warp_n);
  isa::Expression k = constant(std::int64_t{step} * kStepK);
  plan_.warps.add_group(k, plan_.group_k);
  add_field(across, {Variable::kLane, kFirstRowBit, kRowBits, 2});
  add_field(k, {Variable::kLane, 0, kFirstRowBit, 1});
  return (is_a ? plan_.a : plan_.b).at(across, k, tile);
}

Instructions DmmaMath::loads(ProgramBuilder& builder, const MathRegisters& registers, int step,
                             int buffer, KTile tile) const {
  Instructions loads;
  int dst = registers.fragments + buffer * fragment_registers();
  const auto load_operand = [&](bool is_a, int pairs, int address) {
    for (int pair = 0; pair < pairs; ++pair, dst += 4)
      loads.push_back(load(Opcode::kLds128, reg(dst), reg(address),
                           builder.access({.shared = pair_address(is_a, pair, step, tile)})));
  };
  load_operand(true, blocks_m() / 2, registers.address_a);
  load_operand(false, blocks_n() / 2, registers.address_b);
  return loads;
}

Instructions DmmaMath::math(const MathRegisters& registers, int buffer) const {
  const int a = registers.fragments + buffer * fragment_registers();
  const int b = a + 2 * blocks_m();
  Instructions math;
  for (int i = 0; i < blocks_m(); ++i)
    for (int step = 0; step < blocks_n(); ++step) {
      // Serpentine: A stays while B advances; B stays where the row changes.
      const int j = i % 2 == 0 ? step : blocks_n() - 1 - step;
      const isa::Register c = reg(accumulator(registers, i, j));
      math.push_back(arithmetic(Opcode::kDmma884, c, reg(a + 2 * i), reg(b + 2 * j), c));
    }
  return math;
}

// Lane 4 g + q holds row g and columns 2 q and 2 q + 1 of an instruction's 8 x 8 sums.
AccumulatorMap DmmaMath::accumulators(const MathRegisters& registers) const {
  AccumulatorMap map;
  map.element_bytes = 8;
  for (int bit = 0; bit < kRowBits; ++bit) map.row_bits.push_back({kFirstRowBit + bit, 2 << bit});
  map.column_bits = {{0, 4}, {1, 8}};
  map.padding_bytes = 8;
  for (int i = 0; i < blocks_m(); ++i) {
    RowGroup group{.first_row = kPair * (i / 2) + i % 2, .runs = {}};
    for (int j = 0; j < blocks_n(); ++j)
      for (int half = 0; half < 2; ++half)
        group.runs.push_back(
            {reg(accumulator(registers, i, j) + 2 * half), 2, kPair * (j / 2) + j % 2 + 2 * half});
    map.groups.push_back(std::move(group));
  }
  return map;
}

}  // namespace tcsim::kernels
