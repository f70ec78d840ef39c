// Matrices of bytes transposed in registers: four rows of four bytes become four columns.

#include "models/isa/cycle.hpp"
#include "workloads/kernels/expression_math.hpp"
#include "workloads/kernels/layout/flat_kernel.hpp"
#include "workloads/kernels/layout/layout_tile.hpp"
#include "workloads/kernels/main_loop_parts.hpp"

namespace tcsim::kernels {
namespace {

constexpr int kBlockSide = 4;      // bytes of a word, rows of a block
constexpr int kNeighbours = 8;     // blocks of a column whose words make 32 bytes of the result
constexpr int kByteSetupOps = 30;  // index and its divisions (assumption)

}  // namespace

isa::KernelLaunch make_byte_layout_change(const LayoutChange& change) {
  const std::int64_t column_blocks = change.columns / kBlockSide;
  const std::int64_t row_blocks = ceil_div(change.rows, std::int64_t{kBlockSide} * kNeighbours);
  const std::int64_t strip = kNeighbours * column_blocks;  // blocks of 32 rows
  constexpr int kRegisters = kBlockSide + 2;
  FlatKernel kernel("layout_change", change.batch * row_blocks * strip, 1, kRegisters,
                    kByteSetupOps);
  const isa::Expression item = kernel.item(0);
  isa::Expression row;
  add_quotient(row, std::int64_t{kBlockSide} * kNeighbours, item, strip, row_blocks);
  add_quotient(row, kBlockSide, item, 1, kNeighbours);
  isa::Expression column;
  add_quotient(column, kBlockSide, item, kNeighbours, column_blocks);
  isa::Expression from = column;
  add_quotient(from, change.rows * change.source_pitch, item, strip * row_blocks, 0);
  add_scaled(from, row, change.source_pitch);
  isa::Expression to = row;
  add_quotient(to, change.columns * change.target_pitch, item, strip * row_blocks, 0);
  add_scaled(to, column, change.target_pitch);
  const isa::Guard inside{{{row, change.rows}}};
  for (int i = 0; i < kBlockSide; ++i) {
    kernel.move({.buffer = 0, .offset = from, .bytes = kBlockSide, .data = i, .also = inside}, 0);
    from.constant += change.source_pitch;
  }
  kernel.builder().append(turn_bytes(0, kBlockSide));
  for (int i = 0; i < kBlockSide; ++i) {
    kernel.move({.is_store = true,
                 .buffer = 1,
                 .offset = to,
                 .bytes = kBlockSide,
                 .data = i,
                 .also = inside},
                0);
    to.constant += change.target_pitch;
  }
  return kernel.finish();
}

}  // namespace tcsim::kernels
