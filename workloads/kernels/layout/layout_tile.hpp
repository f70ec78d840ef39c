#pragma once

#include "workloads/kernels/layout/layout_change.hpp"
#include "workloads/kernels/program_builder.hpp"

namespace tcsim::kernels {

/// What the kernels of a layout change share: a CTA turns the tile of 64 x 64 elements that x of
/// the grid numbers, columns first, of matrix z.
struct LayoutTile {
  static constexpr int kSide = 64;
  static constexpr int kWarps = 8;
  static constexpr int kLanes = 32;
  static constexpr int kElements = kSide * kSide / (kWarps * kLanes);  ///< of a thread
  static constexpr int kPadding = 4;     ///< bytes per row: a column then touches every bank once
  static constexpr int kSetupOps = 30;   // assumption
  static constexpr int kOpsPerMove = 3;  // pointer and predicate (assumption)
  static constexpr int kAddressRegisters = 20;

  LayoutChange change;

  [[nodiscard]] isa::Expression first_row() const { return tile_start(true); }
  [[nodiscard]] isa::Expression first_column() const { return tile_start(false); }
  /// Element (row, column) of `from` and the place of its transpose in `to`.
  [[nodiscard]] isa::Address source(const isa::Expression& row,
                                    const isa::Expression& column) const;
  [[nodiscard]] isa::Address target(const isa::Expression& row,
                                    const isa::Expression& column) const;
  /// Hold where `from` has the element and where `to` has a place for it.
  [[nodiscard]] isa::Guard is_stored(const isa::Expression& row,
                                     const isa::Expression& column) const;
  [[nodiscard]] isa::Guard is_wanted(const isa::Expression& row,
                                     const isa::Expression& column) const;
  /// The launch of `builder`'s program, without name and buffers.
  [[nodiscard]] isa::KernelLaunch launch(int shared_bytes, int data_registers,
                                         ProgramBuilder& builder) const;

 private:
  [[nodiscard]] isa::Expression tile_start(bool of_rows) const;
};

/// True if words of two 16-bit elements can be moved and turned.
bool takes_pairs(const LayoutChange& change);
/// The kernel for such changes: blocks of 2 x 2 are turned in registers on the way to shared
/// memory.
isa::KernelLaunch make_paired_layout_change(const LayoutChange& change, bool has_uniform_datapath);

/// The kernel for bytes: blocks of 4 x 4 are turned in registers.
isa::KernelLaunch make_byte_layout_change(const LayoutChange& change, bool has_uniform_datapath);

/// True for matrices of so few rows or columns that tiles would be mostly empty: filters.
bool is_narrow(const LayoutChange& change);
/// The kernel for them: a thread moves single elements, in the order of `to`.
isa::KernelLaunch make_flat_layout_change(const LayoutChange& change, bool has_uniform_datapath);

}  // namespace tcsim::kernels
