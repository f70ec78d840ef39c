#pragma once

#include <cstdint>
#include <functional>

#include "models/isa/expression.hpp"
#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/program_builder.hpp"

namespace tcsim::kernels {

/// A matrix of 16-bit elements in shared memory, cut into consecutive panels of 64 or 32 columns.
/// Every row of a panel is at most 128 bytes, so an XOR of its 16-byte chunks with the row number
/// keeps LDSM and 16-byte stores free of bank conflicts.
struct SharedPanels {
  static constexpr int kElementBytes = 2;

  int base = 0;  ///< byte offset, a multiple of 1024
  int rows = 0;  ///< a multiple of 16
  int columns = 0;

  [[nodiscard]] int panel_columns() const { return columns % 64 == 0 ? 64 : 32; }
  [[nodiscard]] int panels() const { return columns / panel_columns(); }
  [[nodiscard]] int pitch_bytes() const { return kElementBytes * panel_columns(); }
  [[nodiscard]] int bytes() const { return kElementBytes * rows * columns; }

  /// Address of element (row, column + beyond). The sum must stay in the panel of `column`.
  [[nodiscard]] isa::Address at(const isa::Expression& row, int column,
                                const isa::Expression& beyond) const;

  /// How a CTA moves the matrix in chunks of 8 columns: in round r of `rounds` the thread moves
  /// chunk `thread % chunks` of row `thread / chunks` of a strip of one panel. If strips do not
  /// divide the rows, some rows of a panel's last strip lie beyond the panel.
  [[nodiscard]] int rounds(int threads) const;
  [[nodiscard]] int strip_rows(int threads) const;
  struct Chunk {
    isa::Expression row;
    int first_column;        ///< of the panel
    isa::Expression beyond;  ///< columns from there

    [[nodiscard]] isa::Expression column() const;
  };
  [[nodiscard]] Chunk chunk(int round, int threads) const;
  /// Adds to `guard` that the chunk, in row `row` of a tensor of `width` columns, lies in the
  /// tensor, where some chunks of its panel do not. Rows end at `limit`; 0: all exist.
  void bound(isa::Guard& guard, const Chunk& chunk, const isa::Expression& row, std::int64_t limit,
             std::int64_t width) const;
};

/// Loads the chunks of `panels` into four registers each, `in_flight` of them from `first_register`
/// on before the first is stored by store_vector(chunk, its number among those in flight).
Instructions rows_from_panels(
    const SharedPanels& panels, int threads, int in_flight, int first_register,
    ProgramBuilder& builder, AddressWork& work,
    const std::function<isa::Instruction(const SharedPanels::Chunk&, int)>& store_vector);

}  // namespace tcsim::kernels
