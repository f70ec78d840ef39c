#include "models/sm/control_flow.hpp"

#include <cstddef>

namespace tcsim::sm {
namespace {

void jump_to(Warp& warp, int instruction) {
  warp.next_instruction = &warp.program->instructions[static_cast<std::size_t>(instruction)];
}

/// The end of loop `index`: back to its start, or on.
void close_loop(Warp& warp, std::size_t index) {
  const DecodedLoop& loop = warp.program->loops[index];
  if (loop.until && warp.flag < isa::evaluate(*loop.until, warp.bindings)) [[unlikely]]
    return jump_to(warp, loop.first);
  std::int64_t& counter = warp.bindings[static_cast<std::size_t>(isa::Variable::kLoop0) +
                                        static_cast<std::size_t>(loop.depth)];
  if (++counter < warp.trips[index]) {
    jump_to(warp, loop.first);
  } else {
    counter = 0;
    ++warp.next_instruction;
  }
  if (loop.depth == 0 && !warp.program->uniforms.empty()) warp.count_trips();
}

/// Before loop `index`: into it, or past it if it has no trips.
void open_loop(Warp& warp, std::size_t index) {
  const DecodedLoop& loop = warp.program->loops[index];
  jump_to(warp, warp.trips[index] > 0 ? loop.first : loop.last + 1);
}

}  // namespace

bool advance(Warp& warp, const DecodedInstruction& issued) {
  const bool is_branch = isa::is_branch(issued.effect);
  if (warp.recorded) [[unlikely]] {
    warp.next_instruction = &warp.recorded->next();
    return is_branch || warp.next_instruction != &issued + 1;
  }
  const auto loop = static_cast<std::size_t>(issued.immediate);  // of a branch
  if (issued.effect == isa::Effect::kBranch)
    close_loop(warp, loop);
  else if (issued.effect == isa::Effect::kSkipLoop)
    open_loop(warp, loop);
  else
    ++warp.next_instruction;
  return is_branch;
}

std::uint32_t active_lanes(const Warp& warp, const DecodedInstruction& instruction) {
  if (warp.recorded) return warp.recorded->lanes();
  const auto pass = [&warp](int guard) {
    return Kernel::active_lanes(*warp.program, guard, warp.fixed_values.data(), warp.bindings);
  };
  std::uint32_t lanes = warp.lanes & pass(instruction.guard);
  if (instruction.effect == isa::Effect::kCopyGlobalToShared)
    lanes &=
        pass(warp.program->accesses[static_cast<std::size_t>(instruction.access)].source_guard);
  return lanes;
}

}  // namespace tcsim::sm
