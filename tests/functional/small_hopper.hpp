#pragma once

#include <cstdint>
#include <variant>

#include "models/functional/execute.hpp"
#include "sim/config/target.hpp"
#include "sim/library/load.hpp"
#include "workloads/kernels/attention/attention.hpp"

namespace tcsim::functional::testing {

/// A Hopper of two SMs, so that CTAs have several tiles.
inline kernels::Target small_hopper(const kernels::GemmProblem& problem) {
  kernels::Target target = config::make_target(library::load_machine("h100"), problem);
  target.sms = 2;
  return target;
}
inline kernels::Target small_hopper(const kernels::AttentionProblem& problem) {
  return small_hopper(kernels::GemmProblem{.input = problem.element});
}

/// What racing_bytes_without returns if the execution does not finish.
inline constexpr std::int64_t kRefused = -1;

/// Bytes that race if all instructions `opcode` are omitted from program `only` of launch `launch`
/// (from all its programs if `only` is negative), only at the barrier `barrier` if that is not
/// negative.
inline std::int64_t racing_bytes_without(isa::Opcode opcode,
                                         const kernels::AttentionProblem& problem,
                                         std::int64_t barrier = -1, int only = -1,
                                         std::size_t launch = 0) {
  auto stream = kernels::make_attention(problem, small_hopper(problem));
  std::vector<isa::WarpProgram>& programs = stream.at(launch).programs;
  for (std::size_t number = 0; number < programs.size(); ++number) {
    if (only >= 0 && number != static_cast<std::size_t>(only)) continue;
    isa::WarpProgram& program = programs[number];
    for (isa::Instruction& instruction : program.instructions) {
      if (instruction.opcode != opcode) continue;
      if (barrier >= 0) {
        const auto& operand = std::get<isa::BarrierOperand>(
            program.async[static_cast<std::size_t>(instruction.access)]);
        if (operand.address.constant != barrier) continue;
      }
      instruction = {.opcode = isa::Opcode::kNop, .control = instruction.control};
    }
  }
  GlobalMemory memory(stream);
  const auto result = execute(stream, numerics::Generation::kHopper, memory);
  return result.has_value() ? result.value().racing_bytes : kRefused;
}

}  // namespace tcsim::functional::testing
