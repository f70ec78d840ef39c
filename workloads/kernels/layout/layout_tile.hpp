#pragma once

#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/layout/layout_change.hpp"
#include "workloads/kernels/program_builder.hpp"

namespace tcsim::kernels {

/// What the kernels of a layout change share: a CTA transposes the tile of 64 x 64 elements of
/// matrix z that x of the grid numbers, columns first.
struct LayoutTile {
  static constexpr int kSide = 64;
  static constexpr int kWarps = 8;
  static constexpr int kElements = kSide * kSide / (kWarps * isa::kLanes);  ///< of a thread
  static constexpr int kPadding = 4;    ///< bytes per row: a column then touches every bank once
  static constexpr int kSetupOps = 30;  // assumption
  static constexpr int kAddressRegisters = 20;

  LayoutChange change;

  /// What a thread moves: `bytes` from element (row, column) of the tile on, along a row of `from`
  /// or along a column, which is a row of `to`.
  struct Move {
    isa::Expression row;
    isa::Expression column;
    int bytes;
    int data;  ///< first register, and number of the pointer
  };
  /// Loads from `from`; zeros where `from` has no such element.
  void load(ProgramBuilder& builder, AddressWork& work, const Move& move) const;
  /// Stores to `to`, if it has a place for the element.
  void store(ProgramBuilder& builder, AddressWork& work, const Move& move) const;
  /// The launch of `builder`'s program, without name and buffers.
  [[nodiscard]] isa::KernelLaunch launch(int shared_bytes, int data_registers,
                                         ProgramBuilder& builder) const;

 private:
  [[nodiscard]] Move in_matrix(Move move) const;
};

/// True if words of two 16-bit elements can be moved and transposed.
bool takes_pairs(const LayoutChange& change);
/// The kernel for such changes: blocks of 2 x 2 are transposed in registers on the way to shared
/// memory.
isa::KernelLaunch make_paired_layout_change(const LayoutChange& change);

/// The kernel for bytes: blocks of 4 x 4 are transposed in registers.
isa::KernelLaunch make_byte_layout_change(const LayoutChange& change);

/// True for matrices with so few rows or columns that tiles would be mostly empty: filters.
bool is_narrow(const LayoutChange& change);
/// The kernel for such matrices: a thread moves single elements, in the order of `to`.
isa::KernelLaunch make_flat_layout_change(const LayoutChange& change);

}  // namespace tcsim::kernels
