#include "workloads/trace/canonical.hpp"

#include <algorithm>
#include <numeric>

#include "models/isa/operands.hpp"
#include "workloads/trace/program_tables.hpp"
#include "workloads/trace/tct_async.hpp"

namespace tcsim::trace {
namespace {

using isa::Effect;
using isa::Instruction;
using isa::kNoIndex;
using isa::kZeroRegister;

isa::MemoryAccess used_part(isa::MemoryAccess access, isa::Opcode opcode) {
  if (!addresses_global(opcode)) {
    access.buffer = kNoIndex;
    access.global = {};
  }
  if (!addresses_shared(opcode) && !addresses_constants(opcode)) access.shared = {};
  if (!copies(opcode)) access.source = {};
  return access;
}

void clear_unused_operands(Instruction& instruction) {
  const isa::OpcodeInfo& info = isa::opcode_info(instruction.opcode);
  if (info.dst_registers == 0 && isa::scalar_destination(instruction) == kNoIndex)
    instruction.dst = kZeroRegister;
  for (std::size_t s = 0; s < instruction.src.size(); ++s) {
    const bool is_scalar = isa::scalar_source(instruction, static_cast<int>(s)) != kNoIndex;
    if (info.src_registers[s] == 0 && !is_scalar) instruction.src[s] = kZeroRegister;
  }
  const int literal = literal_operand(instruction.opcode);
  const bool is_replaced = instruction.has_immediate || instruction.has_constant;
  if (is_replaced && literal != kNoIndex) instruction.src[literal] = kZeroRegister;
}

void renumber_loops(isa::WarpProgram& program) {
  std::vector<int> order(program.loops.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](int a, int b) {
    const isa::Loop& left = program.loops[a];
    const isa::Loop& right = program.loops[b];
    return left.first != right.first ? left.first < right.first : left.last > right.last;
  });
  std::vector<isa::Loop> loops;
  for (const int loop : order) {
    const int first = program.loops[loop].first;
    if (isa::is_skippable(program.instructions, program.loops[loop], loop))
      program.instructions[first - 1].immediate = static_cast<int>(loops.size());
    Instruction& branch = program.instructions[program.loops[loop].last];
    branch.immediate = static_cast<int>(loops.size());
    branch.has_immediate = false;
    loops.push_back(program.loops[loop]);
  }
  program.loops = std::move(loops);
}

isa::WarpProgram canonical_program(isa::WarpProgram program) {
  const std::vector<isa::MemoryAccess> accesses = std::move(program.accesses);
  const std::vector<isa::AsyncOperands> async = std::move(program.async);
  const std::vector<isa::Guard> guards = std::move(program.guards);
  program.accesses.clear();
  program.async.clear();
  program.guards.clear();
  ProgramTables tables(program);
  for (Instruction& instruction : program.instructions) {
    clear_unused_operands(instruction);
    if (instruction.guard != kNoIndex) {
      instruction.guard = tables.number(guards[instruction.guard]);
    }
    if (isa::is_asynchronous(isa::opcode_info(instruction.opcode).effect)) {
      instruction.access =
          tables.number(used_operands(async[instruction.access], instruction.opcode));
    } else if (instruction.access != kNoIndex) {
      instruction.access =
          tables.number(used_part(accesses[instruction.access], instruction.opcode));
    }
  }
  renumber_loops(program);
  return program;
}

}  // namespace

bool copies(isa::Opcode opcode) {
  return isa::opcode_info(opcode).effect == Effect::kCopyGlobalToShared;
}

bool addresses_global(isa::Opcode opcode) {
  return isa::addresses_global(isa::opcode_info(opcode).effect);
}

bool addresses_shared(isa::Opcode opcode) {
  return isa::addresses_shared(isa::opcode_info(opcode).effect);
}

bool addresses_constants(isa::Opcode opcode) {
  return isa::opcode_info(opcode).effect == Effect::kLoadConstant;
}

int literal_operand(isa::Opcode opcode) {
  const isa::OpcodeInfo& info = isa::opcode_info(opcode);
  if (info.effect != Effect::kNone) return kNoIndex;
  int last = kNoIndex;
  for (int s = 0; s < static_cast<int>(info.src_registers.size()); ++s) {
    if (info.src_registers[s] > 0) last = s;
  }
  return last;
}

isa::KernelLaunch canonical(const isa::KernelLaunch& launch) {
  isa::KernelLaunch result = launch;
  for (isa::WarpProgram& program : result.programs) {
    program = canonical_program(std::move(program));
  }
  return result;
}

}  // namespace tcsim::trace
