#include <algorithm>

#include "workloads/kernels/expression_math.hpp"
#include "workloads/kernels/layout/flat_kernel.hpp"
#include "workloads/kernels/layout/layout_tile.hpp"

namespace tcsim::kernels {

bool is_narrow(const LayoutChange& change) {
  return std::min(change.rows, change.columns) < LayoutTile::kSide / 2;
}

isa::KernelLaunch make_flat_layout_change(const LayoutChange& change) {
  constexpr int kRounds = 8;     // loads of a thread in flight (assumption)
  constexpr int kSetupOps = 30;  // index and its divisions (assumption)
  constexpr int kOpsPerMove = 6;
  const int bytes = element_bytes(change.element);
  const std::int64_t matrix = change.columns * change.target_pitch;
  FlatKernel kernel("layout_change", change.batch * matrix, kRounds, kRounds, kSetupOps);
  ProgramBuilder& builder = kernel.builder();
  for (int round = 0; round < kRounds; ++round) {
    const isa::Expression item = kernel.item(round);
    isa::Expression row;
    add_quotient(row, 1, item, 1, change.target_pitch);
    isa::Expression from;
    add_quotient(from, change.rows * change.source_pitch * bytes, item, matrix, 0);
    add_scaled(from, row, change.source_pitch * bytes);
    add_quotient(from, bytes, item, change.target_pitch, change.columns);
    isa::Guard guard = kernel.exists(round);
    if (change.rows < change.target_pitch) guard.bounds.push_back({row, change.rows});
    if (change.stored < change.batch) guard.bounds.push_back({item, change.stored * matrix});
    builder.append(arithmetic(isa::Opcode::kMov, reg(round)));
    builder.append(kernel.work().advance_pointer(round, kOpsPerMove));
    const int access = builder.access({.buffer = 0, .global = {.offset = from, .swizzle = {}}});
    builder.append(load(global_load_of(bytes), reg(round), kernel.work().pointer(round), access,
                        builder.guard(guard)));
  }
  for (int round = 0; round < kRounds; ++round) {
    isa::Address to;
    add_scaled(to.offset, kernel.item(round), bytes);
    const int access = builder.access({.buffer = 1, .global = std::move(to)});
    builder.append(store(global_store_of(bytes), reg(round), kernel.work().pointer(round), access,
                         builder.guard(kernel.exists(round))));
  }
  return kernel.finish();
}

}  // namespace tcsim::kernels
