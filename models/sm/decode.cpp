#include "models/sm/decode.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>
#include <variant>

#include "models/isa/opcode.hpp"
#include "models/sm/tensor_core.hpp"

namespace tcsim::sm {
namespace {

/// True for variables that change while a warp runs: loop counters, and uniforms, which follow
/// them.
bool is_loop(isa::Variable variable) { return variable >= isa::Variable::kLoop0; }

SplitExpression split(std::int64_t constant, const std::vector<isa::Term>& terms) {
  SplitExpression parts;
  parts.constant = constant;
  for (const isa::Term& term : terms) {
    if (term.variable == isa::Variable::kLane) {
      for (int lane = 0; lane < kLanes; ++lane)
        parts.lane[static_cast<std::size_t>(lane)] += isa::evaluate(term, lane);
    } else {
      (is_loop(term.variable) ? parts.looping : parts.fixed).push_back(term);
    }
  }
  const auto [low, high] = std::minmax_element(parts.lane.begin(), parts.lane.end());
  parts.lane_min = *low;
  parts.lane_max = *high;
  return parts;
}

/// Index of the quotient in `program`; adds it if it is new.
int intern(isa::Quotient quotient, DecodedProgram& program) {
  quotient.coefficient = 1;
  const auto equal = std::find_if(program.quotients.begin(), program.quotients.end(),
                                  [&](const auto& other) { return other.quotient == quotient; });
  if (equal != program.quotients.end()) return static_cast<int>(equal - program.quotients.begin());
  SplitExpression sum = split(quotient.constant, quotient.terms);
  program.quotients.push_back({std::move(quotient), std::move(sum), 0});
  return static_cast<int>(program.quotients.size()) - 1;
}

SplitExpression split(const isa::Expression& expression, DecodedProgram& program) {
  SplitExpression parts = split(expression.constant, expression.terms);
  for (const isa::Quotient& quotient : expression.quotients)
    parts.quotients.push_back({intern(quotient, program), quotient.coefficient});
  return parts;
}

DecodedAccess decode(const isa::MemoryAccess& access, isa::Opcode opcode,
                     const isa::KernelLaunch& launch, DecodedProgram& program) {
  const isa::OpcodeInfo& info = isa::opcode_info(opcode);
  DecodedAccess decoded;
  decoded.global = split(access.global.offset, program);
  decoded.shared = split(access.shared.offset, program);
  decoded.global_swizzle = access.global.swizzle;
  decoded.shared_swizzle = access.shared.swizzle;
  decoded.bytes_per_lane = info.bytes_per_lane;
  decoded.is_matrix = isa::moves_matrices(info.effect);
  decoded.matrices = isa::matrices_of(info);
  if (access.buffer != isa::kNoIndex) {
    const isa::Buffer& buffer = launch.buffers[static_cast<std::size_t>(access.buffer)];
    decoded.buffer_base = buffer.base_address;
    decoded.flags = buffer.flags;
  }
  return decoded;
}

/// The steps of an HMMA.884 after the first find A and B in the operand buffers of the tensor core
/// (RAI19; compiled code sets their reuse flags), so they read the accumulator alone.
bool reuses_fragments(isa::Opcode opcode) { return isa::opcode_info(opcode).mma_step.index > 0; }

/// Registers of operand `source` that `opcode` reads in the issue window. The queue of memory
/// instructions reads theirs with lower priority (HUE25).
int window_registers(isa::Opcode opcode, std::size_t source, const TensorParams& tensor) {
  const isa::OpcodeInfo& info = isa::opcode_info(opcode);
  if (isa::reads_from_queue(info.pipe) || (source < 2 && reuses_fragments(opcode))) return 0;
  if (info.pipe != isa::Pipe::kTensor || source >= 2) return info.src_registers[source];
  return info.src_registers[source] * operand_reads(opcode, tensor)[source];
}

/// Read-port slots per bank that the sources of `instruction` take.
std::array<std::uint8_t, kMaxRegisterBanks> bank_reads(const isa::Instruction& instruction,
                                                       const SmParams& params) {
  std::array<std::uint8_t, kMaxRegisterBanks> reads{};
  for (std::size_t source = 0; source < instruction.src.size(); ++source) {
    if (instruction.src[source] == isa::kZeroRegister) continue;
    const int registers = window_registers(instruction.opcode, source, params.tensor);
    for (int i = 0; i < registers; ++i) {
      ++reads[static_cast<std::size_t>((instruction.src[source] + i) % params.register_file.banks)];
    }
  }
  return reads;
}

/// Sources that do not fit into the window take as long as their busiest bank needs (assumption).
int read_window(const DecodedInstruction& instruction, const SmParams& params) {
  const int busiest = *std::ranges::max_element(instruction.bank_reads);
  const int window = instruction.pipe == isa::Pipe::kTensor
                         ? params.tensor.operand_window_cycles
                         : params.register_file.operand_read_window_cycles;
  return std::max(window, ceil_div(busiest, params.register_file.read_ports_per_bank));
}

/// Under a scoreboard only the instruction itself holds its warp back. Counters 0 and 1 represent
/// everything that the warp has in flight.
void drop_control_bits(DecodedInstruction& decoded) {
  decoded.stall = 1;
  decoded.wait_mask = 0;
  decoded.reuse_mask = 0;
  constexpr std::uint8_t kNone = isa::ControlBits::kNoCounter;
  decoded.write_counter = !decoded.fixed_latency && decoded.dst_registers > 0 ? 0 : kNone;
  const bool reads_late = decoded.pipe == isa::Pipe::kMemory && !decoded.fixed_latency &&
                          decoded.effect != isa::Effect::kNone;
  decoded.read_counter = reads_late ? 1 : kNone;
}

DecodedInstruction decode(const isa::Instruction& instruction, const isa::TimingTable& timing,
                          const SmParams& params) {
  const isa::OpcodeInfo& info = isa::opcode_info(instruction.opcode);
  const isa::OpTiming& row = timing[static_cast<std::size_t>(instruction.opcode)];
  assert(std::in_range<std::uint16_t>(row.issue_interval));
  assert(std::in_range<std::uint16_t>(row.latency));
  DecodedInstruction decoded{};
  decoded.opcode = instruction.opcode;
  decoded.pipe = info.pipe;
  decoded.effect = info.effect;
  decoded.fixed_latency = info.fixed_latency;
  // A warp that yields does not issue in the next cycle (microarchitecture.md 3.3).
  decoded.stall =
      std::max<std::uint16_t>(instruction.control.yield ? 2 : 1, instruction.control.stall);
  decoded.wait_mask = instruction.control.wait_mask;
  decoded.write_counter = instruction.control.write_counter;
  decoded.read_counter = instruction.control.read_counter;
  decoded.bank_reads = bank_reads(instruction, params);
  decoded.read_window = static_cast<std::uint8_t>(read_window(decoded, params));
  decoded.reads_registers = decoded.bank_reads != std::array<std::uint8_t, kMaxRegisterBanks>{};
  decoded.dst_registers = info.dst_registers;
  if (isa::carries_data(info.effect))
    decoded.data_registers = (info.src_registers[1] + info.src_registers[2]) & 15U;
  decoded.reads_constant = isa::reads_constant(instruction);
  decoded.src = instruction.src;
  decoded.dst = instruction.dst;
  decoded.reuse_mask = instruction.control.reuse_mask & 7;
  decoded.issue_interval = static_cast<std::uint16_t>(row.issue_interval);
  decoded.latency = static_cast<std::uint16_t>(row.latency);
  if (params.dependences == "scoreboard") drop_control_bits(decoded);
  decoded.access = instruction.access;
  decoded.guard = instruction.guard;
  decoded.immediate = instruction.immediate;
  return decoded;
}

/// Marks where a warp that runs through the program enters a line of code, and where its
/// fetch-ahead enters one.
void mark_lines(std::vector<DecodedInstruction>& instructions,
                const InstructionFetchParams& fetch) {
  if (fetch.l0_bytes == 0) return;
  const auto line = static_cast<std::size_t>(fetch.instructions_per_line);
  const auto ahead = static_cast<std::size_t>(fetch.buffer_entries - 1);
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    instructions[i].starts_line = i % line == 0;
    instructions[i].ends_ahead = i + ahead < instructions.size() && (i + ahead) % line == 0;
  }
}

isa::Effect effect_of(const isa::Instruction& instruction) {
  return isa::opcode_info(instruction.opcode).effect;
}

/// True for effects that neither write global memory nor order accesses to it. At mbarriers, only
/// the CTAs of a cluster wait for each other.
bool reads_at_most(isa::Effect effect) {
  switch (effect) {
    case isa::Effect::kLoadGlobal:
    case isa::Effect::kCopyGlobalToShared:
    case isa::Effect::kArrive:
    case isa::Effect::kArriveWithBytes:
    case isa::Effect::kArriveRemote:
    case isa::Effect::kArriveAfterCopies:
    case isa::Effect::kWaitPhase:
    case isa::Effect::kGroupMma:
    case isa::Effect::kGroupArrive:
    case isa::Effect::kWaitGroupMmas:
    case isa::Effect::kProxyFence:
      return true;
    default:
      return isa::reads_tile(effect) || effect == isa::Effect::kPutTile ||
             (effect < isa::Effect::kInitBarrier && effect != isa::Effect::kFence &&
              !isa::addresses_global(effect));
  }
}

/// True if nothing inside `loop` writes global memory, orders accesses to it, or waits for CTAs
/// outside the cluster.
bool only_reads(const isa::WarpProgram& program, const isa::Loop& loop) {
  for (int i = loop.first; i <= loop.last; ++i)
    if (!reads_at_most(effect_of(program.instructions[static_cast<std::size_t>(i)]))) return false;
  return std::ranges::none_of(program.loops, [&](const isa::Loop& inner) {
    return inner.until && loop.first <= inner.first && inner.last <= loop.last;
  });
}

/// The expressions in `operands` that name an mbarrier or one of its phases.
std::vector<isa::Expression> names_of_barriers(const isa::AsyncOperands& operands) {
  if (const auto* barrier = std::get_if<isa::BarrierOperand>(&operands))
    return {barrier->address, barrier->value};
  if (const auto* tile = std::get_if<isa::TileOperand>(&operands)) return {tile->barrier};
  return {};
}

/// DecodedLoop::period; 0 if there is no short period. Assumes 0 for other variables: they only
/// shift where a period begins.
std::int64_t period_of(const isa::WarpProgram& program, const isa::Loop& loop) {
  constexpr std::int64_t kLongest = 64;
  const std::size_t counter = isa::loop_place(loop.depth);
  std::vector<isa::Expression> names;
  for (int i = loop.first; i <= loop.last; ++i) {
    const isa::Instruction& instruction = program.instructions[static_cast<std::size_t>(i)];
    if (isa::is_asynchronous(effect_of(instruction)))
      std::ranges::copy(
          names_of_barriers(program.async[static_cast<std::size_t>(instruction.access)]),
          std::back_inserter(names));
  }
  const auto at = [counter](const isa::Expression& name, std::int64_t trip) {
    isa::Bindings bindings{};
    bindings[counter] = trip;
    return isa::evaluate(name, bindings);
  };
  const auto come_again_behind = [&](std::int64_t period) {
    return std::ranges::all_of(names, [&](const isa::Expression& name) {
      for (std::int64_t trip = 0; trip < 2 * kLongest; ++trip)
        if (at(name, trip) != at(name, trip + period)) return false;
      return true;
    });
  };
  for (std::int64_t period = 1; period <= kLongest; ++period)
    if (come_again_behind(period)) return period;
  return 0;
}

/// The targets of the backward branches of a program, by branch position: from its loops, or as
/// recorded.
std::map<std::size_t, std::size_t> jumps_back(const isa::WarpProgram& program,
                                              const isa::KernelLaunch& launch) {
  std::map<std::size_t, std::size_t> target;
  const auto add = [&target](int from, int to) {
    if (to <= from) target[static_cast<std::size_t>(from)] = static_cast<std::size_t>(to);
  };
  for (const isa::Loop& loop : program.loops) add(loop.last, loop.first);
  if (launch.recording != nullptr)
    for (const auto& [from, to] : launch.recording->jumps()) add(from, to);
  return target;
}

/// Sets the pipe that holds up each instruction. A NOP or BRA without a unit of its own waits where
/// the assembler has put the wait of the instruction after it.
void mark_awaited_pipes(std::vector<DecodedInstruction>& all,
                        const std::map<std::size_t, std::size_t>& jumps) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::size_t awaited = i;
    for (std::size_t steps = 0; steps < all.size(); ++steps) {
      const auto jump = jumps.find(awaited);
      if (jump != jumps.end())
        awaited = jump->second;
      else if (all[awaited].opcode == isa::Opcode::kNop && awaited + 1 < all.size())
        ++awaited;
      else
        break;
    }
    all[i].awaited_pipe = all[awaited].pipe;
  }
}

}  // namespace

