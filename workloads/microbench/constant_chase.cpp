#include "workloads/microbench/constant_chase.hpp"

#include "workloads/kernels/program_builder.hpp"
#include "workloads/microbench/launch_shape.hpp"

namespace tcsim::microbench {

isa::KernelLaunch constant_chase(std::int64_t bytes, int line_bytes, std::int64_t loads,
                                 const isa::TimingTable& timing) {
  constexpr isa::Register kPointer = 2;
  kernels::ProgramBuilder builder("constant chase");
  isa::MemoryAccess access;
  access.shared.offset.terms = {
      {isa::Variable::kLoop0, line_bytes, 1, static_cast<std::uint32_t>(bytes / line_bytes)}};
  const int next = builder.access(access);
  builder.begin_loop();
  builder.append(kernels::load(isa::Opcode::kLdc32, kPointer, kPointer, next));
  builder.end_loop(loads);
  return one_program_launch(builder.finish(), timing, 1, 1);
}

}  // namespace tcsim::microbench
