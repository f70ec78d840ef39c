#include "workloads/kernels/attention/shared_panels.hpp"

#include "models/isa/cycle.hpp"
#include "workloads/kernels/expression_math.hpp"
#include "workloads/kernels/operand.hpp"

namespace tcsim::kernels {
namespace {

using isa::kLanes;

constexpr int kChunkElements = 8;

}  // namespace

isa::Address SharedPanels::at(const isa::Expression& row, int column,
                              const isa::Expression& beyond) const {
  isa::Address address;
  address.swizzle = chunk_swizzle(pitch_bytes());
  address.offset.constant = base + column / panel_columns() * rows * pitch_bytes() +
                            column % panel_columns() * SharedPanels::kElementBytes;
  add_scaled(address.offset, row, pitch_bytes());
  add_scaled(address.offset, beyond, SharedPanels::kElementBytes);
  return address;
}

int SharedPanels::strip_rows(int threads) const {
  return threads / (panel_columns() / kChunkElements);
}

int SharedPanels::rounds(int threads) const {
  return panels() * ceil_div(rows, strip_rows(threads));
}

SharedPanels::Chunk SharedPanels::chunk(int round, int threads) const {
  const int chunks = panel_columns() / kChunkElements;
  const int strips = ceil_div(rows, strip_rows(threads));
  Chunk chunk;
  chunk.first_column = round / strips * panel_columns();
  chunk.row.constant = std::int64_t{round % strips} * strip_rows(threads);
  const int bits = log2_exact(chunks);
  add_field(chunk.row, {isa::Variable::kLane, bits, 5 - bits, 1});
  add_term(chunk.row, {.variable = isa::Variable::kWarp, .coefficient = kLanes / chunks});
  add_field(chunk.beyond, {isa::Variable::kLane, 0, bits, kChunkElements});
  return chunk;
}

}  // namespace tcsim::kernels