int window_registers(isa::Opcode opcode, const TensorParams& tensor) {
  int registers = 0;
  for (std::size_t source = 0; source < isa::kSourceOperands; ++source)
    registers += window_registers(opcode, source, tensor);
  return registers;
}

std::uint32_t code_lines(const isa::WarpProgram& program, const InstructionFetchParams& fetch) {
  return static_cast<std::uint32_t>(
      ceil_div(static_cast<int>(program.instructions.size()), fetch.instructions_per_line));
}

void decode(const isa::LanePattern& pattern, DecodedAccess& access) {
  access.global.lane = pattern.offsets;
  access.shared.lane = pattern.offsets;
  access.bytes_per_lane = pattern.bytes_per_lane;
  access.is_matrix = pattern.matrices > 0;
  access.matrices = pattern.matrices;
}

std::vector<std::size_t> loops_around(const DecodedProgram& program, int pc, int depth) {
  std::vector<std::size_t> around;
  for (std::size_t i = 0; i < program.loops.size(); ++i)
    if (const DecodedLoop& loop = program.loops[i];
        loop.depth >= depth && loop.first <= pc && pc <= loop.last)
      around.push_back(i);
  std::ranges::sort(around, {}, [&](std::size_t i) { return program.loops[i].depth; });
  return around;
}

