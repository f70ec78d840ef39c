#pragma once

#include <cstdint>
#include <span>

#include "models/numerics/instruction.hpp"

namespace tcsim::numerics {

enum class OperandRole : std::uint8_t { kA, kB, kC, kD };

/// Position of an element in an operand matrix. `matrix` is the quad pair for FP16 m8n8k4 and 0
/// otherwise. The rows of B are k; a sparse A is compressed, so its columns count stored elements.
struct MatrixPosition {
  int matrix = 0;
  int row = 0;
  int column = 0;
  friend bool operator==(const MatrixPosition&, const MatrixPosition&) = default;
};

/// Where an element is held: element `element` of thread `lane` of the warp or warpgroup.
struct FragmentSlot {
  int lane = 0;
  int element = 0;
  friend bool operator==(const FragmentSlot&, const FragmentSlot&) = default;
};

/// Position of an element in the registers of its thread; a 64-bit element takes two registers, the
/// low word first.
struct RegisterField {
  int index = 0;
  int shift = 0;
};

/// Which thread holds which element of one operand, in both directions (numerics reference section
/// 13; sources: PTX manual, CUTLASS layouts). All formulas belong to one of five families, possibly
/// with rows and columns exchanged. If an operand has more rows than a warp or warpgroup serves at
/// once, its registers are those of blocks of rows, one after another.
class Fragment {
 public:
  /// Layout of `role` in `instruction`. Requires that the operand is in registers, which B of wgmma
  /// is not.
  Fragment(const MmaInstruction& instruction, OperandRole role);

  ElementType type() const { return type_; }
  int lanes() const { return lanes_; }
  int matrices() const { return matrices_; }
  int rows() const { return rows_; }
  int columns() const { return columns_; }
  int elements_per_lane() const { return matrices_ * rows_ * columns_ / lanes_; }
  int registers_per_lane() const { return (elements_per_lane() * bits(type_) + 31) / 32; }

  /// Requires lane and element in range.
  MatrixPosition position(FragmentSlot slot) const;
  /// Requires a position inside the operand.
  FragmentSlot slot(MatrixPosition position) const;

  RegisterField field(int element) const;
  /// Reads element `element` from the registers of its thread.
  std::uint64_t read(std::span<const std::uint32_t> lane_registers, int element) const;
  void write(std::span<std::uint32_t> lane_registers, int element, std::uint64_t pattern) const;

 private:
  enum class Family : std::uint8_t {
    kOperand,           ///< A of mma and wgmma; B of mma transposed.
    kAccumulator,       ///< C and D of mma and wgmma.
    kVoltaLanePerRow,   ///< m8n8k4: a thread holds one row; A row, B column, C and D FP16.
    kVoltaBandPerLane,  ///< m8n8k4: a thread holds a band of four rows; A column, B row.
    kVoltaFp32,         ///< m8n8k4: C and D FP32.
  };

  void set_volta(const MmaInstruction& instruction, OperandRole role);
  MatrixPosition untransposed_position(FragmentSlot slot) const;
  FragmentSlot untransposed_slot(MatrixPosition position) const;

  Family family_ = Family::kOperand;
  ElementType type_ = ElementType::kFp16;
  bool transposed_ = false;
  int lanes_ = 32;
  int matrices_ = 1;
  int rows_ = 0;
  int columns_ = 0;
  int row_halves_ = 1;      ///< Groups of eight rows of a block that one thread serves, 1 or 2.
  int block_rows_ = 8;      ///< Rows of a block.
  int block_elements_ = 0;  ///< Elements of a block that one thread holds.
  int word_elements_ = 1;   ///< Elements in one register (one per pair of registers for FP64).
};

}  // namespace tcsim::numerics
