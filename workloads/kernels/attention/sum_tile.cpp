#include "workloads/kernels/attention/sum_tile.hpp"

#include <utility>

#include "workloads/kernels/output_conversion.hpp"
#include "workloads/kernels/warpgroup_plan.hpp"

namespace tcsim::kernels {

using isa::kGroupWarps;
using isa::Opcode;
using isa::Variable;
using warpgroups::kRowBytes;

int SumTile::panel_bytes() const { return rows * kRowBytes; }

int SumTile::group_stride() const {
  return share == Share::kRows ? isa::kGroupRows * kRowBytes : panel_bytes();
}

Instructions pack_pairs(Element element, int to, int from, int count) {
  const Opcode opcode = packing_opcode(element);
  Instructions ops;
  for (int i = 0; i < count; i += 2)
    ops.push_back(arithmetic(opcode, reg(to + i / 2), reg(from + i + 1), reg(from + i)));
  return ops;
}

// Matrix 2e + h of a warp has rows 8h to 8h + 7 of its sixteen and columns 8e to 8e + 7. Lanes 8i
// to 8i + 7 name the rows in memory of an instruction's matrix i; one instruction stores the
// matrices of two values of e.
Instructions stage_packed(ProgramBuilder& builder, int packed, int width,
                          const isa::Expression& place, int panel_bytes, bool transposed) {
  constexpr std::int64_t kEightBytes = 16;  // of eight elements
  constexpr int kEightsOfPanel = kRowBytes / 16;
  constexpr std::int64_t kEightRows = std::int64_t{8} * kRowBytes;
  Instructions ops;
  for (int eight = 0; eight < width / 8; eight += 2) {
    isa::MemoryAccess access;
    isa::Expression& offset = access.shared.offset;
    offset = place;
    offset.terms.push_back({Variable::kLane, kRowBytes, 1, 8});
    if (transposed) {
      offset.constant += eight * kEightRows;
      offset.terms.push_back({Variable::kWarp, 2 * kEightBytes, 1, kGroupWarps});
      offset.terms.push_back({Variable::kLane, kEightBytes, 8, 2});
      offset.terms.push_back({Variable::kLane, kEightRows, 16});
    } else {
      offset.constant +=
          std::int64_t{eight} / kEightsOfPanel * panel_bytes + eight % kEightsOfPanel * kEightBytes;
      offset.terms.push_back({Variable::kWarp, 2 * kEightRows, 1, kGroupWarps});
      offset.terms.push_back({Variable::kLane, kEightRows, 8, 2});
      offset.terms.push_back({Variable::kLane, kEightBytes, 16});
    }
    access.shared.swizzle = isa::swizzle_of(warpgroups::kSwizzle);
    ops.push_back(store(transposed ? Opcode::kStsmTX4 : Opcode::kStsmX4, reg(packed + 2 * eight),
                        isa::kZeroRegister, builder.access(access)));
  }
  return ops;
}

isa::Expression sum_vector(const isa::Expression& first, int vector) {
  isa::Expression offset = first;
  offset.constant += std::int64_t{vector} * SumTile::kThreads * SumTile::kVectorBytes;
  offset.terms.push_back({Variable::kLane, SumTile::kVectorBytes});
  offset.terms.push_back(
      {Variable::kWarp, std::int64_t{isa::kLanes} * SumTile::kVectorBytes, 1, kGroupWarps});
  return offset;
}

Instructions stage_sums(ProgramBuilder& builder, const SumTile& tile, int first,
                        const isa::Expression& place) {
  Instructions ops;
  for (int i = 0; i < tile.registers(); i += kVectorRegisters) {
    isa::MemoryAccess access;
    access.shared.offset = sum_vector(place, i / kVectorRegisters);
    ops.push_back(store(Opcode::kSts128, reg(first + i), isa::kZeroRegister,
                        builder.access(std::move(access))));
  }
  ops.push_back(control(Opcode::kFenceViewAsync));
  return ops;
}

}  // namespace tcsim::kernels
