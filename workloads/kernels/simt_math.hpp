#pragma once

#include "workloads/kernels/tile_math.hpp"

namespace tcsim::kernels {

/// Multiply-adds on the CUDA cores: 8x8 outputs per thread, 8x4 in warp tiles of 32 x 32. LDS.128
/// loads the fragments, one word along k at a time: an FP32 number (FFMA), four INT8 (DP4A), two
/// FP16 (HFMA2, with two sums per output, for the even and the odd k) or an FP64 number (DFMA).
/// Both operands lie across k in shared memory. A thread's rows are runs of as many words as 16
/// bytes hold, evenly spread over the warp tile: two runs of four, for FP64 four runs of two. Its
/// columns are the same. Lane bit 0 numbers rows, the next bits columns, the others rows again, so
/// that neighbours read the same words and an LDS.128 takes two wavefronts
/// (Kernel::shared_wavefronts; maxas, SGEMM; CUTLASS, RowMajorInterleaved<2> of
/// `default_mma_core_simt.h`).
class SimtMath : public TileMath {
 public:
  struct Plan {
    WarpGrid warps;
    int group_k = 8;  ///< depth of a k-tile for one group of warps
    SharedTile a;
    SharedTile b;
    isa::Opcode multiply = isa::Opcode::kFfma;
  };
  /// Requires warp tiles of 32 x 64, 64 x 32 or 32 x 32 and an even group_k.
  explicit SimtMath(const Plan& plan) : plan_(plan) {}

  [[nodiscard]] int steps() const override { return plan_.group_k; }
  [[nodiscard]] int accumulator_registers() const override {
    return kRows * columns() * word_registers();
  }
  [[nodiscard]] int fragment_registers() const override {
    return (kRows + columns()) * word_registers();
  }
  [[nodiscard]] int registers_per_wavefront() const override { return 2; }
  Instructions loads(ProgramBuilder& builder, const MathRegisters& registers, int step, int buffer,
                     KTile tile) const override;
  [[nodiscard]] Instructions math(const MathRegisters& registers, int buffer) const override;
  [[nodiscard]] Instructions finish(const MathRegisters& registers) const override;
  [[nodiscard]] AccumulatorMap accumulators(const MathRegisters& registers) const override;

 private:
  static constexpr int kRows = 8;  ///< of outputs of a thread

  [[nodiscard]] int columns() const {
    return plan_.warps.warp_m * plan_.warps.warp_n / (kRows << kLaneBits);
  }
  [[nodiscard]] int word_registers() const { return plan_.multiply == isa::Opcode::kDfma ? 2 : 1; }
  /// Words of a run, which one LDS.128 loads.
  [[nodiscard]] int run() const { return 4 / word_registers(); }
  /// Register of output (row, column).
  [[nodiscard]] int accumulator(const MathRegisters& registers, int row, int column) const;
  /// Number of lane bits, from bit 1 on, that number the threads along n; the others number them
  /// along m.
  [[nodiscard]] int column_lane_bits() const { return log2_exact(plan_.warps.warp_n / columns()); }

  Plan plan_;
};

}  // namespace tcsim::kernels
