#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/isa/assemble.hpp"
#include "models/sm/params.hpp"
#include "sim/gpu/occupancy.hpp"
#include "sim/gpu/simulation.hpp"
#include "tests/support/counters.hpp"

// Programs with which tests observe the effect of machine-file keys.

namespace tcsim::gpu {

inline isa::KernelLaunch launch_of(isa::WarpProgram program, std::int64_t ctas, int warps) {
  isa::KernelLaunch launch;
  launch.name = program.name;
  launch.grid = {ctas, 1, 1};
  launch.warps_per_cta = warps;
  launch.registers_per_thread = 64;
  launch.shared_bytes_per_cta = 16384;
  launch.buffers = {{"a", 0x1000000, 16 << 20, true}, {"b", 0x8000000, 16 << 20, false}};
  launch.programs = {std::move(program)};
  launch.program_of_warp.assign(static_cast<std::size_t>(warps), 0);
  return launch;
}

inline int add_access(isa::WarpProgram& program, int buffer, std::vector<isa::Term> terms) {
  isa::MemoryAccess access;
  access.buffer = buffer;
  (buffer == isa::kNoIndex ? access.shared : access.global).offset.terms = std::move(terms);
  program.accesses.push_back(access);
  return static_cast<int>(program.accesses.size()) - 1;
}

inline void add(isa::WarpProgram& program, isa::Opcode opcode, isa::Register dst,
                std::array<isa::Register, 3> src, int access = isa::kNoIndex) {
  isa::Instruction instruction;
  instruction.opcode = opcode;
  instruction.dst = dst;
  std::ranges::copy(src, instruction.src.begin());
  instruction.access = access;
  program.instructions.push_back(instruction);
}

inline std::string run(const config::Machine& machine, isa::KernelLaunch launch) {
  const isa::TimingTable timing = sm::timing_table(machine.sm);
  if (occupancy(machine, launch).ctas_per_sm == 0) return "does not fit";
  for (const isa::Instruction& instruction : launch.programs.front().instructions) {
    if (!timing[static_cast<std::size_t>(instruction.opcode)].supported()) return "not supported";
  }
  for (isa::WarpProgram& program : launch.programs) isa::assemble(program, timing);
  Simulation simulation(machine, {.max_cycles = 200'000});
  std::string text = std::to_string(simulation.run({launch}, nullptr).cycles);
  for (const auto& [name, value] : test::counter_values(simulation.counters()))
    text += ' ' + std::to_string(value);
  return text;
}

/// Keys of hardware that an A100 lacks.
inline bool is_asynchronous(std::string_view key) {
  return key.starts_with("sm.group_tensor.") || key.starts_with("sm.mbarrier.") ||
         key.starts_with("sm.tile_copy.") || key.starts_with("sm.cluster.") ||
         key.starts_with("noc.coalescer_") || key.starts_with("noc.tpc_read_") ||
         key.starts_with("noc.multicast_");
}

}  // namespace tcsim::gpu
