#pragma once

#include "workloads/kernels/tile_math.hpp"

namespace tcsim::kernels {

/// FP64 products by DMMA.884 (Ampere and later). Both operands lie across k in shared memory. An
/// LDS.128 loads two neighbouring rows of A (columns of B) into a lane, and these belong to two
/// instructions: instruction 2i + e of a warp's rows computes rows 16 i + 2 g + e, with g from 0 to
/// 7. A k-step is 4 deep and sums are added in ascending k.
class DmmaMath : public TileMath {
 public:
  struct Plan {
    WarpGrid warps;
    int group_k = 16;  ///< depth of a k-tile for one group of warps
    SharedTile a;
    SharedTile b;
  };
  /// Requires warp tiles of multiples of 16 x 16 and group_k a multiple of 8.
  explicit DmmaMath(const Plan& plan) : plan_(plan) {}

  static constexpr int kStepK = 4;
  /// Bytes from row to row for rows of `across` elements in shared memory. Four rows of 32 bytes
  /// fall into different banks.
  static constexpr int pitch_bytes(int across) { return across * 8 + 32; }

  [[nodiscard]] int steps() const override { return plan_.group_k / kStepK; }
  [[nodiscard]] int accumulator_registers() const override { return 4 * blocks_m() * blocks_n(); }
  [[nodiscard]] int fragment_registers() const override { return 2 * (blocks_m() + blocks_n()); }
  Instructions loads(ProgramBuilder& builder, const MathRegisters& registers, int step, int buffer,
                     KTile tile) const override;
  [[nodiscard]] Instructions math(const MathRegisters& registers, int buffer) const override;
  [[nodiscard]] AccumulatorMap accumulators(const MathRegisters& registers) const override;

 private:
  [[nodiscard]] int blocks_m() const { return plan_.warps.warp_m / 8; }
  [[nodiscard]] int blocks_n() const { return plan_.warps.warp_n / 8; }
  [[nodiscard]] int accumulator(const MathRegisters& registers, int block_m, int block_n) const;
  [[nodiscard]] isa::Address pair_address(bool is_a, int pair, int step, KTile tile) const;

  Plan plan_;
};

}  // namespace tcsim::kernels
