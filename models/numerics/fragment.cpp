#include "models/numerics/fragment.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace tcsim::numerics {

namespace {

/// Place of a lane in its quad pair, and the lane at that place (section 13).
int place_in_quad_pair(int lane) { return lane % 4 + 4 * (lane / 16); }
int quad_pair(int lane) { return lane % 16 / 4; }
int lane_at(int pair, int place) { return place % 4 + 4 * pair + 16 * (place / 4); }

}  // namespace

Fragment::Fragment(const MmaInstruction& instruction, OperandRole role)
    : lanes_(instruction.lanes()), matrices_(instruction.matrices()) {
  const MmaShape& shape = instruction.shape;
  const int stored_k = instruction.sparse && role == OperandRole::kA ? shape.k / 2 : shape.k;
  switch (role) {
    case OperandRole::kA:
      type_ = instruction.a;
      rows_ = shape.m;
      columns_ = stored_k;
      break;
    case OperandRole::kB:
      assert(instruction.kind == InstructionKind::kMma);
      type_ = instruction.b;
      rows_ = shape.k;
      columns_ = shape.n;
      transposed_ = true;
      break;
    case OperandRole::kC:
    case OperandRole::kD:
      type_ = role == OperandRole::kC ? instruction.c : instruction.d;
      rows_ = shape.m;
      columns_ = shape.n;
      family_ = Family::kAccumulator;
      break;
  }
  row_halves_ = shape.m == 8 || transposed_ ? 1 : 2;
  word_elements_ = std::max(1, 32 / bits(type_));
  block_rows_ = 8 * row_halves_ * (lanes_ / 32);
  block_elements_ = elements_per_lane() * block_rows_ / (transposed_ ? columns_ : rows_);
  if (matrices_ == 4) set_volta(instruction, role);
}

void Fragment::set_volta(const MmaInstruction& instruction, OperandRole role) {
  const bool lane_per_row = (role == OperandRole::kA && instruction.a_layout == Layout::kRow) ||
                            (role == OperandRole::kB && instruction.b_layout == Layout::kColumn) ||
                            (family_ == Family::kAccumulator && type_ == ElementType::kFp16);
  if (lane_per_row)
    family_ = Family::kVoltaLanePerRow;
  else
    family_ = family_ == Family::kAccumulator ? Family::kVoltaFp32 : Family::kVoltaBandPerLane;
}

MatrixPosition Fragment::untransposed_position(FragmentSlot slot) const {
  const int group = slot.lane % 32 / 4;
  const int quarter = slot.lane % 4;
  const int warp_rows = 16 * (slot.lane / 32) + block_rows_ * (slot.element / block_elements_);
  const int i = slot.element % block_elements_;
  const int place = place_in_quad_pair(slot.lane % 32);
  const int pair = quad_pair(slot.lane % 32);
  switch (family_) {
    case Family::kOperand: {
      const int word = i / word_elements_;
      return {0, warp_rows + group + 8 * (word % row_halves_),
              word_elements_ * (quarter + 4 * (word / row_halves_)) + i % word_elements_};
    }
    case Family::kAccumulator:
      return {0, warp_rows + group + 8 * (i / 2 % row_halves_),
              8 * (i / (2 * row_halves_)) + 2 * quarter + i % 2};
    case Family::kVoltaLanePerRow:
      return {pair, place, i};
    case Family::kVoltaBandPerLane:
      return {pair, i + 4 * (place / 4), place % 4};
    case Family::kVoltaFp32:
      return {pair, place % 2 + (i & 2) + 4 * (place / 4), (i & 4) + (place & 2) + i % 2};
  }
  return {};
}

FragmentSlot Fragment::untransposed_slot(MatrixPosition position) const {
  const int row = position.row % block_rows_;
  const int column = position.column;
  const int group_lane = 32 * (row / 16) + 4 * (row % 8);
  const int before = block_elements_ * (position.row / block_rows_);  // elements in preceding
                                                                      // blocks of rows
  switch (family_) {
    case Family::kOperand: {
      const int word = column / word_elements_;
      const int register_word = row_halves_ * (word / 4) + row / 8 % row_halves_;
      return {group_lane + word % 4,
              before + register_word * word_elements_ + column % word_elements_};
    }
    case Family::kAccumulator:
      return {group_lane + column % 8 / 2,
              before + column % 2 + 2 * (row / 8 % row_halves_) + 2 * row_halves_ * (column / 8)};
    case Family::kVoltaLanePerRow:
      return {lane_at(position.matrix, row), column};
    case Family::kVoltaBandPerLane:
      return {lane_at(position.matrix, column + 4 * (row / 4)), row % 4};
    case Family::kVoltaFp32:
      return {lane_at(position.matrix, row % 2 + (column & 2) + 4 * (row / 4)),
              column % 2 + (row & 2) + (column & 4)};
  }
  return {};
}

MatrixPosition Fragment::position(FragmentSlot slot) const {
  assert(0 <= slot.lane && slot.lane < lanes_);
  assert(0 <= slot.element && slot.element < elements_per_lane());
  MatrixPosition position = untransposed_position(slot);
  if (transposed_) std::swap(position.row, position.column);
  return position;
}

FragmentSlot Fragment::slot(MatrixPosition position) const {
  assert(0 <= position.row && position.row < rows_);
  assert(0 <= position.column && position.column < columns_);
  if (transposed_) std::swap(position.row, position.column);
  return untransposed_slot(position);
}

RegisterField Fragment::field(int element) const {
  const int first_bit = element * bits(type_);
  return {first_bit / 32, first_bit % 32};
}

std::uint64_t Fragment::read(std::span<const std::uint32_t> lane_registers, int element) const {
  const RegisterField place = field(element);
  if (bits(type_) == 64)
    return std::uint64_t{lane_registers[place.index]} |
           std::uint64_t{lane_registers[place.index + 1]} << 32;
  const std::uint64_t mask = (std::uint64_t{1} << bits(type_)) - 1;
  return lane_registers[place.index] >> place.shift & mask;
}

void Fragment::write(std::span<std::uint32_t> lane_registers, int element,
                     std::uint64_t pattern) const {
  const RegisterField place = field(element);
  if (bits(type_) == 64) {
    lane_registers[place.index] = static_cast<std::uint32_t>(pattern);
    lane_registers[place.index + 1] = static_cast<std::uint32_t>(pattern >> 32);
    return;
  }
  const std::uint64_t mask = (std::uint64_t{1} << bits(type_)) - 1;
  const auto cleared =
      lane_registers[place.index] & ~static_cast<std::uint32_t>(mask << place.shift);
  lane_registers[place.index] =
      cleared | static_cast<std::uint32_t>((pattern & mask) << place.shift);
}

}  // namespace tcsim::numerics
