#include "workloads/microbench/launch_shape.hpp"

#include <algorithm>
#include <utility>

#include "models/isa/assemble.hpp"
#include "models/isa/operands.hpp"

namespace tcsim::microbench {
namespace {

int registers_of(const isa::WarpProgram& program) {
  int registers = 1;
  for (const isa::Instruction& instruction : program.instructions) {
    registers = std::max(registers, isa::destination_registers(instruction).end());
    for (int operand = 0; operand < isa::kSourceOperands; ++operand)
      registers = std::max(registers, isa::source_registers(instruction, operand).end());
  }
  return registers;
}

}  // namespace

isa::KernelLaunch one_program_launch(isa::WarpProgram program, const isa::TimingTable& timing,
                                     std::int64_t ctas, int warps, int shared_bytes) {
  isa::assemble(program, timing);
  isa::KernelLaunch launch;
  launch.name = program.name;
  launch.grid = {ctas, 1, 1};
  launch.warps_per_cta = warps;
  launch.registers_per_thread = registers_of(program);
  launch.shared_bytes_per_cta = shared_bytes;
  launch.programs.push_back(std::move(program));
  launch.program_of_warp.assign(static_cast<std::size_t>(warps), 0);
  return launch;
}

}  // namespace tcsim::microbench
