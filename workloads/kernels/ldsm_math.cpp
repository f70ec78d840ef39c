#include "workloads/kernels/ldsm_math.hpp"

#include <algorithm>

namespace tcsim::kernels {
namespace {

using isa::Variable;

constexpr int kEighth = 8;  // rows of a matrix that LDSM brings

/// Bytes of one row of A.
int row_bytes(const isa::OpcodeInfo& mma) {
  constexpr int kRegisterBytes = 4 * 32;
  return mma.src_registers[0] * kRegisterBytes / mma.m;
}

}  // namespace

int LdsmMath::step_bytes(isa::Opcode mma) {
  constexpr int kShortest = 32;  // two matrices along k for an LDSM.x4
  return std::max(kShortest, row_bytes(isa::opcode_info(mma)));
}

LdsmMath::LdsmMath(const Plan& plan)
    : plan_(plan),
      mma_(isa::opcode_info(plan.mma)),
      step_bytes_(step_bytes(plan.mma)),
      order_a_(order_of(/*is_a=*/true)),
      order_b_(order_of(/*is_a=*/false)) {}

LdsmMath::PlaceBit LdsmMath::FragmentOrder::place(int number) const {
  PlaceBit sum;
  for (std::size_t bit = 0; bit < bits.size(); ++bit) {
    if ((number >> bit & 1) == 0) continue;
    sum.across += bits[bit].across;
    sum.chunk += bits[bit].chunk;
  }
  return sum;
}

int LdsmMath::FragmentOrder::number(int across, int chunk) const {
  int number = 0;
  for (std::size_t bit = 0; bit < bits.size(); ++bit) {
    const bool is_set = (bits[bit].across != 0 && (across & bits[bit].across) != 0) ||
                        (bits[bit].chunk != 0 && (chunk & bits[bit].chunk) != 0);
    if (is_set) number |= 1 << bit;
  }
  return number;
}

// A fragment has the order of numerics::Fragment: A has halves of 16 rows, then k, then further
// rows; B has k, then further columns. The remaining bits of the step follow: for A the other half
// of 16 rows if the MMA has eight, then further k, then rows; for B further k, then columns.
LdsmMath::FragmentOrder LdsmMath::order_of(bool is_a) const {
  const int across = is_a ? plan_.warps.warp_m : plan_.warps.warp_n;
  const int of_mma = is_a ? mma_.m : mma_.n;
  const int chunks = row_bytes(mma_) / kChunkBytes;
  FragmentOrder order;
  const auto add_across = [&order](int from, int to) {
    for (int weight = from; weight < to; weight *= 2) order.bits.push_back({weight, 0});
  };
  const auto add_chunks = [&order](int from, int to) {
    for (int weight = from; weight < to; weight *= 2) order.bits.push_back({0, weight});
  };
  int next = kEighth;
  if (is_a && of_mma > kEighth) {
    add_across(next, kLdsmBlock);
    next = kLdsmBlock;
  }
  add_chunks(1, chunks);
  add_across(next, of_mma);
  next = std::max(next, of_mma);
  if (is_a && next == kEighth) {
    add_across(next, kLdsmBlock);
    next = kLdsmBlock;
  }
  add_chunks(chunks, step_bytes_ / kChunkBytes);
  add_across(next, across);
  order.registers = across / kEighth * step_bytes_ / kChunkBytes;
  return order;
}

int LdsmMath::sum_registers() const {
  return mma_.dst_registers * kEighth * kEighth / (mma_.m * mma_.n);
}

int LdsmMath::accumulator_registers() const {
  return 2 * blocks_m() * blocks_n() * sum_registers();
}

int LdsmMath::fragment_registers() const { return order_a_.registers + order_b_.registers; }

// The sums of an MMA are consecutive: halves of 16 rows, columns, further rows. An MMA of eight
// rows has its columns first, followed by the other half of the rows.
int LdsmMath::sums(const MathRegisters& registers, int eighth_m, int eighth_n) const {
  const int tiles_n = plan_.warps.warp_n / mma_.n;
  const int columns = mma_.n / kEighth;
  const int rows = std::max<int>(mma_.m, kLdsmBlock) / kEighth;
  const int tile = eighth_m / rows * tiles_n + eighth_n / columns;
  const int half = eighth_m % 2;
  const int column = eighth_n % columns;
  const int place = mma_.m == kEighth ? column + columns * half
                                      : half + 2 * (column + columns * (eighth_m % rows / 2));
  return registers.accumulators + sum_registers() * (tile * rows * columns + place);
}

int LdsmMath::accumulator(const MathRegisters& registers, int block_m, int block_n) const {
  return sums(registers, 2 * block_m, block_n);
}

LdsmMath::Corner LdsmMath::corner(const SharedTile& shared, bool is_a, int number, int step) const {
  const PlaceBit place = (is_a ? order_a_ : order_b_).place(number);
  Corner corner{constant(place.across), constant((std::int64_t{step} * step_bytes_ +
                                                  std::int64_t{place.chunk} * kChunkBytes) /
                                                 shared.element_bytes)};
  if (is_a)
    plan_.warps.add_row(corner.across, plan_.warps.warp_m);
  else
    plan_.warps.add_column(corner.across, plan_.warps.warp_n);
  plan_.warps.add_group(corner.k, plan_.group_k_bytes / shared.element_bytes);
  return corner;
}

// Lanes 8i..8i+7 name the rows of matrix i, which becomes register i: lane bits 3 and 4 are the two
// lowest bits of the register.
isa::Address LdsmMath::row_address(const SharedTile& shared, bool is_a, int number, int step,
                                   KTile tile) const {
  const FragmentOrder& order = is_a ? order_a_ : order_b_;
  const int chunk_elements = kChunkBytes / shared.element_bytes;
  Corner place = corner(shared, is_a, number, step);
  isa::Expression& row = shared.k_contiguous ? place.across : place.k;
  add_field(row, {Variable::kLane, 0, 3, 1});
  for (int bit = 0; bit < 2; ++bit) {
    const PlaceBit& weight = order.bits[static_cast<std::size_t>(bit)];
    if (weight.across != 0) add_field(place.across, {Variable::kLane, 3 + bit, 1, weight.across});
  }
  for (int bit = 0; bit < 2; ++bit) {
    const PlaceBit& weight = order.bits[static_cast<std::size_t>(bit)];
    if (weight.chunk != 0)
      add_field(place.k,
                {Variable::kLane, 3 + bit, 1, std::int64_t{weight.chunk} * chunk_elements});
  }
  return shared.at(place.across, place.k, tile);
}

// Each register of a fragment is a row of its matrix as LDSM deals it: lane 4 g + q holds row
// (column) g and k = q.
isa::Address LdsmMath::word_address(const SharedTile& shared, bool is_a, int number, int step,
                                    KTile tile) const {
  Corner place = corner(shared, is_a, number, step);
  add_field(place.across, {Variable::kLane, 2, 3, 1});
  add_field(place.k, {Variable::kLane, 0, 2, 1});
  return shared.at(place.across, place.k, tile);
}

Instructions LdsmMath::operand_loads(ProgramBuilder& builder, const MathRegisters& registers,
                                     bool is_a, int first, int step, KTile tile) const {
  constexpr int kMatrices = 4;
  const SharedTile& shared = is_a ? plan_.a : plan_.b;
  const isa::Register address = reg(is_a ? registers.address_a : registers.address_b);
  const bool is_by_words = !shared.k_contiguous && shared.element_bytes == 4;
  const isa::Opcode opcode = shared.k_contiguous ? isa::Opcode::kLdsmX4 : isa::Opcode::kLdsmTX4;
  const int count = (is_a ? order_a_ : order_b_).registers;
  Instructions loads;
  for (int number = 0; number < count; number += is_by_words ? 1 : kMatrices) {
    if (is_by_words)
      loads.push_back(
          load(isa::Opcode::kLds32, reg(first + number), address,
               builder.access({.shared = word_address(shared, is_a, number, step, tile)})));
    else
      loads.push_back(
          load(opcode, reg(first + number), address,
               builder.access({.shared = row_address(shared, is_a, number, step, tile)})));
  }
  return loads;
}

Instructions LdsmMath::row_loads(ProgramBuilder& builder, const MathRegisters& registers, int first,
                                 int step, KTile tile) const {
  return operand_loads(builder, registers, /*is_a=*/true, first, step, tile);
}

Instructions LdsmMath::loads(ProgramBuilder& builder, const MathRegisters& registers, int step,
                             int buffer, KTile tile) const {
  const int a = registers.fragments + buffer * fragment_registers();
  Instructions loads = row_loads(builder, registers, a, step, tile);
  extend(loads,
         operand_loads(builder, registers, /*is_a=*/false, a + order_a_.registers, step, tile));
  return loads;
}

Instructions LdsmMath::math(const MathRegisters& registers, int buffer) const {
  const int a0 = registers.fragments + buffer * fragment_registers();
  const int b0 = a0 + order_a_.registers;
  const int rows = std::max<int>(mma_.m, kLdsmBlock);  // m8 covers both halves of 16
  const int tiles_n = plan_.warps.warp_n / mma_.n;
  const int chunks = row_bytes(mma_) / kChunkBytes;
  Instructions math;
  for (int chunk = 0; chunk < step_bytes_ / kChunkBytes; chunk += chunks)
    for (int i = 0; i < plan_.warps.warp_m / rows; ++i)
      for (int step = 0; step < tiles_n; ++step) {
        // Serpentine: A stays while B advances; B stays where the row changes.
        const int j = i % 2 == 0 ? step : tiles_n - 1 - step;
        const isa::Register b = reg(b0 + order_b_.number(j * mma_.n, chunk));
        for (int row = i * rows; row < (i + 1) * rows; row += mma_.m) {
          const isa::Register c = reg(sums(registers, row / kEighth, j * mma_.n / kEighth));
          math.push_back(arithmetic(plan_.mma, c, reg(a0 + order_a_.number(row, chunk)), b, c));
        }
      }
  return math;
}

AccumulatorMap LdsmMath::accumulators(const MathRegisters& registers) const {
  const int run = sum_registers();  // of one row: two columns
  AccumulatorMap map;
  map.element_bytes = 2 * run;
  map.row_bits = {{2, 1}, {3, 2}, {4, 4}};
  map.column_bits = {{0, 2}, {1, 4}};
  map.padding_bytes =
      4 * map.element_bytes * 2;  // four lanes of two elements each: their share of one row
  for (int eighth = 0; eighth < 2 * blocks_m(); ++eighth) {
    RowGroup group{.first_row = kEighth * eighth, .runs = {}};
    for (int j = 0; j < blocks_n(); ++j)
      group.runs.push_back({reg(sums(registers, eighth, j)), run, kEighth * j});
    map.groups.push_back(std::move(group));
  }
  return map;
}

}  // namespace tcsim::kernels
