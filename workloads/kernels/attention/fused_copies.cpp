#include "workloads/kernels/attention/fused_copies.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/expression_math.hpp"

namespace tcsim::kernels {
namespace {

using isa::Opcode;
using isa::Variable;

constexpr int kHalfBytes = 2;  // strides and columns count units of 16 bits
// Counted in the C++ of FlashAttention-3's paged_kv.h and pack_gqa.h, not in compiled code
// (assumption): a division by a number that the host knows; a 64-bit pointer from two products with
// 64-bit strides; for a copied row, its column, its bound and the bytes that are not zeros.
constexpr int kOpsPerDivision = 6;
constexpr int kOpsPerPointer = 10;
constexpr int kOpsPerRow = 3;
constexpr int kEntryBytes = 4;
constexpr int kLanesPerRow = 8;  // 16 bytes each of 128

}  // namespace

std::int64_t page_entries(const FusedPlan& plan) {
  // Causal splits may look up blocks after the last one.
  return (plan.key_blocks() + plan.tile.splits) * ceil_div(plan.tile.keys, kPageTokens);
}

Instructions sequence_lengths(const FusedPlan& plan, ProgramBuilder& builder, AddressWork& work,
                              int first) {
  Instructions ops;
  for (int i = 0; i < 2; ++i) {  // first and last token of the queries, number of keys
    isa::MemoryAccess access{.buffer = kLengths};
    access.global.offset = constant(std::int64_t{i} * kEntryBytes * plan.problem.batch);
    add_term(access.global.offset, plan.batch_axis.term(kEntryBytes));
    ops.push_back(
        load(Opcode::kLdg32, reg(first + i), work.pointer(i), builder.access(std::move(access))));
  }
  ops.push_back(arithmetic(Opcode::kIsetp, isa::kZeroRegister, reg(first), reg(first + 1)));
  return ops;
}

struct FusedCopies::Source {
  SharedPanels panels;
  int buffer;
  isa::Expression origin;  ///< of the CTA's batch and head, in 16-bit units
  std::function<isa::Expression(const isa::Expression&)> offset;  ///< of a row from there
  isa::Expression first_row;
  std::int64_t limit;       ///< rows from here on become zeros; 0: no limit
  int staged;               ///< first register of the data in flight, before Ampere
  isa::Expression stage{};  ///< start of the panels, relative to their base
  isa::Guard guard{};
};

/// The pointers of a thread's rows, 64 bits each; one of the row's threads computes each.
Instructions FusedCopies::share_pointers(const SharedPanels& panels) {
  const int strips = panels.rounds(plan_.copying_threads()) / panels.panels();
  Instructions ops = work_.vector_ops(kOpsPerPointer + kOpsPerRow * strips);
  for (int strip = 0; strip < strips; ++strip)
    for (int half = 0; half < 2; ++half)
      ops.push_back(with_immediate(arithmetic(Opcode::kShfl, reg(work_.pointer(strip) + half),
                                              reg(plan_.registers.page + half)),
                                   strip % kLanesPerRow));
  return ops;
}

Instructions FusedCopies::look_up_pages(const KeyBlock& block) {
  isa::Expression row;  // of the block: each thread takes one
  add_field(row, {Variable::kLane, 0, 3, plan_.copying_threads() / kLanesPerRow});
  add_field(row, {Variable::kLane, 3, 2, 1});
  add_term(row, {.variable = Variable::kWarp, .coefficient = 32 / kLanesPerRow});
  isa::MemoryAccess access{.buffer = kPageTable};
  isa::Expression& offset = access.global.offset;
  add_term(offset, plan_.batch_axis.term(kEntryBytes * page_entries(plan_)));
  add_scaled(offset, block.number,
             std::int64_t{kEntryBytes} * ceil_div(plan_.tile.keys, kPageTokens));
  add_quotient(offset, kEntryBytes, row, kPageTokens, 0);
  isa::Guard guard = block.guard;
  if (plan_.copying_threads() > plan_.tile.keys) guard.bounds.push_back({row, plan_.tile.keys});
  const isa::Register page = reg(plan_.registers.page);
  Instructions ops = work_.vector_ops(kOpsPerDivision);
  ops.push_back(load(Opcode::kLdg32, page, work_.pointer(0), builder_.access(std::move(access)),
                     builder_.guard(guard)));
  ops.push_back(arithmetic(Opcode::kImad, reg(page + 1), page, page, page));
  return ops;
}

// VarlenDynamicPersistentTileScheduler::tile_idx_to_work_tile: each lane except the last takes one
// sequence, starting with the sequence of the previous tile. Numbers that do not depend on the
// lengths are not read: rows that fit in one tile, and splits if there are none.
Instructions FusedCopies::next_tile(std::int64_t ctas) {
  constexpr std::int64_t kSequences = isa::kLanes - 1;
  Instructions ops;
  const isa::Register tiles = reg(plan_.registers.page);
  const isa::Register other = reg(plan_.registers.page + 1);
  const auto shuffle = [&](isa::Register from, int distance) {
    ops.push_back(with_immediate(arithmetic(Opcode::kShfl, other, from), distance));
  };
  const int words = (plan_.rows > plan_.tile.rows ? 1 : 0) + (plan_.tile.splits > 1 ? 1 : 0);
  const std::int64_t rounds = 1 + ctas * plan_.problem.batch / plan_.tiles() / kSequences;
  for (std::int64_t round = 0; round < rounds; ++round) {
    for (int i = 0; i < words; ++i) {
      isa::MemoryAccess access{.buffer = kLengths};
      access.global.offset = constant(std::int64_t{i} * kEntryBytes * plan_.problem.batch);
      add_term(access.global.offset, plan_.batch_axis.term(kEntryBytes));
      ops.push_back(load(Opcode::kLdg32, reg(tiles + i), work_.pointer(i),
                         builder_.access(std::move(access))));
    }
    // Tiles of the sequences before.
    for (int distance = 1; distance < isa::kLanes; distance *= 2) {
      shuffle(tiles, distance);
      ops.push_back(arithmetic(Opcode::kIadd3, tiles, tiles, other));
    }
    shuffle(tiles, isa::kLanes - 1);  // of all sequences; compared with the number
    ops.push_back(arithmetic(Opcode::kIsetp, isa::kZeroRegister, other));
  }
  shuffle(tiles, 0);                                   // of the sequence that was found
  extend(ops, work_.vector_ops(2 * kOpsPerDivision));  // head and split, tile
  return ops;
}

Instructions FusedCopies::copies(const Source& source) {
  Instructions ops;
  const SharedPanels& panels = source.panels;
  const int threads = plan_.copying_threads();
  const int strips = panels.rounds(threads) / panels.panels();
  for (int round = 0; round < panels.rounds(threads); ++round) {
    const SharedPanels::Chunk chunk = panels.chunk(round, threads);
    isa::Expression row = source.first_row;
    add_scaled(row, chunk.row, 1);
    isa::MemoryAccess access{.buffer = source.buffer,
                             .shared = panels.at(chunk.row, chunk.first_column, chunk.beyond)};
    add_scaled(access.shared.offset, source.stage, 1);
    add_scaled(access.global.offset, source.origin, kHalfBytes);
    add_scaled(access.global.offset, source.offset(row), kHalfBytes);
    add_scaled(access.global.offset, chunk.column(), kHalfBytes);
    panels.bound(access.source, chunk, row, source.limit, plan_.stored_halves());
    isa::Guard guard = source.guard;
    if ((round % strips + 1) * panels.strip_rows(threads) > panels.rows)
      guard.bounds.push_back({chunk.row, panels.rows});
    if (!plan_.shares_pointers()) extend(ops, work_.advance_pointer(round, kOpsPerCopy));
    if (plan_.is_staged()) {
      std::ranges::move(access.source.bounds, std::back_inserter(guard.bounds));
      access.source = {};
      access.shared = {};
      ops.push_back(load(Opcode::kLdg128, reg(source.staged + kVectorRegisters * round),
                         work_.pointer(round), builder_.access(std::move(access)),
                         builder_.guard(guard)));
      continue;
    }
    ops.push_back({.opcode = Opcode::kLdgsts128,
                   .src = {work_.pointer(plan_.shares_pointers() ? round % strips : round),
                           work_.shared_store_address(), isa::kZeroRegister, isa::kZeroRegister},
                   .access = builder_.access(std::move(access)),
                   .guard = builder_.guard(guard)});
  }
  return ops;
}

Instructions FusedCopies::stores(const SharedPanels& panels, int first) {
  Instructions ops;
  const int strips = panels.rounds(plan_.threads()) / panels.panels();
  for (int round = 0; round < panels.rounds(plan_.threads()); ++round) {
    const SharedPanels::Chunk chunk = panels.chunk(round, plan_.threads());
    isa::Guard guard;
    if ((round % strips + 1) * panels.strip_rows(plan_.threads()) > panels.rows)
      guard.bounds.push_back({chunk.row, panels.rows});
    const int access =
        builder_.access({.shared = panels.at(chunk.row, chunk.first_column, chunk.beyond)});
    ops.push_back(store(Opcode::kSts128, reg(first + kVectorRegisters * round),
                        work_.shared_store_address(), access, builder_.guard(guard)));
  }
  return ops;
}

// The registers of sums and scores are not in use yet.
Instructions FusedCopies::staged_query() { return stores(plan_.shared_q, plan_.registers.output); }

Instructions FusedCopies::staged_keys(FusedBuffer buffer) {
  return stores(buffer == kKey ? plan_.shared_k : plan_.shared_v, plan_.registers.staged);
}

Instructions FusedCopies::query() {
  Instructions ops;
  const SharedPanels& panels = plan_.shared_q;
  if (plan_.shares_pointers()) {
    ops = work_.vector_ops(kOpsPerDivision);
    extend(ops, share_pointers(panels));
  }
  const auto offset = [&](const isa::Expression& row) {
    return plan_.row_offset(plan_.query, row);
  };
  extend(ops, copies({.panels = panels,
                      .buffer = kQuery,
                      .origin = plan_.query_origin(),
                      .offset = offset,
                      .first_row = plan_.first_row(),
                      .limit = plan_.rows % plan_.tile.rows != 0 ? plan_.rows : 0,
                      .staged = plan_.registers.output}));
  return ops;
}

Instructions FusedCopies::keys(FusedBuffer buffer, int place, bool in_loop,
                               const isa::Guard& guard) {
  const bool may_end = place == 0 && !in_loop &&
                       (plan_.problem.keys % plan_.tile.keys != 0 ||
                        (plan_.problem.causal && plan_.tile.splits > 1));
  return keys(buffer, {.number = plan_.block(place, in_loop),
                       .may_end = may_end,
                       .guard = guard,
                       .has_pages = buffer == kValue});
}

Instructions FusedCopies::keys(FusedBuffer buffer, const KeyBlock& block) {
  const SharedPanels& panels = buffer == kKey ? plan_.shared_k : plan_.shared_v;
  Instructions ops;
  if (plan_.is_paged()) {
    if (!block.has_pages) ops = look_up_pages(block);
    extend(ops, share_pointers(panels));
  }
  isa::Expression first_key;
  add_scaled(first_key, block.number, plan_.tile.keys);
  const auto offset = [&](const isa::Expression& row) {
    isa::Expression sum;
    add_scaled(sum, row, plan_.key.row);
    return sum;
  };
  extend(ops, copies({.panels = panels,
                      .buffer = buffer,
                      .origin = plan_.key_origin(),
                      .offset = offset,
                      .first_row = first_key,
                      .limit = block.may_end ? plan_.problem.keys : 0,
                      .staged = plan_.registers.staged,
                      .stage = block.stage,
                      .guard = block.guard}));
  return ops;
}

}  // namespace tcsim::kernels
