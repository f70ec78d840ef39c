#include "workloads/microbench/operation_loop.hpp"

#include <algorithm>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/program_builder.hpp"
#include "workloads/microbench/launch_shape.hpp"

namespace tcsim::microbench {
namespace {

using isa::Effect;
using isa::kLanes;
using isa::Opcode;
using isa::Variable;

// Long enough that the branch at its end does not matter.
constexpr std::int64_t kBodyInstructions = 256;
constexpr std::int64_t kLineBytes = 128;
constexpr int kMatrixRowBytes = 16;

// Fragments and other operands that no chain writes: registers of both banks, aligned for 64-bit
// pairs.
constexpr isa::Register kFirstOperand = 0;
constexpr isa::Register kSecondOperand = 8;  // pairs and fragments
constexpr isa::Register kOddOperand = 9;
constexpr isa::Register kLoopCounter = 15;
constexpr int kFirstChain = 16;

bool is_shared(Effect effect) {
  return effect == Effect::kLoadShared || effect == Effect::kStoreShared ||
         effect == Effect::kAtomicShared || isa::addresses_cluster(effect);
}
bool is_global(Effect effect) {
  return isa::addresses_global(effect) && effect != Effect::kCopyGlobalToShared;
}

/// Bytes from the first lane's first byte to the end of the last lane's space.
std::int64_t span(const isa::OpcodeInfo& info, int stride) {
  return std::int64_t{kLanes} * info.bytes_per_lane * stride;
}

isa::MemoryAccess access_of(const OperationLoop& loop, Opcode opcode, int chain) {
  const isa::OpcodeInfo& info = isa::opcode_info(opcode);
  const std::int64_t lane_step = std::int64_t{info.bytes_per_lane} * loop.stride;
  isa::MemoryAccess access;
  if (isa::moves_matrices(info.effect)) {
    access.shared.offset.terms = {{Variable::kLane, kMatrixRowBytes}};
  } else if (is_shared(info.effect)) {
    access.shared.offset.terms = {{Variable::kLane, lane_step}};
  } else if (is_global(info.effect)) {
    access.buffer = 0;
    access.global.offset = {
        chain * kLineBytes,
        {{Variable::kLane, lane_step}, {Variable::kWarp, loop.chains * kLineBytes}}};
  }
  return access;
}

bool is_barrier(Opcode opcode) {
  const Effect effect = isa::opcode_info(opcode).effect;
  return effect == Effect::kArrive || effect == Effect::kWaitPhase;
}

/// The operands of `opcode` other than its registers. An mbarrier is at byte 0; the phase before
/// its first one is complete.
int operands_of(kernels::ProgramBuilder& builder, const OperationLoop& loop, Opcode opcode,
                int chain) {
  if (is_barrier(opcode)) return builder.async(isa::BarrierOperand{{}, {1}});
  return isa::is_memory(opcode) ? builder.access(access_of(loop, opcode, chain)) : isa::kNoIndex;
}

/// Number of registers of one chain: the results of every step, rounded to an even number.
int chain_registers(const OperationLoop& loop) {
  int registers = 0;
  for (const Opcode step : loop.steps) registers += isa::opcode_info(step).dst_registers;
  return std::max(2, registers + registers % 2);
}

isa::Instruction instruction_of(Opcode opcode, isa::Register result, int access) {
  const isa::OpcodeInfo& info = isa::opcode_info(opcode);
  isa::Instruction instruction{.opcode = opcode, .access = access};
  if (isa::is_named_barrier(info.effect)) return instruction;
  if (info.dst_registers > 0) instruction.dst = result;
  const isa::Register second = info.src_registers[1] == 1 ? kOddOperand : kSecondOperand;
  instruction.src = {kFirstOperand, second, isa::kZeroRegister, kOddOperand};
  const std::size_t chained = info.src_registers[2] > 0 ? 2 : 0;
  if (info.dst_registers > 0) instruction.src[chained] = result;
  for (std::size_t source = 0; source < instruction.src.size(); ++source)
    if (info.src_registers[source] == 0) instruction.src[source] = isa::kZeroRegister;
  return instruction;
}

/// The loop counter, which nvcc 13 places first in such loops (sm_80).
isa::Instruction count_down() {
  isa::Instruction instruction{.opcode = Opcode::kIadd3};
  instruction.dst = kLoopCounter;
  instruction.src[0] = kLoopCounter;
  return instruction;
}

std::int64_t instructions_per_group(const OperationLoop& loop) {
  return static_cast<std::int64_t>(loop.steps.size()) * loop.chains;
}

int shared_bytes(const OperationLoop& loop) {
  std::int64_t bytes = 0;
  for (const Opcode step : loop.steps) {
    const isa::OpcodeInfo& info = isa::opcode_info(step);
    if (isa::moves_matrices(info.effect)) bytes = std::int64_t{kLanes} * kMatrixRowBytes;
    if (is_barrier(step)) bytes = isa::kBarrierBytes;
    if (is_shared(info.effect)) bytes = std::max(bytes, span(info, loop.stride));
  }
  return static_cast<int>(bytes);
}

}  // namespace

bool can_be_repeated(isa::Opcode opcode) {
  const Effect effect = isa::opcode_info(opcode).effect;
  return !isa::is_branch(effect) && effect != Effect::kExit &&
         (!isa::is_asynchronous(effect) || is_barrier(opcode));
}

std::int64_t groups_per_body(const OperationLoop& loop) {
  if (loop.is_rolled) return 1;
  return std::max<std::int64_t>(1, kBodyInstructions / instructions_per_group(loop));
}

isa::KernelLaunch operation_loop(const OperationLoop& loop, const isa::TimingTable& timing) {
  kernels::ProgramBuilder builder("operation loop");
  std::vector<std::vector<int>> accesses(static_cast<std::size_t>(loop.chains));
  for (int chain = 0; chain < loop.chains; ++chain)
    for (const Opcode step : loop.steps)
      accesses[static_cast<std::size_t>(chain)].push_back(operands_of(builder, loop, step, chain));
  if (is_barrier(loop.steps.front()))
    builder.append(Opcode::kSyncsExch, isa::BarrierOperand{{}, {1}});

  builder.begin_loop();
  if (loop.is_rolled) builder.append(count_down());
  for (std::int64_t group = 0; group < groups_per_body(loop); ++group) {
    for (int chain = 0; chain < loop.chains; ++chain) {
      int result = kFirstChain + chain * chain_registers(loop);
      for (std::size_t step = 0; step < loop.steps.size(); ++step) {
        const Opcode opcode = loop.steps[step];
        builder.append(instruction_of(opcode, kernels::reg(result),
                                      accesses[static_cast<std::size_t>(chain)][step]));
        result += isa::opcode_info(opcode).dst_registers;
      }
    }
  }
  builder.end_loop(ceil_div(loop.groups, groups_per_body(loop)));

  isa::KernelLaunch launch =
      one_program_launch(builder.finish(), timing, loop.ctas, loop.warps, shared_bytes(loop));
  if (is_global(isa::opcode_info(loop.steps.front()).effect)) {
    const std::int64_t bytes = span(isa::opcode_info(loop.steps.front()), loop.stride) +
                               kLineBytes * loop.warps * loop.chains;
    launch.buffers.push_back(
        {.name = "data", .base_address = 1 << 20, .bytes = static_cast<std::uint64_t>(bytes)});
  }
  return launch;
}

}  // namespace tcsim::microbench
