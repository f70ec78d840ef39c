#include "workloads/kernels/sparse_math.hpp"

#include <algorithm>

#include "workloads/kernels/sparse_metadata.hpp"

namespace tcsim::kernels {
namespace {

using isa::Opcode;
using isa::Variable;

constexpr int kRowsOfMma = 16;
constexpr int kMatrixRowBytes = 16;
constexpr int kMostMatrices = 4;

Opcode matrix_load(int matrices) {
  return matrices == 4 ? Opcode::kLdsmX4 : matrices == 2 ? Opcode::kLdsmX2 : Opcode::kLdsmX1;
}

}  // namespace

int SparseMath::metadata_registers() const {
  return plan().warps.warp_m * row_bytes_ / MetadataOrder::kBlockBytes;
}

int SparseMath::fragment_registers() const {
  return a_registers() + b_registers() + metadata_registers();
}

int SparseMath::buffered_registers() const {
  return 2 * a_registers() + b_registers() + 2 * metadata_registers();
}

int SparseMath::fragment_a(const MathRegisters& registers, int buffer) const {
  return registers.fragments + buffer * a_registers();
}

int SparseMath::fragment_b(const MathRegisters& registers, int block) const {
  return registers.fragments + 2 * a_registers() + 4 * block;
}

int SparseMath::fragment_e(const MathRegisters& registers, int buffer) const {
  return registers.fragments + 2 * a_registers() + b_registers() + buffer * metadata_registers();
}

// Matrix i of an LDSM.x4 holds part i of the 64 bytes of k, for eight columns.
isa::Address SparseMath::column_address(int block, int step, KTile tile) const {
  const SharedTile& shared = plan().b;
  const int chunk_elements = kMatrixRowBytes / shared.element_bytes;
  isa::Expression across = constant(std::int64_t{block} * 8);
  plan().warps.add_column(across, plan().warps.warp_n);
  isa::Expression k = constant(std::int64_t{step} * 4 * chunk_elements);
  plan().warps.add_group(k, 2 * plan().group_k_bytes / shared.element_bytes);
  add_field(shared.k_contiguous ? across : k, {Variable::kLane, 0, 3, 1});
  add_field(k, {Variable::kLane, 3, 2, chunk_elements});
  return shared.at(across, k, tile);
}

isa::Address SparseMath::metadata_address(int first, int step, KTile tile) const {
  isa::Expression across = constant(std::int64_t{first} * MetadataOrder::kBlockBytes);
  plan().warps.add_row(across, std::int64_t{plan().warps.warp_m} * row_bytes_);
  isa::Expression k = constant(step);
  plan().warps.add_group(k, steps());
  add_field(across, {Variable::kLane, 0, 5, kMatrixRowBytes});
  return metadata_.at(across, k, tile);
}

Instructions SparseMath::loads(ProgramBuilder& builder, const MathRegisters& registers, int step,
                               int buffer, KTile tile) const {
  Instructions loads = row_loads(builder, registers, fragment_a(registers, buffer), step, tile);
  for (int first = 0; first < metadata_registers(); first += kMostMatrices) {
    const int matrices = std::min(kMostMatrices, metadata_registers() - first);
    loads.push_back(load(matrix_load(matrices), reg(fragment_e(registers, buffer) + first),
                         reg(registers.address_a),
                         builder.access({.shared = metadata_address(first, step, tile)})));
  }
  return loads;
}

std::vector<LateLoad> SparseMath::late_loads(ProgramBuilder& builder,
                                             const MathRegisters& registers, int step,
                                             KTile tile) const {
  const Opcode opcode = plan().b.k_contiguous ? Opcode::kLdsmX4 : Opcode::kLdsmTX4;
  std::vector<LateLoad> late;
  late.reserve(static_cast<std::size_t>(blocks_n()));
  for (int block = 0; block < blocks_n(); ++block)
    late.push_back({(block + 1) * blocks_m(),
                    load(opcode, reg(fragment_b(registers, block)), reg(registers.address_b),
                         builder.access({.shared = column_address(block, step, tile)}))});
  return late;
}

Instructions SparseMath::math(const MathRegisters& registers, int buffer) const {
  const int rows_of_register = MetadataOrder::kBlockBytes / row_bytes_;
  const int mmas_of_register = rows_of_register / kRowsOfMma;
  Instructions math;
  for (int j = 0; j < blocks_n(); ++j)
    for (int step = 0; step < blocks_m(); ++step) {
      // Serpentine: B stays while A advances; A stays where the column changes.
      const int i = j % 2 == 0 ? step : blocks_m() - 1 - step;
      const isa::Register c = reg(accumulator(registers, i, j));
      isa::Instruction mma = arithmetic(plan().mma, c, reg(fragment_a(registers, buffer) + 4 * i),
                                        reg(fragment_b(registers, j)), c,
                                        reg(fragment_e(registers, buffer) + i / mmas_of_register));
      mma.immediate = i % mmas_of_register;  // the selector
      math.push_back(mma);
    }
  return math;
}

}  // namespace tcsim::kernels
