#include "workloads/kernels/attention/warpgroup_transpose.hpp"

#include <algorithm>

namespace tcsim::kernels {
namespace {

using isa::BarrierOperand;
using isa::Expression;
using isa::kBarrierBytes;
using isa::Opcode;
using isa::Variable;
using Plan = WarpgroupForwardPlan;

class Transpose {
 public:
  Transpose(const Plan& plan, const Expression& step, ProgramBuilder& builder)
      : plan_(plan), ring_(key_ring(step)), builder_(builder) {}

  void emit() {
    wait_for(Plan::kLoadedFull, /*opposite=*/false);
    wait_for(Plan::kValueEmpty, /*opposite=*/true);
    const int across = plan_.dim / kGroupColumns;
    const int pieces = across * (plan_.tile.keys / kKeys);
    for (int first = 0; first < pieces; first += kAtOnce) {
      const int end = std::min(first + kAtOnce, pieces);
      for (int i = first; i < end; ++i) load_piece(i % across, i / across, i % kAtOnce);
      for (int i = first; i < end; ++i) part_columns(i % kAtOnce);
      for (int i = first; i < end; ++i) store_piece(i % across, i / across, i % kAtOnce);
    }
    builder_.append(control(Opcode::kFenceViewAsync));
    arrive(Plan::kValueFull);
    arrive(Plan::kLoadedEmpty);
  }

 private:
  static constexpr int kColumns = 16;  // of an LDSM.T of 8-bit elements
  static constexpr int kGroupColumns = kColumns * isa::kGroupWarps;  // of all warps
  static constexpr int kKeys = 32;                                   // of an LDSM.x4
  static constexpr int kMatrices = 4;
  static constexpr int kAtOnce = 2;  // loads before their bytes are separated (Transpose_ILP)
  static constexpr std::int32_t kEvenBytes = 0x6420;  // PRMT selectors
  static constexpr std::int32_t kOddBytes = 0x7531;

  void wait_for(int first, bool opposite) {
    builder_.append(
        Opcode::kSyncsTryWait,
        BarrierOperand{ring_.stage(Plan::barrier(first), kBarrierBytes), ring_.parity(opposite)});
  }
  void arrive(int first) {
    builder_.append(Opcode::kSyncsArrive,
                    BarrierOperand{ring_.stage(Plan::barrier(first), kBarrierBytes), {}});
  }

  /// From those of addresses on, which every copy works out anew.
  [[nodiscard]] int loaded(int place) const {
    return plan_.common.registers.addresses + place * kMatrices;
  }
  [[nodiscard]] int parted(int place) const { return loaded(kAtOnce) + place * kMatrices; }

  /// Lane l names key l of sixteen columns.
  void load_piece(int columns, int keys, int place) {
    const int row_bytes = plan_.panel_row_bytes();
    const int column = columns * kGroupColumns;
    isa::MemoryAccess access;
    Expression& offset = access.shared.offset;
    offset = ring_.stage(plan_.loaded_values() + column / row_bytes * plan_.tile.keys * row_bytes +
                             column % row_bytes + keys * kKeys * row_bytes,
                         plan_.block_bytes());
    offset.terms.push_back({Variable::kWarp, kColumns, 1, isa::kGroupWarps});
    offset.terms.push_back({Variable::kLane, row_bytes});
    access.shared.swizzle = isa::swizzle_of(plan_.swizzle());
    builder_.append(
        load(Opcode::kLdsmTX4, reg(loaded(place)), isa::kZeroRegister, builder_.access(access)));
  }

  /// Each two matrices hold pairs of columns of eight keys: separates them into bytes of the first
  /// columns of both, then those of the second.
  void part_columns(int place) {
    for (int pair = 0; pair < kMatrices; pair += 2)
      for (const std::int32_t bytes : {kEvenBytes, kOddBytes})
        builder_.append(with_immediate(
            arithmetic(Opcode::kPrmt, reg(parted(place) + pair + (bytes == kOddBytes ? 1 : 0)),
                       reg(loaded(place) + pair), reg(loaded(place) + pair + 1)),
            bytes));
  }

  /// Matrices of even and odd columns of the first sixteen keys, then of the others. Lanes 8i to
  /// 8i + 7 name rows of matrix i, columns 0, 2, ..., 14 or 1, 3, ..., 15.
  void store_piece(int columns, int keys, int place) {
    const int row_bytes = isa::row_bytes(plan_.transposed_swizzle());
    const int key = keys * kKeys;
    isa::MemoryAccess access;
    Expression& offset = access.shared.offset;
    offset = ring_.stage(plan_.values() + key / row_bytes * plan_.dim * row_bytes +
                             key % row_bytes + columns * kGroupColumns * row_bytes,
                         plan_.block_bytes());
    offset.terms.push_back(
        {Variable::kWarp, std::int64_t{kColumns} * row_bytes, 1, isa::kGroupWarps});
    offset.terms.push_back({Variable::kLane, std::int64_t{2} * row_bytes, 1, 4});
    offset.terms.push_back({Variable::kLane, row_bytes, 4, 2});
    offset.terms.push_back({Variable::kLane, std::int64_t{8} * row_bytes, 8, 2});
    offset.terms.push_back({Variable::kLane, 16, 16});
    access.shared.swizzle = isa::swizzle_of(plan_.transposed_swizzle());
    builder_.append(kernels::store(Opcode::kStsmX4, reg(parted(place)), isa::kZeroRegister,
                                   builder_.access(access)));
  }

  const Plan& plan_;
  StageRing ring_;
  ProgramBuilder& builder_;
};

}  // namespace

void transpose_values(const Plan& plan, const Expression& step, ProgramBuilder& builder) {
  Transpose(plan, step, builder).emit();
}

}  // namespace tcsim::kernels
