#pragma once

#include "workloads/kernels/ldsm_math.hpp"

namespace tcsim::kernels {

/// 2:4 sparse products by HMMA.SP and IMMA.SP with the longer k (Ampere and later). A's kept half
/// and the metadata have two fragment buffers. B is twice as deep and has one: a block of eight
/// columns is loaded for the next k-step as soon as the last row of this step has used it. A k-step
/// is 32 bytes of A's kept elements and 64 bytes of B.
class SparseMath : public LdsmMath {
 public:
  /// `metadata`: k-tiles of buffer "E", with `row_bytes` for each row of A and step of k. Requires
  /// warp tiles of whole blocks of MetadataOrder along m.
  SparseMath(const Plan& plan, const SharedTile& metadata, int row_bytes)
      : LdsmMath(plan), metadata_(metadata), row_bytes_(row_bytes) {}

  [[nodiscard]] int fragment_registers() const override;
  [[nodiscard]] int buffered_registers() const override;
  Instructions loads(ProgramBuilder& builder, const MathRegisters& registers, int step, int buffer,
                     KTile tile) const override;
  std::vector<LateLoad> late_loads(ProgramBuilder& builder, const MathRegisters& registers,
                                   int step, KTile tile) const override;
  [[nodiscard]] Instructions math(const MathRegisters& registers, int buffer) const override;

 private:
  [[nodiscard]] int a_registers() const { return 4 * blocks_m(); }
  [[nodiscard]] int b_registers() const { return 4 * blocks_n(); }
  /// Number of LDSM matrices of metadata in a k-step.
  [[nodiscard]] int metadata_registers() const;
  [[nodiscard]] int fragment_a(const MathRegisters& registers, int buffer) const;
  [[nodiscard]] int fragment_b(const MathRegisters& registers, int block) const;
  [[nodiscard]] int fragment_e(const MathRegisters& registers, int buffer) const;
  [[nodiscard]] isa::Address column_address(int block, int step, KTile tile) const;
  [[nodiscard]] isa::Address metadata_address(int first, int step, KTile tile) const;

  SharedTile metadata_;
  int row_bytes_;
};

}  // namespace tcsim::kernels
