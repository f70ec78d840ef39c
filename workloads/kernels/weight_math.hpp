#pragma once

#include <cstdint>
#include <vector>

#include "workloads/kernels/ldsm_math.hpp"

namespace tcsim::kernels {

/// Products with weights of 4 or 8 bits (WeightOrder): A by LDSM, integers and scales of B by LDS
/// into two buffers. Sixteen columns at a time become FP16 or BF16 in registers, times their scale,
/// while the HMMAs of the previous columns run. The instructions are those of Kim et al., "Who Says
/// Elephants Can't Run" (arXiv 2211.10017) and Marlin (arXiv 2408.11743).
class WeightMath : public LdsmMath {
 public:
  struct Weights {
    int bits = 4;
    bool is_bf16 = false;
    std::int64_t group = 128;  ///< elements along k with one scale
    int scale_rows = 1;        ///< of a k-tile
    SharedTile scales;
  };
  /// `plan.b`: the integers, as rows of bytes. Requires warp tiles of whole blocks of WeightOrder
  /// along n and MMAs of m16n8.
  WeightMath(const Plan& plan, const Weights& weights) : LdsmMath(plan), weights_(weights) {}

  [[nodiscard]] int fragment_registers() const override;
  [[nodiscard]] int buffered_registers() const override;
  [[nodiscard]] int conversions() const override;
  Instructions loads(ProgramBuilder& builder, const MathRegisters& registers, int step, int buffer,
                     KTile tile) const override;
  [[nodiscard]] Instructions begin(const MathRegisters& registers) const override;
  [[nodiscard]] Instructions math(const MathRegisters& registers, int buffer) const override;

 private:
  [[nodiscard]] int a_registers() const { return 4 * blocks_m(); }
  /// Blocks of WeightOrder that a warp reads per step.
  [[nodiscard]] int blocks() const;
  [[nodiscard]] int integer_registers() const { return blocks() * weights_.bits / 2; }
  [[nodiscard]] int scale_registers() const;
  [[nodiscard]] int temporaries() const;
  // First registers of each part of a buffer: both buffers of A, of integers, of scales.
  [[nodiscard]] int rows(const MathRegisters& registers, int buffer) const;
  [[nodiscard]] int integers(const MathRegisters& registers, int buffer) const;
  [[nodiscard]] int scales(const MathRegisters& registers, int buffer) const;
  /// First registers of the fragments of 16 columns: two sets take turns.
  [[nodiscard]] int converted(const MathRegisters& registers, int pair) const;
  [[nodiscard]] int temporary(const MathRegisters& registers) const;
  [[nodiscard]] int constant_register(const MathRegisters& registers, int number) const;
  /// Constants that conversions read from registers.
  [[nodiscard]] std::vector<std::uint32_t> constants() const;

  [[nodiscard]] isa::Address integer_address(int block, int step, KTile tile) const;
  [[nodiscard]] isa::Address scale_address(int block, int step, KTile tile) const;
  /// Converts columns from 16 pair on of a warp tile to fragments.
  [[nodiscard]] Instructions convert(const MathRegisters& registers, int buffer, int pair) const;
  [[nodiscard]] Instructions nibbles(const MathRegisters& registers, int to, int word) const;
  [[nodiscard]] Instructions half_bytes(const MathRegisters& registers, int to, int words) const;
  [[nodiscard]] Instructions bfloat_bytes(const MathRegisters& registers, int to, int words) const;
  [[nodiscard]] Instructions scale(const MathRegisters& registers, int to, int scales) const;
  [[nodiscard]] Instructions multiply(const MathRegisters& registers, int buffer, int pair) const;

  Weights weights_;
};

}  // namespace tcsim::kernels
