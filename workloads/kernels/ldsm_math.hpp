#pragma once

#include "workloads/kernels/tile_math.hpp"

namespace tcsim::kernels {

/// Fragments by LDSM.x4, products by m16n8 instructions (Turing on) or Turing's IMMA.8816. A k-step
/// is 32 bytes of k.
class LdsmMath : public TileMath {
 public:
  struct Plan {
    WarpGrid warps;
    int group_k_bytes = 64;  ///< of a k-tile, for one group of warps
    isa::Opcode mma = isa::Opcode::kHmma16816F32;
    SharedTile a;
    SharedTile b;
  };
  /// Requires warp tiles of multiples of 16 x 16, operands of 16 or 32 bits where they lie across
  /// k.
  explicit LdsmMath(const Plan& plan) : plan_(plan) {}

  [[nodiscard]] int steps() const override { return plan_.group_k_bytes / 32; }
  [[nodiscard]] int accumulator_registers() const override;
  [[nodiscard]] int fragment_registers() const override;
  Instructions loads(ProgramBuilder& builder, const MathRegisters& registers, int step, int buffer,
                     KTile tile) const override;
  [[nodiscard]] Instructions math(const MathRegisters& registers, int buffer) const override;
  [[nodiscard]] AccumulatorMap accumulators(const MathRegisters& registers) const override;

 protected:
  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] int blocks_m() const { return plan_.warps.warp_m / 16; }
  /// Accumulators of 16 x 8.
  [[nodiscard]] int block_registers() const;
  [[nodiscard]] int blocks_n() const { return plan_.warps.warp_n / 8; }
  [[nodiscard]] int accumulator(const MathRegisters& registers, int block_m, int block_n) const;
  /// Loads of A's fragments of a k-step into registers from `first` on.
  Instructions row_loads(ProgramBuilder& builder, const MathRegisters& registers, int first,
                         int step, KTile tile) const;

 private:
  Instructions block_loads(ProgramBuilder& builder, const MathRegisters& registers, bool is_a,
                           int first, int step, KTile tile) const;
  /// Where the first row or column of a block lies, at the first k of a step.
  struct Corner {
    isa::Expression across;
    isa::Expression k;
  };
  [[nodiscard]] Corner corner(const SharedTile& shared, bool is_a, int block, int step) const;
  [[nodiscard]] isa::Address row_address(const SharedTile& shared, bool is_a, int block, int step,
                                         KTile tile) const;
  /// Of word `word` of a lane's four.
  [[nodiscard]] isa::Address word_address(const SharedTile& shared, bool is_a, int block, int step,
                                          int word, KTile tile) const;

  Plan plan_;
};

}  // namespace tcsim::kernels
