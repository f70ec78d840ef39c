#include "workloads/kernels/quad_pair_math.hpp"

#include <array>

namespace tcsim::kernels {
namespace {

using isa::Opcode;
using isa::Variable;

constexpr int kSet = 4;  // k of one HMMA.884
constexpr int kHalvesPerChunk = 8;

// Lane bits: two number the lane inside its thread group, then the parities of its quad pair along
// m and n, then which thread group of the pair it belongs to (numerics.md 12).
constexpr int kParityBitM = 2;
constexpr int kParityBitN = 3;
constexpr int kGroupBit = 4;

constexpr std::array kSingleSteps{Opcode::kHmma884F32Step0, Opcode::kHmma884F32Step1,
                                  Opcode::kHmma884F32Step2, Opcode::kHmma884F32Step3};
constexpr std::array kHalfSteps{Opcode::kHmma884F16Step0, Opcode::kHmma884F16Step1};

/// How the rows (or columns) of a quad pair's blocks are placed in the warp tile.
struct BlockMap {
  int group_weight;   ///< of r div 4
  int parity_weight;  ///< of the quad pair's parity

  static BlockMap of(const SharedTile& shared) {
    return shared.k_contiguous ? BlockMap{8, 4} : BlockMap{16, 8};
  }
  [[nodiscard]] int first(const SharedTile& shared, int block) const {
    return shared.k_contiguous ? 16 * block : 32 * (block / 2) + 4 * (block % 2);
  }
};

/// Loads of one operand for one step: `blocks` blocks, four registers each, in pairs (block, set of
/// k).
void load_operand(ProgramBuilder& builder, Instructions& loads, const SharedTile& shared,
                  isa::Expression origin, int parity_bit, int blocks,
                  const isa::Expression& first_k, KTile tile, int dst, isa::Register address) {
  const BlockMap map = BlockMap::of(shared);
  add_field(origin, {Variable::kLane, parity_bit, 1, map.parity_weight});
  add_field(origin, {Variable::kLane, kGroupBit, 1, map.group_weight});
  for (int i = 0; i < blocks; ++i) {
    isa::Expression across = origin;
    isa::Expression k = first_k;
    if (shared.k_contiguous) {
      across.constant += map.first(shared, i);
      add_field(across, {Variable::kLane, 0, 2, 1});
    } else {  // load i: two blocks of one set
      across.constant += map.first(shared, i / 2 * 2);
      k.constant += std::int64_t{i % 2} * kSet;
      add_field(k, {Variable::kLane, 0, 2, 1});
    }
    loads.push_back(load(Opcode::kLds128, reg(dst + 4 * i), address,
                         builder.access({.shared = shared.at(across, k, tile)})));
  }
}

/// First register of the pair of block `block` and set `set` among the fragments at `first`.
int fragment_pair(const SharedTile& shared, int first, int block, int set) {
  return shared.k_contiguous ? first + 4 * block + 2 * set
                             : first + 4 * (block / 2 * 2 + set) + 2 * (block % 2);
}

}  // namespace

int QuadPairMath::accumulator_registers() const {
  return blocks_m() * blocks_n() * (plan_.half_accumulators ? 4 : 8);
}

int QuadPairMath::fragment_registers() const { return 4 * (blocks_m() + blocks_n()); }

int QuadPairMath::accumulator_pair(const MathRegisters& registers, int p, int n, int step) const {
  const int block = p * blocks_n() + n;
  if (!plan_.half_accumulators) return registers.accumulators + 8 * block + 2 * step;
  if (plan_.b.k_contiguous) return registers.accumulators + 4 * block + 2 * step;
  // Blocks 2i and 2i + 1 hold neighbouring columns: their pairs of one step form a run of four
  // registers.
  return registers.accumulators + 8 * (block / 2) + 4 * step + 2 * (n % 2);
}

Instructions QuadPairMath::loads(ProgramBuilder& builder, const MathRegisters& registers, int step,
                                 int buffer, KTile tile) const {
  Instructions loads;
  const int first = registers.fragments + buffer * fragment_registers();
  isa::Expression k = constant(std::int64_t{step} * QuadPairMath::kStep);
  plan_.warps.add_group(k, plan_.group_k);
  isa::Expression row;
  plan_.warps.add_row(row, plan_.warps.warp_m);
  load_operand(builder, loads, plan_.a, row, kParityBitM, blocks_m(), k, tile, first,
               reg(registers.address_a));
  isa::Expression column;
  plan_.warps.add_column(column, plan_.warps.warp_n);
  load_operand(builder, loads, plan_.b, column, kParityBitN, blocks_n(), k, tile,
               first + 4 * blocks_m(), reg(registers.address_b));
  return loads;
}

Instructions QuadPairMath::math(const MathRegisters& registers, int buffer) const {
  const int a0 = registers.fragments + buffer * fragment_registers();
  const int b0 = a0 + 4 * blocks_m();
  const std::int32_t layout = (plan_.a.k_contiguous ? 0 : isa::kColumnMajorA) |
                              (plan_.b.k_contiguous ? 0 : isa::kRowMajorB);
  const std::span<const Opcode> steps =
      plan_.half_accumulators ? std::span<const Opcode>(kHalfSteps) : kSingleSteps;
  Instructions math;
  for (int set = 0; set < QuadPairMath::kStep / kSet; ++set)
    for (int p = 0; p < blocks_m(); ++p)
      for (int i = 0; i < blocks_n(); ++i) {
        const int n = p % 2 == 0 ? i : blocks_n() - 1 - i;
        const isa::Register a = reg(fragment_pair(plan_.a, a0, p, set));
        const isa::Register b = reg(fragment_pair(plan_.b, b0, n, set));
        for (std::size_t step = 0; step < steps.size(); ++step) {
          const isa::Register c = reg(accumulator_pair(registers, p, n, static_cast<int>(step)));
          math.push_back(arithmetic(steps[step], c, a, b, c));
          math.back().immediate = layout;
        }
      }
  return math;
}

AccumulatorMap QuadPairMath::accumulators(const MathRegisters& registers) const {
  return plan_.half_accumulators ? half_map(registers) : single_map(registers);
}

// FP32 element i of a lane: row (lane bit 0) + (i and 2) + 4 (group), column (i and 4) + 2 (lane
// bit 1) + i mod 2.
AccumulatorMap QuadPairMath::single_map(const MathRegisters& registers) const {
  const BlockMap rows = BlockMap::of(plan_.a);
  const BlockMap columns = BlockMap::of(plan_.b);
  AccumulatorMap map;
  map.element_bytes = 4;
  map.row_bits = {{0, 1}, {kParityBitM, rows.parity_weight}, {kGroupBit, rows.group_weight}};
  map.column_bits = {{1, 2}, {kParityBitN, columns.parity_weight}};
  map.padding_bytes = 32;
  if (!plan_.b.k_contiguous) {  // a half warp stores two 16-byte pieces of a row, 32 bytes apart
    std::swap(map.row_bits[1], map.row_bits[2]);
    map.padding_bytes = 16;
  }
  for (int p = 0; p < blocks_m(); ++p)
    for (int upper = 0; upper < 2; ++upper) {
      RowGroup group{.first_row = rows.first(plan_.a, p) + 2 * upper, .runs = {}};
      for (int n = 0; n < blocks_n(); ++n)
        for (int right = 0; right < 2; ++right)
          group.runs.push_back({reg(accumulator_pair(registers, p, n, 2 * right + upper)), 2,
                                columns.first(plan_.b, n) + right * columns.group_weight});
      map.groups.push_back(std::move(group));
    }
  return map;
}

// FP16 element i of a lane: row (lane bits 0, 1) + 4 (group), column i.
AccumulatorMap QuadPairMath::half_map(const MathRegisters& registers) const {
  const BlockMap rows = BlockMap::of(plan_.a);
  const BlockMap columns = BlockMap::of(plan_.b);
  const int joined = plan_.b.k_contiguous ? 1 : 2;  // blocks that one run spans
  AccumulatorMap map;
  map.element_bytes = 2;
  map.row_bits = {
      {0, 1}, {1, 2}, {kParityBitM, rows.parity_weight}, {kGroupBit, rows.group_weight}};
  map.column_bits = {{kParityBitN, columns.parity_weight}};
  map.padding_bytes = 2 * kHalvesPerChunk;
  for (int p = 0; p < blocks_m(); ++p) {
    RowGroup group{.first_row = rows.first(plan_.a, p), .runs = {}};
    for (int n = 0; n < blocks_n(); n += joined)
      for (int right = 0; right < 2; ++right)
        group.runs.push_back({reg(accumulator_pair(registers, p, n, right)), 2 * joined,
                              columns.first(plan_.b, n) + right * columns.group_weight});
    map.groups.push_back(std::move(group));
  }
  return map;
}

isa::Swizzle quad_pair_swizzle(int pitch_bytes) {
  constexpr int kBase = 5;
  return {.bits = 2,
          .base = kBase,
          .shift = static_cast<std::uint8_t>(log2_exact(pitch_bytes) - kBase)};
}

}  // namespace tcsim::kernels
