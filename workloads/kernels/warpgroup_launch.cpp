#include "workloads/kernels/warpgroup_launch.hpp"

#include <algorithm>
#include <utility>

#include "models/isa/async_operands.hpp"
#include "models/isa/group_mma.hpp"

namespace tcsim::kernels::warpgroups {

BarrierSetup::BarrierSetup(ProgramBuilder& builder)
    : builder_(builder), first_warp_(builder.guard({{{{0, {{isa::Variable::kWarp, 1}}}, 1}}})) {
  for (int i = 0; i < 4; ++i)  // CTA number in x, y, z; thread number
    builder.append(arithmetic(isa::Opcode::kS2r, reg(i)));
}

void BarrierSetup::init(int address, int arrivals) {
  builder_.append(isa::Opcode::kSyncsExch, isa::BarrierOperand{{address}, {arrivals}}, first_warp_);
}

void take_registers(int count, ProgramBuilder& builder) {
  builder.append(control(isa::Opcode::kUsetmaxreg, count));
}

void meet(ProgramBuilder& builder, const isa::Expression& address, const isa::Expression& parity) {
  builder.append(isa::Opcode::kSyncsArrive, isa::BarrierOperand{address, {}});
  builder.append(isa::Opcode::kSyncsTryWait, isa::BarrierOperand{address, parity});
}

isa::KernelLaunch with_roles(isa::KernelLaunch launch, int consumers,
                             std::vector<isa::WarpProgram> programs) {
  const int last = static_cast<int>(programs.size()) - 1;
  for (int warp = 0; warp < isa::kGroupWarps; ++warp)
    launch.program_of_warp.push_back(std::min(warp, last - 1));
  launch.warps_per_cta = isa::kGroupWarps * (1 + consumers);
  launch.program_of_warp.resize(static_cast<std::size_t>(launch.warps_per_cta), last);
  launch.programs = std::move(programs);
  return launch;
}

}  // namespace tcsim::kernels::warpgroups
