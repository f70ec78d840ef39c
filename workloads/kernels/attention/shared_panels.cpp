#include "workloads/kernels/attention/shared_panels.hpp"

#include <algorithm>

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

isa::Expression SharedPanels::Chunk::column() const {
  isa::Expression column = beyond;
  column.constant += first_column;
  return column;
}

void SharedPanels::bound(isa::Guard& guard, const Chunk& chunk, const isa::Expression& row,
                         std::int64_t limit, std::int64_t width) const {
  if (limit > 0) guard.bounds.push_back({row, limit});
  if (chunk.first_column + panel_columns() > width) guard.bounds.push_back({chunk.column(), width});
}

Instructions rows_from_panels(
    const SharedPanels& panels, int threads, int in_flight, int first_register,
    ProgramBuilder& builder, AddressWork& work,
    const std::function<isa::Instruction(const SharedPanels::Chunk&, int)>& store_vector) {
  Instructions ops;
  const int rounds = panels.rounds(threads);
  for (int first = 0; first < rounds; first += in_flight) {
    const int end = std::min(rounds, first + in_flight);
    for (int round = first; round < end; ++round) {
      const SharedPanels::Chunk chunk = panels.chunk(round, threads);
      const int access =
          builder.access({.shared = panels.at(chunk.row, chunk.first_column, chunk.beyond)});
      ops.push_back(load(isa::Opcode::kLds128,
                         reg(first_register + (round - first) * kVectorRegisters),
                         reg(work.fragment_address_b()), access));
    }
    for (int round = first; round < end; ++round) {
      extend(ops, work.vector_ops(kOpsPerAccess));
      ops.push_back(store_vector(panels.chunk(round, threads), round - first));
    }
  }
  return ops;
}

}  // namespace tcsim::kernels
