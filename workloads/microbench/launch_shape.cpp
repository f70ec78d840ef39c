#include "workloads/microbench/launch_shape.hpp"

#include <algorithm>
#include <utility>

#include "models/isa/assemble.hpp"
#include "models/isa/operands.hpp"
#include "workloads/kernels/program_builder.hpp"

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
  isa::KernelLaunch launch{.name = program.name,
                           .grid = {ctas, 1, 1},
                           .warps_per_cta = warps,
                           .registers_per_thread = registers_of(program),
                           .shared_bytes_per_cta = shared_bytes};
  return kernels::uniform_launch(std::move(launch), std::move(program));
}

}  // namespace tcsim::microbench
