#include "workloads/kernels/layout/layout_tile.hpp"

#include "models/isa/cycle.hpp"
#include "workloads/kernels/expression_math.hpp"

namespace tcsim::kernels {
namespace {

using isa::Variable;

constexpr int kOpsPerTileMove = 3;  // pointer and predicate (assumption)

/// Element `outer` * pitch + `inner` of matrix z, which has `count` such rows.
isa::Address place_in(const isa::Expression& outer, const isa::Expression& inner,
                      std::int64_t pitch, std::int64_t count, int bytes) {
  isa::Address address;
  add_scaled(address.offset, outer, pitch * bytes);
  add_scaled(address.offset, inner, bytes);
  add_term(address.offset, {Variable::kCtaZ, count * pitch * bytes});
  return address;
}

/// `value` counts rows or columns; tiles cover whole multiples of kSide up to at least `covered`.
void bound(isa::Guard& guard, const isa::Expression& value, std::int64_t limit,
           std::int64_t covered) {
  constexpr std::int64_t kSide = LayoutTile::kSide;
  if (ceil_div(covered, kSide) * kSide > limit) guard.bounds.push_back({value, limit});
}

}  // namespace

/// `move` with row and column from the start of the matrix.
LayoutTile::Move LayoutTile::in_matrix(Move move) const {
  const auto across = ceil_div<std::int64_t>(change.columns, kSide);
  const isa::Expression number{.constant = 0, .terms = {{Variable::kCtaX, 1}}};
  isa::Expression row;
  add_quotient(row, kSide, number, across, 0);
  add_scaled(row, move.row, 1);
  isa::Expression column;
  add_quotient(column, kSide, number, 1, across);
  add_scaled(column, move.column, 1);
  move.row = row;
  move.column = column;
  return move;
}

void LayoutTile::load(ProgramBuilder& builder, AddressWork& work, const Move& move) const {
  const auto& [row, column, bytes, data] = in_matrix(move);
  isa::Guard is_stored;
  bound(is_stored, row, change.rows, change.target_pitch);
  bound(is_stored, column, change.columns, change.columns);
  if (change.stored < change.batch)
    is_stored.bounds.push_back({{.constant = 0, .terms = {{Variable::kCtaZ, 1}}}, change.stored});
  const int access =
      builder.access({.buffer = 0,
                      .global = place_in(row, column, change.source_pitch, change.rows,
                                         element_bytes(change.element))});
  builder.append(arithmetic(isa::Opcode::kMov, reg(data)));
  builder.append(work.advance_pointer(data, kOpsPerTileMove));
  builder.append(kernels::load(global_load_of(bytes), reg(data), work.pointer(data), access,
                               builder.guard(is_stored)));
}

void LayoutTile::store(ProgramBuilder& builder, AddressWork& work, const Move& move) const {
  const auto& [row, column, bytes, data] = in_matrix(move);
  isa::Guard is_wanted;
  bound(is_wanted, row, change.target_pitch, change.target_pitch);
  bound(is_wanted, column, change.columns, change.columns);
  const int access =
      builder.access({.buffer = 1,
                      .global = place_in(column, row, change.target_pitch, change.columns,
                                         element_bytes(change.element))});
  builder.append(work.advance_pointer(data, kOpsPerTileMove));
  builder.append(kernels::store(global_store_of(bytes), reg(data), work.pointer(data), access,
                                builder.guard(is_wanted)));
}

isa::KernelLaunch LayoutTile::launch(int shared_bytes, int data_registers,
                                     ProgramBuilder& builder) const {
  return uniform_launch({.grid = {ceil_div<std::int64_t>(change.columns, kSide) *
                                      ceil_div<std::int64_t>(change.target_pitch, kSide),
                                  1, change.batch},
                         .warps_per_cta = kWarps,
                         .registers_per_thread = data_registers + kAddressRegisters,
                         .shared_bytes_per_cta = shared_bytes},
                        builder.finish());
}

}  // namespace tcsim::kernels
