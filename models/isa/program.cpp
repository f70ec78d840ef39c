#include "models/isa/program.hpp"

#include <algorithm>
#include <charconv>

namespace tcsim::isa {

std::string address_text(int index) {
  constexpr std::size_t kDigits = 4;
  std::array<char, 16> digits{};
  const std::int64_t address = std::int64_t{kInstructionBytes} * index;
  char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), address, 16).ptr;
  const std::string number(digits.data(), end);
  return "0x" + std::string(kDigits - std::min(kDigits, number.size()), '0') + number;
}

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
