#pragma once

#include <vector>

#include "workloads/kernels/tile_math.hpp"

namespace tcsim::kernels {

/// Fragments by LDSM.x4, products by MMAs with m8 or a multiple of m16, n8 or a multiple of it, and
/// rows of A of 16 bytes or more. A k-step is 32 bytes of k, or one row of A of the MMA if that is
/// longer.
class LdsmMath : public TileMath {
 public:
  struct Plan {
    WarpGrid warps;
    int group_k_bytes = 64;  ///< depth of a k-tile for one group of warps
    isa::Opcode mma = isa::Opcode::kHmma16816F32;
    SharedTile a;
    SharedTile b;
  };
  /// Requires warp tiles of multiples of 16 x 16 and of the MMA's m x n, operands of 16 or 32 bits
  /// where they lie across k.
  explicit LdsmMath(const Plan& plan);

  /// Bytes of k per step with `mma`.
  static int step_bytes(isa::Opcode mma);

  [[nodiscard]] int steps() const override { return plan_.group_k_bytes / step_bytes_; }
  [[nodiscard]] int accumulator_registers() const override;
  [[nodiscard]] int fragment_registers() const override;
  Instructions loads(ProgramBuilder& builder, const MathRegisters& registers, int step, int buffer,
                     KTile tile) const override;
  [[nodiscard]] Instructions math(const MathRegisters& registers, int buffer) const override;
  [[nodiscard]] AccumulatorMap accumulators(const MathRegisters& registers) const override;

 protected:
  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] int blocks_m() const { return plan_.warps.warp_m / kLdsmBlock; }
  [[nodiscard]] int blocks_n() const { return plan_.warps.warp_n / 8; }
  /// First register of the sums of rows from 16 block_m and columns from 8 block_n.
  [[nodiscard]] int accumulator(const MathRegisters& registers, int block_m, int block_n) const;
  /// Loads of A's fragments of a k-step into registers from `first` on.
  Instructions row_loads(ProgramBuilder& builder, const MathRegisters& registers, int first,
                         int step, KTile tile) const;

 private:
  /// How much one bit of a fragment register's number adds to its position.
  struct PlaceBit {
    int across = 0;  ///< rows of A, columns of B
    int chunk = 0;   ///< 16 bytes of k
  };
  /// The registers of one operand for a k-step. Each holds 8 rows (columns) by 16 bytes; the
  /// registers of a fragment are consecutive.
  struct FragmentOrder {
    std::vector<PlaceBit> bits{};  ///< lowest first

    int registers = 0;
    [[nodiscard]] PlaceBit place(int number) const;
    /// The register that holds position (`across`, `chunk`), both at the first of eight rows.
    [[nodiscard]] int number(int across, int chunk) const;
  };
  [[nodiscard]] FragmentOrder order_of(bool is_a) const;
  Instructions operand_loads(ProgramBuilder& builder, const MathRegisters& registers, bool is_a,
                             int first, int step, KTile tile) const;
  /// Position of a register's first row or column, at the first k of a step.
  struct Corner {
    isa::Expression across;
    isa::Expression k;
  };
  [[nodiscard]] Corner corner(const SharedTile& shared, bool is_a, int number, int step) const;
  /// Address for the lanes of an LDSM.x4 that loads registers `number` to `number` + 3.
  [[nodiscard]] isa::Address row_address(const SharedTile& shared, bool is_a, int number, int step,
                                         KTile tile) const;
  /// Address of a lane's word for register `number`.
  [[nodiscard]] isa::Address word_address(const SharedTile& shared, bool is_a, int number, int step,
                                          KTile tile) const;
  /// First register of the sums of rows from 8 eighth_m and columns from 8 eighth_n.
  [[nodiscard]] int sums(const MathRegisters& registers, int eighth_m, int eighth_n) const;
  [[nodiscard]] int sum_registers() const;  ///< per 8 x 8 sums

  Plan plan_;
  isa::OpcodeInfo mma_;
  int step_bytes_;
  FragmentOrder order_a_;
  FragmentOrder order_b_;
};

}  // namespace tcsim::kernels
