#include "tests/functional/small_launch.hpp"

namespace tcsim::functional::testing {

using isa::Opcode;
using isa::Variable;

isa::KernelLaunch small_launch(int warps, isa::WarpProgram program) {
  program.instructions.push_back(plain(Opcode::kExit));
  isa::KernelLaunch launch;
  launch.name = "small";
  launch.warps_per_cta = warps;
  launch.shared_bytes_per_cta = 1024;
  launch.buffers = {{.name = "x", .base_address = 0, .bytes = 1024, .input = false}};
  launch.programs = {std::move(program)};
  launch.program_of_warp.assign(static_cast<std::size_t>(warps), 0);
  return launch;
}

isa::Instruction plain(Opcode opcode, int immediate) {
  return {.opcode = opcode, .immediate = immediate};
}

isa::Instruction memory(Opcode opcode, int access, int guard) {
  isa::Instruction instruction{.opcode = opcode, .access = access, .guard = guard};
  const isa::OpcodeInfo& info = isa::opcode_info(opcode);
  if (info.dst_registers > 0)
    instruction.dst = 0;
  else if (info.effect != isa::Effect::kCopyGlobalToShared)
    instruction.src[1] = 0;
  return instruction;
}

isa::MemoryAccess own_row(int constant) {
  const isa::Address address{.offset = {constant, {{Variable::kLane, 4}, {Variable::kWarp, 128}}},
                             .swizzle = {}};
  return {.buffer = 0, .global = address, .shared = address};
}

isa::MemoryAccess common_row(int constant) {
  const isa::Address address{.offset = {constant, {{Variable::kLane, 4}}}, .swizzle = {}};
  return {.buffer = 0, .global = address, .shared = address};
}

isa::MemoryAccess decided_late(isa::MemoryAccess access) {
  for (isa::Address* side : {&access.global, &access.shared})
    side->offset.terms.push_back({Variable::kCtaZ, -1});
  return access;
}

isa::Guard warps_below(int limit) { return {{{{0, {{Variable::kWarp, 1}}}, limit}}}; }

}  // namespace tcsim::functional::testing
