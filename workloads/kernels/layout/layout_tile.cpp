#include "workloads/kernels/layout/layout_tile.hpp"

#include "models/isa/cycle.hpp"
#include "workloads/kernels/expression_math.hpp"

namespace tcsim::kernels {
namespace {

using isa::Variable;

/// Element `outer` * pitch + `inner` of matrix z of `count` such rows.
isa::Address in_matrix(const isa::Expression& outer, const isa::Expression& inner,
                       std::int64_t pitch, std::int64_t count, int bytes) {
  isa::Address address;
  add_scaled(address.offset, outer, pitch * bytes);
  add_scaled(address.offset, inner, bytes);
  add_term(address.offset, {Variable::kCtaZ, count * pitch * bytes});
  return address;
}

/// `value` counts rows or columns; tiles cover whole multiples of kSide that reach `covered`.
void bound(isa::Guard& guard, const isa::Expression& value, std::int64_t limit,
           std::int64_t covered) {
  constexpr std::int64_t kSide = LayoutTile::kSide;
  if (ceil_div(covered, kSide) * kSide > limit) guard.bounds.push_back({value, limit});
}

}  // namespace

isa::Expression LayoutTile::tile_start(bool of_rows) const {
  const auto across = ceil_div<std::int64_t>(change.columns, kSide);
  const isa::Expression number{.constant = 0, .terms = {{Variable::kCtaX, 1}}};
  isa::Expression start;
  add_quotient(start, kSide, number, of_rows ? across : 1, of_rows ? 0 : across);
  return start;
}

isa::Address LayoutTile::source(const isa::Expression& row, const isa::Expression& column) const {
  return in_matrix(row, column, change.source_pitch, change.rows, element_bytes(change.element));
}

isa::Address LayoutTile::target(const isa::Expression& row, const isa::Expression& column) const {
  return in_matrix(column, row, change.target_pitch, change.columns, element_bytes(change.element));
}

isa::Guard LayoutTile::is_stored(const isa::Expression& row, const isa::Expression& column) const {
  isa::Guard guard;
  bound(guard, row, change.rows, change.target_pitch);
  bound(guard, column, change.columns, change.columns);
  if (change.stored < change.batch)
    guard.bounds.push_back({{.constant = 0, .terms = {{Variable::kCtaZ, 1}}}, change.stored});
  return guard;
}

isa::Guard LayoutTile::is_wanted(const isa::Expression& row, const isa::Expression& column) const {
  isa::Guard guard;
  bound(guard, row, change.target_pitch, change.target_pitch);
  bound(guard, column, change.columns, change.columns);
  return guard;
}

isa::KernelLaunch LayoutTile::launch(int shared_bytes, int data_registers,
                                     ProgramBuilder& builder) const {
  isa::KernelLaunch launch;
  launch.grid = {ceil_div<std::int64_t>(change.columns, kSide) *
                     ceil_div<std::int64_t>(change.target_pitch, kSide),
                 1, change.batch};
  launch.warps_per_cta = kWarps;
  launch.registers_per_thread = data_registers + kAddressRegisters;
  launch.shared_bytes_per_cta = shared_bytes;
  launch.programs.push_back(builder.finish());
  launch.program_of_warp.assign(kWarps, 0);
  return launch;
}

}  // namespace tcsim::kernels
