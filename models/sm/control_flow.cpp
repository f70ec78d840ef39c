#include "models/sm/control_flow.hpp"

#include <cstddef>
#include <utility>

#include "models/sm/lane_values.hpp"

namespace tcsim::sm {
namespace {

void jump_to(Warp& warp, int instruction) {
  warp.next_instruction = &warp.program->instructions[static_cast<std::size_t>(instruction)];
}

/// The end of a loop whose iteration number `warp` takes from a counter, if that number has
/// arrived.
void close_taking_loop(Warp& warp, const DecodedLoop& loop) {
  std::int64_t& trip = warp.bindings[static_cast<std::size_t>(isa::Variable::kLoop0)];
  if (std::cmp_greater_equal(trip, warp.taken->size())) {
    warp.hold = Hold::kNumber;
    return;
  }
  const std::int64_t number =
      loop.ctas + (*warp.taken)[static_cast<std::size_t>(trip)] % *loop.numbers;
  if (number < *loop.numbers) {
    ++trip;
    jump_to(warp, loop.first);
    warp.count_trips(number);
  } else {
    trip = 0;
    ++warp.next_instruction;
    warp.count_trips();
  }
}

/// The end of loop `index`: back to its start, or past it.
void close_loop(Warp& warp, std::size_t index) {
  const DecodedLoop& loop = warp.program->loops[index];
  if (loop.until && warp.flag < isa::evaluate(*loop.until, warp.bindings)) [[unlikely]]
    return jump_to(warp, loop.first);
  if (loop.numbers) [[unlikely]]
    return close_taking_loop(warp, loop);
  std::int64_t& counter = warp.bindings[isa::loop_place(loop.depth)];
  if (++counter < warp.trips[index]) {
    jump_to(warp, loop.first);
  } else {
    counter = 0;
    ++warp.next_instruction;
  }
  if (loop.depth == 0 && !warp.program->uniforms.empty()) warp.count_trips();
}

/// At the head of loop `index`: enters it, or skips it if it has no iterations.
void open_loop(Warp& warp, std::size_t index) {
  const DecodedLoop& loop = warp.program->loops[index];
  jump_to(warp, warp.trips[index] > 0 ? loop.first : loop.last + 1);
}

}  // namespace

bool advance_elsewhere(Warp& warp, const DecodedInstruction& issued) {
  if (warp.recorded) {
    warp.next_instruction = &warp.recorded->next();
    return isa::is_branch(issued.effect) || warp.next_instruction != &issued + 1;
  }
  const auto loop = static_cast<std::size_t>(issued.immediate);
  if (issued.effect == isa::Effect::kBranch)
    close_loop(warp, loop);
  else
    open_loop(warp, loop);
  return true;
}

std::uint32_t guarded_lanes(const Warp& warp, const DecodedInstruction& instruction) {
  if (warp.recorded) return warp.recorded->lanes();
  const auto pass = [&warp](int guard) {
    return active_lanes(*warp.program, guard, warp.fixed_values.data(), warp.bindings);
  };
  std::uint32_t lanes = warp.lanes & pass(instruction.guard);
  if (instruction.effect == isa::Effect::kCopyGlobalToShared)
    lanes &=
        pass(warp.program->accesses[static_cast<std::size_t>(instruction.access)].source_guard);
  return lanes;
}

}  // namespace tcsim::sm
