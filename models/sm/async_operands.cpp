#include "models/sm/async_operands.hpp"

#include <variant>

#include "models/isa/box.hpp"

namespace tcsim::sm {
namespace {

const isa::AsyncOperands& operands_of(const Warp& warp, const DecodedInstruction& instruction) {
  return warp.program->async[static_cast<std::size_t>(instruction.access)];
}

/// The access that the lines of a box request from their slices when `effect` copies it.
memory::LineAccess access_of(isa::Effect effect) {
  if (effect == isa::Effect::kPrefetchTile) return memory::LineAccess::kPrefetch;
  if (isa::loads_tile(effect)) return memory::LineAccess::kRead;
  return effect == isa::Effect::kReduceTile ? memory::LineAccess::kReduction
                                            : memory::LineAccess::kWrite;
}

void set_recorded(const RecordedCursor& recorded, IssuedBox& box) {
  const isa::RecordedBox& executed = recorded.box();
  const auto base = static_cast<std::uint64_t>(recorded.step().address);
  for (const auto& [offset, bytes] : executed.pieces) {
    const std::uint64_t begin = base + static_cast<std::uint64_t>(offset);
    box.rows.push_back({begin, begin + static_cast<std::uint64_t>(bytes)});
  }
  box.bytes = executed.bytes;
  box.barrier = static_cast<int>(recorded.step().barrier);
  box.ranks = static_cast<std::uint16_t>(recorded.step().value);
}

void set_evaluated(const Kernel& kernel, const Warp& warp, const isa::TileOperand& operand,
                   IssuedBox& box) {
  const isa::Box evaluated = isa::box_of(kernel.launch(), operand, warp.bindings);
  if (evaluated.buffer == isa::kNoIndex) {
    box.put_rank = isa::rank_of(evaluated.offset);
  } else {
    const auto& buffer = kernel.launch().buffers[static_cast<std::size_t>(evaluated.buffer)];
    for (const auto& [offset, bytes] : evaluated.rows_inside()) {
      const std::uint64_t begin = buffer.base_address + static_cast<std::uint64_t>(offset);
      box.rows.push_back({begin, begin + static_cast<std::uint64_t>(bytes)});
    }
  }
  box.bytes = evaluated.bytes();
  box.barrier = static_cast<int>(isa::evaluate(operand.barrier, warp.bindings));
  box.ranks = static_cast<std::uint16_t>(isa::evaluate(operand.ranks, warp.bindings));
}

}  // namespace

std::uint32_t threads_of(const Warp& warp, std::uint32_t lanes) {
  return warp.recorded ? lanes : std::uint32_t{1};
}

BarrierValues barrier_of(const Warp& warp, const DecodedInstruction& instruction, int lane) {
  if (warp.recorded) {
    const std::int64_t address =
        warp.recorded->step().address +
        warp.recorded->access().shared.lane[static_cast<std::size_t>(lane)];
    const bool is_remote = instruction.effect == isa::Effect::kArriveRemote;
    return {isa::byte_of(address), is_remote ? isa::rank_of(address) : warp.recorded->step().value};
  }
  const auto& operand = std::get<isa::BarrierOperand>(operands_of(warp, instruction));
  return {isa::evaluate(operand.address, warp.bindings),
          isa::evaluate(operand.value, warp.bindings)};
}

std::int64_t barrier_byte_of(const Warp& warp, const DecodedInstruction& instruction) {
  if (warp.recorded) {
    return isa::copies_tile(instruction.effect) ? warp.recorded->step().barrier
                                                : isa::byte_of(warp.recorded->step().address);
  }
  const auto* const tile = std::get_if<isa::TileOperand>(&operands_of(warp, instruction));
  return tile != nullptr ? isa::evaluate(tile->barrier, warp.bindings)
                         : barrier_of(warp, instruction, 0).address;
}

IssuedBox box_of(const Kernel& kernel, const Warp& warp, const DecodedInstruction& instruction) {
  IssuedBox box;
  box.access = access_of(instruction.effect);
  if (warp.recorded)
    set_recorded(*warp.recorded, box);
  else
    set_evaluated(kernel, warp, std::get<isa::TileOperand>(operands_of(warp, instruction)), box);
  if (instruction.effect != isa::Effect::kLoadTileToMany) box.ranks = 0;
  return box;
}

}  // namespace tcsim::sm
