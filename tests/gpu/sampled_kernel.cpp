#include "tests/gpu/sampled_kernel.hpp"

#include "models/isa/assemble.hpp"
#include "models/sm/params.hpp"
#include "workloads/trace/tct.hpp"

namespace tcsim::gpu::test {

isa::KernelLaunch assembled(const std::string& text, const config::Machine& machine) {
  isa::KernelLaunch launch = trace::read_tct(text, "sampled.tct");
  const isa::TimingTable timing = sm::timing_table(machine.sm);
  for (isa::WarpProgram& program : launch.programs) isa::assemble(program, timing);
  return launch;
}

std::vector<isa::KernelLaunch> sampled_kernel(const config::Machine& machine, int ctas,
                                              const std::string& trips, const std::string& body) {
  const std::string text = "tct 1\nkernel sampled\ngrid " + std::to_string(ctas) +
                           " 1 1\nwarps 4\nregisters 64\nshared 0\n"
                           "buffer A input base=0x10000 bytes=67108864\n\n"
                           "program main warps 0-3\n  loop i0 < " +
                           trips + "\n" + body + "  end\n  EXIT\n";
  return {assembled(text, machine)};
}

}  // namespace tcsim::gpu::test
