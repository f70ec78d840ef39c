#include "models/isa/program.hpp"

namespace tcsim::isa {

int next_position(const WarpProgram& program, int position, Bindings& bindings) {
  const Instruction& done = program.instructions[static_cast<std::size_t>(position)];
  const Effect effect = opcode_info(done.opcode).effect;
  if (!is_branch(effect)) return position + 1;
  const Loop& loop = program.loops[static_cast<std::size_t>(done.immediate)];
  if (effect == Effect::kSkipLoop)
    return evaluate(loop.trips, bindings) > 0 ? loop.first : loop.last + 1;
  std::int64_t& counter = bindings[loop_place(loop.depth)];
  const bool repeats = ++counter < evaluate(loop.trips, bindings);
  if (!repeats) counter = 0;
  if (loop.depth == 0) bind_uniforms(program.uniforms, bindings);
  return repeats ? loop.first : position + 1;
}

}  // namespace tcsim::isa