DecodedProgram decode(const isa::WarpProgram& program, const isa::KernelLaunch& launch,
                      const isa::TimingTable& timing, const SmParams& params) {
  DecodedProgram decoded;
  // Instructions that move rows of different widths may share an address.
  std::map<std::tuple<int, int, int>, int> positions;
  std::vector<const isa::MemoryAccess*> sources;
  for (const isa::Instruction& instruction : program.instructions) {
    decoded.instructions.push_back(decode(instruction, timing, params));
    if (!isa::is_memory(instruction.opcode) || instruction.access == isa::kNoIndex) continue;
    const isa::OpcodeInfo& info = isa::opcode_info(instruction.opcode);
    const auto [position, is_new] =
        positions.try_emplace({instruction.access, info.bytes_per_lane, isa::matrices_of(info)},
                              static_cast<int>(sources.size()));
    decoded.instructions.back().access = position->second;
    if (!is_new) continue;
    sources.push_back(&program.accesses[static_cast<std::size_t>(instruction.access)]);
    decoded.accesses.push_back(decode(*sources.back(), instruction.opcode, launch, decoded));
  }
  mark_lines(decoded.instructions, params.instruction_fetch);
  decoded.fixed_values = 2 * static_cast<int>(decoded.accesses.size());
  const auto add_guard = [&decoded](const isa::Guard& guard) {
    decoded.guard_value_index.push_back(decoded.fixed_values);
    std::vector<DecodedBound>& bounds = decoded.guards.emplace_back();
    for (const isa::Bound& bound : guard.bounds)
      bounds.push_back({split(bound.expression, decoded), bound.limit});
    decoded.fixed_values += static_cast<int>(bounds.size());
  };
  for (const isa::Guard& guard : program.guards) add_guard(guard);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i]->source.bounds.empty()) continue;
    decoded.accesses[i].source_guard = static_cast<int>(decoded.guards.size());
    add_guard(sources[i]->source);
  }
  for (DecodedQuotient& quotient : decoded.quotients) {
    quotient.value_index = decoded.fixed_values;
    decoded.fixed_values += quotient.sum.looping.empty() ? kLanes : 1;
  }
  for (const isa::Loop& loop : program.loops) {
    const std::int64_t period = period_of(program, loop);
    decoded.loops.push_back({loop.first, loop.last, loop.depth, loop.trips, loop.until,
                             !loop.until && period != 0 && only_reads(program, loop), period,
                             loop.numbers, launch.cta_count()});
  }
  for (DecodedLoop& loop : decoded.loops)
    for (int pc = loop.first; pc <= loop.last; ++pc) {
      const isa::Effect effect = decoded.instructions[static_cast<std::size_t>(pc)].effect;
      if (isa::addresses_global(effect) || isa::reads_tile(effect))
        loop.reads.push_back({pc, loops_around(decoded, pc, loop.depth + 1)});
    }
  mark_awaited_pipes(decoded.instructions, jumps_back(program, launch));
  decoded.uniforms = program.uniforms;
  decoded.async = program.async;
  return decoded;
}

}  // namespace tcsim::sm
