#include "workloads/kernels/simt_math.hpp"

namespace tcsim::kernels {
namespace {

using isa::Opcode;
using isa::Variable;

}  // namespace

// The columns of a pair of 32-bit sums are exchanged. The accumulator and the B operand of an FFMA
// then have opposite parity, so that three operands never use the same register bank.
int SimtMath::accumulator(const MathRegisters& registers, int row, int column) const {
  const int word = columns() * row + (word_registers() == 1 ? column ^ 1 : column);
  return registers.accumulators + word_registers() * word;
}

Instructions SimtMath::loads(ProgramBuilder& builder, const MathRegisters& registers, int step,
                             int buffer, KTile tile) const {
  Instructions loads;
  int dst = registers.fragments + buffer * fragment_registers();
  const int split = column_lane_bits();
  const auto load_operand = [&](const SharedTile& shared, const isa::Expression& across, int side,
                                int words, int address) {
    constexpr int kRegisters = 4;
    isa::Expression k = constant(step);
    plan_.warps.add_group(k, plan_.group_k);
    for (int first = 0; first < words; first += run(), dst += kRegisters) {
      isa::Expression place = across;
      place.constant += std::int64_t{first} * side / words;
      loads.push_back(load(Opcode::kLds128, reg(dst), reg(address),
                           builder.access({.shared = shared.at(place, k, tile)})));
    }
  };
  isa::Expression row;
  plan_.warps.add_row(row, plan_.warps.warp_m);
  add_field(row, {Variable::kLane, 0, 1, run()});
  add_field(row, {Variable::kLane, 1 + split, kLaneBits - 1 - split, std::int64_t{2} * run()});
  load_operand(plan_.a, row, plan_.warps.warp_m, kRows, registers.address_a);
  isa::Expression column;
  plan_.warps.add_column(column, plan_.warps.warp_n);
  add_field(column, {Variable::kLane, 1, split, run()});
  load_operand(plan_.b, column, plan_.warps.warp_n, columns(), registers.address_b);
  return loads;
}

Instructions SimtMath::math(const MathRegisters& registers, int buffer) const {
  const int a = registers.fragments + buffer * fragment_registers();
  const int words = word_registers();
  const int b = a + kRows * words;
  Instructions math;
  for (int i = 0; i < kRows; ++i)
    for (int step = 0; step < columns(); ++step) {
      const int j = i % 2 == 0 ? step : columns() - 1 - step;
      const isa::Register c = reg(accumulator(registers, i, j));
      math.push_back(arithmetic(plan_.multiply, c, reg(a + words * i), reg(b + words * j), c));
    }
  return math;
}

Instructions SimtMath::finish(const MathRegisters& registers) const {
  Instructions ops;
  if (plan_.multiply != Opcode::kHfma2) return ops;
  for (int i = 0; i < accumulator_registers(); ++i) {
    const isa::Register sum = reg(registers.accumulators + i);
    const isa::Register even = reg(registers.fragments + 2 * i % fragment_registers());
    const isa::Register odd = reg(registers.fragments + (2 * i + 1) % fragment_registers());
    ops.push_back(with_immediate(arithmetic(Opcode::kHadd2F32, even, sum), 0));
    ops.push_back(with_immediate(arithmetic(Opcode::kHadd2F32, odd, sum), 1));
    ops.push_back(arithmetic(Opcode::kFadd, sum, even, odd));
  }
  return ops;
}

AccumulatorMap SimtMath::accumulators(const MathRegisters& registers) const {
  const int split = column_lane_bits();
  AccumulatorMap map;
  map.element_bytes = 4 * word_registers();
  map.swapped_pairs = word_registers() == 1;
  map.row_bits.push_back({0, run()});
  for (int bit = 1 + split; bit < kLaneBits; ++bit)
    map.row_bits.push_back({bit, run() << (bit - split)});
  for (int bit = 0; bit < split; ++bit) map.column_bits.push_back({1 + bit, run() << bit});
  map.padding_bytes = 64;  // eight lanes store 128 bytes of two rows; this puts them side by side
  const auto place = [&](int word, int side, int words) {
    return word / run() * run() * side / words + word % run();
  };
  for (int i = 0; i < kRows; ++i) {
    RowGroup group{.first_row = place(i, plan_.warps.warp_m, kRows), .runs = {}};
    for (int j = 0; j < columns(); j += run()) {
      const int first = registers.accumulators + word_registers() * (columns() * i + j);
      group.runs.push_back(
          {reg(first), run() * word_registers(), place(j, plan_.warps.warp_n, columns())});
    }
    map.groups.push_back(std::move(group));
  }
  return map;
}

}  // namespace tcsim::kernels
