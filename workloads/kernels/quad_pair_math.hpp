#pragma once

#include "workloads/kernels/tile_math.hpp"

namespace tcsim::kernels {

/// Volta: fragments by LDS.128, products by HMMA.884 in steps. A k-step is 8 deep: two products of
/// depth 4.
///
/// Quad pair j (lanes 4j..4j+3 and 16+4j..16+4j+3) computes 8x8 blocks, with parity j mod 2 along m
/// and j div 2 along n. Block p of parity a takes local rows r = 0..7 of A from these rows of the
/// warp tile, chosen so that one 16-byte load feeds two products and eight neighbouring lanes touch
/// all banks once:
/// - A along k in shared memory: 16 p + 8 (r div 4) + 4 a + r mod 4;
/// - A across k: 32 (p div 2) + 16 (r div 4) + 8 a + 4 (p mod 2) + r mod 4.
/// Columns of B likewise with the parity along n.
class QuadPairMath : public TileMath {
 public:
  struct Plan {
    WarpGrid warps;
    int group_k = 32;  ///< depth of a k-tile for one group of warps
    bool half_accumulators = false;
    SharedTile a;
    SharedTile b;
  };
  /// Requires warp tiles of multiples of 32 x 32 and 16-bit operands.
  explicit QuadPairMath(const Plan& plan) : plan_(plan) {}

  static constexpr int kStep = 8;  ///< depth that one LDS.128 brings

  [[nodiscard]] int steps() const override { return plan_.group_k / kStep; }
  [[nodiscard]] int accumulator_registers() const override;
  [[nodiscard]] int fragment_registers() const override;
  Instructions loads(ProgramBuilder& builder, const MathRegisters& registers, int step, int buffer,
                     KTile tile) const override;
  [[nodiscard]] Instructions math(const MathRegisters& registers, int buffer) const override;
  [[nodiscard]] AccumulatorMap accumulators(const MathRegisters& registers) const override;

 private:
  [[nodiscard]] int blocks_m() const { return plan_.warps.warp_m / 16; }
  [[nodiscard]] int blocks_n() const { return plan_.warps.warp_n / 16; }
  /// First register of the pair that step `step` of block (p, n) writes.
  [[nodiscard]] int accumulator_pair(const MathRegisters& registers, int p, int n, int step) const;
  [[nodiscard]] AccumulatorMap single_map(const MathRegisters& registers) const;
  [[nodiscard]] AccumulatorMap half_map(const MathRegisters& registers) const;

  Plan plan_;
};

/// The swizzle for Volta's loads of operands that lie across k: it mixes two bits of k into the
/// chunk number, above the lowest bit, which distinguishes the two quad-pair parities.
isa::Swizzle quad_pair_swizzle(int pitch_bytes);

}  // namespace tcsim::kernels
