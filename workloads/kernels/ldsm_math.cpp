#include "workloads/kernels/ldsm_math.hpp"

namespace tcsim::kernels {
namespace {

constexpr int kStepBytes = 32;

using isa::Variable;

}  // namespace

int LdsmMath::block_registers() const {
  const isa::OpcodeInfo& info = isa::opcode_info(plan_.mma);
  return info.dst_registers * kLdsmBlock / info.m;
}

int LdsmMath::accumulator_registers() const { return blocks_m() * blocks_n() * block_registers(); }

int LdsmMath::fragment_registers() const {
  return (plan_.warps.warp_m + plan_.warps.warp_n) / kLdsmBlock * 4;
}

int LdsmMath::accumulator(const MathRegisters& registers, int block_m, int block_n) const {
  return registers.accumulators + block_registers() * (block_m * blocks_n() + block_n);
}

LdsmMath::Corner LdsmMath::corner(const SharedTile& shared, bool is_a, int block, int step) const {
  Corner corner{constant(std::int64_t{block} * kLdsmBlock),
                constant(std::int64_t{step} * (kStepBytes / shared.element_bytes))};
  if (is_a)
    plan_.warps.add_row(corner.across, plan_.warps.warp_m);
  else
    plan_.warps.add_column(corner.across, plan_.warps.warp_n);
  plan_.warps.add_group(corner.k, plan_.group_k_bytes / shared.element_bytes);
  return corner;
}

// Lanes 8i..8i+7 name the rows of matrix i. A's registers want the matrices (rows 0-7, k low),
// (rows 8-15, k low), (rows 0-7, k high), (rows 8-15, k high); B's want (columns 0-7, k low),
// (columns 0-7, k high), then the same for columns 8-15 (numerics.md 13). So lane bits 3 and 4
// choose the half across and the half of k, in either order.
isa::Address LdsmMath::row_address(const SharedTile& shared, bool is_a, int block, int step,
                                   KTile tile) const {
  const int across_bit = is_a ? 3 : 4;
  const int k_bit = is_a ? 4 : 3;
  const int chunk_elements = kChunkBytes / shared.element_bytes;
  Corner place = corner(shared, is_a, block, step);
  isa::Expression& row = shared.k_contiguous ? place.across : place.k;
  add_field(row, {Variable::kLane, 0, 3, 1});
  add_field(place.across, {Variable::kLane, across_bit, 1, kLdsmBlock / 2});
  add_field(place.k, {Variable::kLane, k_bit, 1, chunk_elements});
  return shared.at(place.across, place.k, tile);
}

// Register i of a fragment is row i of matrix i as LDSM deals it: lane 4 g + q holds row (column) g
// and k = q of the matrices named above.
isa::Address LdsmMath::word_address(const SharedTile& shared, bool is_a, int block, int step,
                                    int word, KTile tile) const {
  const bool is_far_across = is_a ? word % 2 == 1 : word / 2 == 1;
  const bool is_far_k = is_a ? word / 2 == 1 : word % 2 == 1;
  Corner place = corner(shared, is_a, block, step);
  place.across.constant += is_far_across ? kLdsmBlock / 2 : 0;
  place.k.constant += is_far_k ? kStepBytes / shared.element_bytes / 2 : 0;
  add_field(place.across, {Variable::kLane, 2, 3, 1});
  add_field(place.k, {Variable::kLane, 0, 2, 1});
  return shared.at(place.across, place.k, tile);
}

Instructions LdsmMath::block_loads(ProgramBuilder& builder, const MathRegisters& registers,
                                   bool is_a, int first, int step, KTile tile) const {
  constexpr int kLaneWords = 4;  // of a lane, that an LDSM.x4 or four LDS bring
  const SharedTile& shared = is_a ? plan_.a : plan_.b;
  const isa::Register address = reg(is_a ? registers.address_a : registers.address_b);
  const bool is_by_words = !shared.k_contiguous && shared.element_bytes == 4;
  const isa::Opcode opcode = shared.k_contiguous ? isa::Opcode::kLdsmX4 : isa::Opcode::kLdsmTX4;
  const int blocks = (is_a ? plan_.warps.warp_m : plan_.warps.warp_n) / kLdsmBlock;
  Instructions loads;
  for (int block = 0; block < blocks; ++block) {
    const int to = first + kLaneWords * block;
    for (int word = 0; is_by_words && word < kLaneWords; ++word)
      loads.push_back(
          load(isa::Opcode::kLds32, reg(to + word), address,
               builder.access({.shared = word_address(shared, is_a, block, step, word, tile)})));
    if (!is_by_words)
      loads.push_back(
          load(opcode, reg(to), address,
               builder.access({.shared = row_address(shared, is_a, block, step, tile)})));
  }
  return loads;
}

Instructions LdsmMath::row_loads(ProgramBuilder& builder, const MathRegisters& registers, int first,
                                 int step, KTile tile) const {
  return block_loads(builder, registers, /*is_a=*/true, first, step, tile);
}

Instructions LdsmMath::loads(ProgramBuilder& builder, const MathRegisters& registers, int step,
                             int buffer, KTile tile) const {
  const int a = registers.fragments + buffer * fragment_registers();
  const int b = a + 4 * (plan_.warps.warp_m / kLdsmBlock);
  Instructions loads = row_loads(builder, registers, a, step, tile);
  const Instructions columns = block_loads(builder, registers, /*is_a=*/false, b, step, tile);
  loads.insert(loads.end(), columns.begin(), columns.end());
  return loads;
}

Instructions LdsmMath::math(const MathRegisters& registers, int buffer) const {
  const isa::OpcodeInfo& info = isa::opcode_info(plan_.mma);
  const int halves = kLdsmBlock / info.m;  // m8n8k16 covers half of the rows
  const int of_a = info.src_registers[0] * halves;
  const int parts = 4 / of_a;  // m16n8k8 and m8n8k16 cover half of k
  const int a0 = registers.fragments + buffer * fragment_registers();
  const int b0 = a0 + 4 * blocks_m();
  Instructions math;
  for (int part = 0; part < parts; ++part)
    for (int i = 0; i < blocks_m(); ++i)
      for (int step = 0; step < blocks_n(); ++step) {
        // Serpentine: A stays while B advances, B stays where the row changes.
        const int j = i % 2 == 0 ? step : blocks_n() - 1 - step;
        const int a = a0 + 4 * i + part * of_a;
        const int b = b0 + 2 * j + part * info.src_registers[1];
        for (int half = 0; half < halves; ++half) {
          const isa::Register c = reg(accumulator(registers, i, j) + half * info.dst_registers);
          math.push_back(
              arithmetic(plan_.mma, c, reg(a + half * info.src_registers[0]), reg(b), c));
        }
      }
  return math;
}

AccumulatorMap LdsmMath::accumulators(const MathRegisters& registers) const {
  const int run = block_registers() / 2;  // of one row: two columns
  AccumulatorMap map;
  map.element_bytes = 2 * run;
  map.row_bits = {{2, 1}, {3, 2}, {4, 4}};
  map.column_bits = {{0, 2}, {1, 4}};
  map.padding_bytes =
      4 * map.element_bytes * 2;  // four lanes of two elements each: one row's share
  for (int i = 0; i < blocks_m(); ++i)
    for (int half = 0; half < 2; ++half) {
      RowGroup group{.first_row = kLdsmBlock * i + 8 * half, .runs = {}};
      for (int j = 0; j < blocks_n(); ++j)
        group.runs.push_back({reg(accumulator(registers, i, j) + half * run), run, 8 * j});
      map.groups.push_back(std::move(group));
    }
  return map;
}

}  // namespace tcsim::kernels
