#include "models/sm/kernel.hpp"

#include <algorithm>
#include <map>

#include "models/isa/opcode.hpp"

namespace tcsim::sm {
namespace {

constexpr int kMatrixRowBytes = 16;
constexpr int kMatrixRows = 8;

/// True for what changes while a warp runs: loop counters, and uniforms, which follow them.
bool is_loop(isa::Variable variable) { return variable >= isa::Variable::kLoop0; }

std::int64_t sum(const std::vector<isa::Term>& terms, const isa::Bindings& bindings) {
  std::int64_t total = 0;
  for (const isa::Term& term : terms) {
    total += isa::evaluate(term, bindings[static_cast<std::size_t>(term.variable)]);
  }
  return total;
}

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

/// Index of the quotient in `program`, which gains it if it is new.
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
  decoded.is_matrix = info.effect == isa::Effect::kLoadMatrix;
  decoded.matrices = decoded.is_matrix ? info.dst_registers : 0;
  if (access.buffer != isa::kNoIndex) {
    const isa::Buffer& buffer = launch.buffers[static_cast<std::size_t>(access.buffer)];
    decoded.buffer_base = buffer.base_address;
    decoded.flags = buffer.flags;
  }
  return decoded;
}

/// The steps of an HMMA.884 after the first find A and B in the operand buffers of the tensor core
/// (RAI19; compiled code sets their reuse flags), so they read the accumulator alone.
bool reuses_fragments(isa::Opcode opcode) {
  return opcode == isa::Opcode::kHmma884F32Step1 || opcode == isa::Opcode::kHmma884F32Step2 ||
         opcode == isa::Opcode::kHmma884F32Step3 || opcode == isa::Opcode::kHmma884F16Step1;
}

/// Registers of operand `source` that `opcode` reads in the issue window. Memory instructions read
/// theirs from the queue at lower priority (HUE25).
int window_registers(isa::Opcode opcode, std::size_t source) {
  const isa::OpcodeInfo& info = isa::opcode_info(opcode);
  if (info.pipe == isa::Pipe::kMemory || (source < 2 && reuses_fragments(opcode))) return 0;
  return info.src_registers[source];
}

/// Read-port slots per bank that the sources of `instruction` take.
std::array<std::uint8_t, kMaxRegisterBanks> bank_reads(const isa::Instruction& instruction,
                                                       int banks) {
  std::array<std::uint8_t, kMaxRegisterBanks> reads{};
  for (std::size_t source = 0; source < instruction.src.size(); ++source) {
    if (instruction.src[source] == isa::kZeroRegister) continue;
    for (int i = 0; i < window_registers(instruction.opcode, source); ++i) {
      ++reads[static_cast<std::size_t>((instruction.src[source] + i) % banks)];
    }
  }
  return reads;
}

/// Sources that do not fit into the window take the time that their busiest bank needs
/// (assumption).
int read_window(const DecodedInstruction& instruction, const SmParams& params) {
  const int busiest = *std::ranges::max_element(instruction.bank_reads);
  if (instruction.pipe == isa::Pipe::kTensor)
    return std::max(params.tensor.operand_window_cycles, busiest);
  return std::max(params.register_file.operand_read_window_cycles,
                  ceil_div(busiest, params.register_file.read_ports_per_bank));
}

/// Under a scoreboard only the instruction itself holds its warp back. Counters 0 and 1 stand for
/// all that the warp has under way.
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
  DecodedInstruction decoded{};
  decoded.opcode = instruction.opcode;
  decoded.pipe = info.pipe;
  decoded.effect = info.effect;
  decoded.fixed_latency = info.fixed_latency;
  decoded.stall = std::max<std::uint8_t>(1, instruction.control.stall);
  decoded.wait_mask = instruction.control.wait_mask;
  decoded.write_counter = instruction.control.write_counter;
  decoded.read_counter = instruction.control.read_counter;
  decoded.bank_reads = bank_reads(instruction, params.register_file.banks);
  decoded.read_window = static_cast<std::uint8_t>(read_window(decoded, params));
  decoded.reads_registers = decoded.bank_reads != std::array<std::uint8_t, kMaxRegisterBanks>{};
  decoded.dst_registers = info.dst_registers;
  decoded.data_registers = info.src_registers[1] & 15U;
  if (isa::carries_data(info.effect))
    decoded.data_registers = (info.src_registers[1] + info.src_registers[2]) & 15U;
  decoded.reads_constant = isa::reads_constant(instruction);
  decoded.src = instruction.src;
  decoded.dst = instruction.dst;
  decoded.reuse_mask = instruction.control.reuse_mask & 7;
  decoded.issue_interval = static_cast<std::uint16_t>(row.issue_interval);
  decoded.latency = static_cast<std::uint16_t>(row.latency);
  if (params.dependences == "scoreboard") drop_control_bits(decoded);
  decoded.access = static_cast<std::int16_t>(instruction.access);
  decoded.guard = static_cast<std::int16_t>(instruction.guard);
  decoded.immediate = instruction.immediate;
  return decoded;
}

std::uint32_t code_lines(const isa::WarpProgram& program, const InstructionFetchParams& fetch) {
  return static_cast<std::uint32_t>(
      ceil_div(static_cast<int>(program.instructions.size()), fetch.instructions_per_line));
}

/// Marks where a warp that runs through the program enters a line of code, and where what it has
/// fetched ahead does.
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

/// Where the branches of a program jump back to, by their positions: in loops, or as recorded.
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

/// Sets the pipe that holds up each instruction: a NOP or BRA without a unit of its own waits where
/// the assembler has put the wait of what comes behind it.
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

DecodedProgram decode(const isa::WarpProgram& program, const isa::KernelLaunch& launch,
                      const isa::TimingTable& timing, const SmParams& params) {
  DecodedProgram decoded;
  decoded.accesses.resize(program.accesses.size());
  for (const isa::Instruction& instruction : program.instructions) {
    decoded.instructions.push_back(decode(instruction, timing, params));
    if (instruction.access == isa::kNoIndex) continue;
    const auto index = static_cast<std::size_t>(instruction.access);
    decoded.accesses[index] = decode(program.accesses[index], instruction.opcode, launch, decoded);
  }
  mark_lines(decoded.instructions, params.instruction_fetch);
  decoded.fixed_values = 2 * static_cast<int>(program.accesses.size());
  const auto add_guard = [&decoded](const isa::Guard& guard) {
    decoded.guard_value_index.push_back(decoded.fixed_values);
    std::vector<DecodedBound>& bounds = decoded.guards.emplace_back();
    for (const isa::Bound& bound : guard.bounds)
      bounds.push_back({split(bound.expression, decoded), bound.limit});
    decoded.fixed_values += static_cast<int>(bounds.size());
  };
  for (const isa::Guard& guard : program.guards) add_guard(guard);
  for (std::size_t i = 0; i < program.accesses.size(); ++i) {
    if (program.accesses[i].source.bounds.empty()) continue;
    decoded.accesses[i].source_guard = static_cast<int>(decoded.guards.size());
    add_guard(program.accesses[i].source);
  }
  for (DecodedQuotient& quotient : decoded.quotients) {
    quotient.value_index = decoded.fixed_values;
    decoded.fixed_values += quotient.sum.looping.empty() ? kLanes : 1;
  }
  for (const isa::Loop& loop : program.loops)
    decoded.loops.push_back({loop.first, loop.last, loop.depth, loop.trips, loop.until});
  mark_awaited_pipes(decoded.instructions, jumps_back(program, launch));
  decoded.uniforms = program.uniforms;
  return decoded;
}

/// Keeps addresses positive while patterns are computed relative to an aligned base; a multiple of
/// every period.
constexpr std::int64_t kMargin = std::int64_t{1} << 40;

/// The period of a swizzle: offsets that are multiples of it pass through unchanged and disturb no
/// other bit.
std::int64_t period(const isa::Swizzle& swizzle, std::int64_t at_least) {
  return std::max(at_least, std::int64_t{1} << (swizzle.base + swizzle.shift + swizzle.bits));
}

}  // namespace

int window_registers(isa::Opcode opcode) {
  int registers = 0;
  for (std::size_t source = 0; source < isa::kSourceOperands; ++source)
    registers += window_registers(opcode, source);
  return registers;
}

std::uint32_t Kernel::end_line(const isa::KernelLaunch& launch, const InstructionFetchParams& fetch,
                               std::uint32_t first) {
  for (const isa::WarpProgram& program : launch.programs) first += code_lines(program, fetch);
  return first;
}

void decode(const isa::LanePattern& pattern, DecodedAccess& access) {
  access.global.lane = pattern.offsets;
  access.shared.lane = pattern.offsets;
  access.bytes_per_lane = pattern.bytes_per_lane;
  access.is_matrix = pattern.matrices > 0;
  access.matrices = pattern.matrices;
}

Kernel::Kernel(const isa::KernelLaunch& launch, const SmParams& params,
               const isa::TimingTable& timing, std::uint32_t first_line,
               std::uint32_t constant_line)
    : launch_(launch),
      line_bytes_(params.l1.line_bytes),
      sector_bytes_(params.l1.sector_bytes),
      banks_(params.shared_memory.banks),
      bank_width_(params.shared_memory.bank_width_bytes),
      end_line_(end_line(launch, params.instruction_fetch, first_line)),
      constant_line_(constant_line) {
  for (const isa::WarpProgram& program : launch.programs) {
    programs_.push_back(decode(program, launch_, timing, params));
    programs_.back().first_line = first_line;
    first_line += code_lines(program, params.instruction_fetch);
  }
  int accesses = 0;
  for (DecodedProgram& program : programs_) {
    for (DecodedAccess& access : program.accesses) access.id = accesses++;
  }
  if (launch_.recording != nullptr) {
    for (const isa::LanePattern& pattern : launch_.recording->patterns()) {
      decode(pattern, recorded_accesses_.emplace_back());
      recorded_accesses_.back().id = accesses++;
    }
  }
  global_patterns_.resize(static_cast<std::size_t>(accesses));
  shared_patterns_.resize(static_cast<std::size_t>(accesses));
}

void Kernel::bind_warp(const DecodedProgram& program, const isa::Bindings& bindings,
                       std::vector<std::int64_t>& values) {
  values.clear();
  values.reserve(static_cast<std::size_t>(program.fixed_values));
  for (const DecodedAccess& access : program.accesses) {
    values.push_back(access.global.constant + sum(access.global.fixed, bindings));
    values.push_back(access.shared.constant + sum(access.shared.fixed, bindings));
  }
  for (const auto& guard : program.guards) {
    for (const DecodedBound& bound : guard) {
      values.push_back(bound.expression.constant + sum(bound.expression.fixed, bindings));
    }
  }
  for (const DecodedQuotient& quotient : program.quotients) {
    const std::int64_t fixed = quotient.sum.constant + sum(quotient.sum.fixed, bindings);
    if (!quotient.sum.looping.empty()) {
      values.push_back(fixed);
      continue;
    }
    for (const std::int64_t lane : quotient.sum.lane)
      values.push_back(isa::divide(quotient.quotient, fixed + lane));
  }
}

const LaneValues& Kernel::lane_values(const DecodedProgram& program,
                                      const SplitExpression& expression, const std::int64_t* values,
                                      const isa::Bindings& loops, LaneValues& room) {
  if (expression.quotients.empty()) return expression.lane;
  room = expression.lane;
  for (const QuotientUse& use : expression.quotients) {
    const DecodedQuotient& quotient = program.quotients[static_cast<std::size_t>(use.quotient)];
    const std::int64_t* value = values + quotient.value_index;
    if (quotient.sum.looping.empty()) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) room[lane] += use.coefficient * value[lane];
      continue;
    }
    const std::int64_t uniform = *value + sum(quotient.sum.looping, loops);
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      room[lane] +=
          use.coefficient * isa::divide(quotient.quotient, uniform + quotient.sum.lane[lane]);
  }
  return room;
}

std::uint32_t Kernel::active_lanes(const DecodedProgram& program, int guard,
                                   const std::int64_t* values, const isa::Bindings& loops) {
  if (guard == isa::kNoIndex) return kAllLanes;
  const auto& bounds = program.guards[static_cast<std::size_t>(guard)];
  const std::int64_t* value = values + program.guard_value_index[static_cast<std::size_t>(guard)];
  std::uint32_t lanes = kAllLanes;
  for (const DecodedBound& bound : bounds) {
    const std::int64_t uniform = *value++ + sum(bound.expression.looping, loops);
    if (bound.expression.quotients.empty()) {
      if (uniform + bound.expression.lane_max < bound.limit) continue;
      if (uniform + bound.expression.lane_min >= bound.limit) return 0;
    }
    LaneValues room;
    const LaneValues& offsets = lane_values(program, bound.expression, values, loops, room);
    for (int lane = 0; lane < kLanes; ++lane) {
      if (uniform + offsets[static_cast<std::size_t>(lane)] >= bound.limit) {
        lanes &= ~(std::uint32_t{1} << lane);
      }
    }
  }
  return lanes;
}

std::vector<LineSectors> Kernel::compute_lines(const DecodedAccess& access, std::int64_t base,
                                               const LaneValues& offsets,
                                               std::uint32_t lanes) const {
  // Bytes touched per sector decide whether a write covers it; lanes of one store do not overlap.
  struct Touch {
    std::uint64_t sector;
    std::uint64_t begin;
    int bytes;
    int lane;
  };
  std::vector<Touch> touches;
  const auto sector_bytes = static_cast<std::uint64_t>(sector_bytes_);
  for (int lane = 0; lane < kLanes; ++lane) {
    if (((lanes >> lane) & 1) == 0) continue;
    const std::int64_t offset =
        access.global_swizzle.apply(base + offsets[static_cast<std::size_t>(lane)]);
    auto begin = static_cast<std::uint64_t>(offset);
    const std::uint64_t end = begin + static_cast<std::uint64_t>(access.bytes_per_lane);
    while (begin < end) {
      const std::uint64_t sector = begin / sector_bytes;
      const std::uint64_t stop = std::min(end, (sector + 1) * sector_bytes);
      touches.push_back({sector, begin, static_cast<int>(stop - begin), lane});
      begin = stop;
    }
  }
  std::sort(touches.begin(), touches.end(), [](const Touch& a, const Touch& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.lane < b.lane;
  });
  const std::uint64_t sectors_per_line = static_cast<std::uint64_t>(line_bytes_) / sector_bytes;
  std::vector<LineSectors> lines;
  for (std::size_t i = 0; i < touches.size();) {
    const std::uint64_t sector = touches[i].sector;
    int bytes = 0;
    int together = 0;  // lanes with the same first byte
    int passes = 0;
    const std::size_t first = i;
    for (; i < touches.size() && touches[i].sector == sector; ++i) {
      bytes += touches[i].bytes;
      together = i > first && touches[i].begin == touches[i - 1].begin ? together + 1 : 1;
      passes = std::max(passes, together);
    }
    const std::uint64_t line = sector / sectors_per_line * static_cast<std::uint64_t>(line_bytes_);
    if (lines.empty() || lines.back().line != line) {
      const auto word = static_cast<std::uint8_t>((touches[first].begin - line) / 4);
      lines.push_back({line, 0, 0, 0, 0, 0, word});
    }
    const auto bit = static_cast<std::uint8_t>(1U << (sector % sectors_per_line));
    lines.back().sectors |= bit;
    if (bytes < sector_bytes_) lines.back().partial |= bit;
    lines.back().bytes = static_cast<std::uint16_t>(lines.back().bytes + bytes);
    lines.back().lanes = static_cast<std::uint8_t>(lines.back().lanes + (i - first));
    lines.back().passes = static_cast<std::uint8_t>(lines.back().passes + passes);
  }
  return lines;
}

int Kernel::global_lines(const DecodedAccess& access, std::int64_t base, const LaneValues& offsets,
                         std::uint32_t lanes, std::vector<LineSectors>& lines) const {
  const std::int64_t grain = period(access.global_swizzle, line_bytes_);
  const std::int64_t shift = base & (grain - 1);
  const auto origin = access.buffer_base + static_cast<std::uint64_t>(base - shift);
  const auto append = [&lines, origin](const GlobalPattern& pattern) {
    lines.clear();
    for (const LineSectors& line : pattern.lines) {
      lines.push_back(line);
      lines.back().line += origin - kMargin;
    }
    return pattern.wavefronts;
  };
  const auto compute = [&]() -> GlobalPattern {
    const int words = std::max(1, access.bytes_per_lane / bank_width_);
    const SharedPattern banks = count_wavefronts(access.global_swizzle, offsets, shift + kMargin,
                                                 lanes, words, kLanes / words, words,
                                                 /*is_atomic=*/false);
    return {compute_lines(access, shift + kMargin, offsets, lanes), banks.wavefronts};
  };
  const bool repeats =
      lanes == kAllLanes && access.id != isa::kNoIndex && access.global.quotients.empty();
  if (!repeats) return append(compute());
  return append(global_patterns_.find(static_cast<std::size_t>(access.id), shift, compute));
}

Kernel::SharedPattern Kernel::compute_wavefronts(const DecodedAccess& access, std::int64_t base,
                                                 const LaneValues& offsets, std::uint32_t lanes,
                                                 bool is_atomic) const {
  // 32-bit accesses: all lanes at once; 64-bit: half warps; 128-bit: quarter warps; LDSM: eight
  // rows of a matrix.
  const int bytes = access.is_matrix ? kMatrixRowBytes : access.bytes_per_lane;
  const int words = std::max(1, bytes / bank_width_);
  const int group = access.is_matrix ? kMatrixRows : kLanes / words;
  const int groups = access.is_matrix ? access.matrices : words;
  return count_wavefronts(access.shared_swizzle, offsets, base, lanes, words, group, groups,
                          is_atomic);
}

/// Lanes go in `groups` groups of `group`, each touching `words` words per lane; equal words are
/// broadcast, but for atomics, whose lanes take their turns.
Kernel::SharedPattern Kernel::count_wavefronts(const isa::Swizzle& swizzle,
                                               const LaneValues& lane_offsets, std::int64_t base,
                                               std::uint32_t lanes, int words, int group,
                                               int groups, bool is_atomic) const {
  SharedPattern pattern{0, 0};
  for (int first = 0; first < groups * group; first += group) {
    std::vector<std::int64_t> touched;
    for (int lane = first; lane < first + group; ++lane) {
      if (((lanes >> lane) & 1) == 0) continue;
      const std::int64_t offset =
          swizzle.apply(base + lane_offsets[static_cast<std::size_t>(lane)]);
      for (int word = 0; word < words; ++word) touched.push_back(offset / bank_width_ + word);
    }
    if (touched.empty()) continue;
    std::sort(touched.begin(), touched.end());
    if (!is_atomic) touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    std::vector<int> ways(static_cast<std::size_t>(banks_));
    for (const std::int64_t word : touched) ++ways[static_cast<std::size_t>(word % banks_)];
    pattern.wavefronts += *std::max_element(ways.begin(), ways.end());
    pattern.minimum += ceil_div(static_cast<int>(touched.size()), banks_);
  }
  return pattern;
}

int Kernel::shared_wavefronts(const DecodedAccess& access, std::int64_t base,
                              const LaneValues& offsets, std::uint32_t lanes, bool is_atomic,
                              int& minimum) const {
  const std::int64_t grain = period(access.shared_swizzle, std::int64_t{banks_} * bank_width_);
  const std::int64_t shift = base & (grain - 1);
  const auto compute = [&] { return compute_wavefronts(access, shift, offsets, lanes, is_atomic); };
  const bool repeats =
      lanes == kAllLanes && access.id != isa::kNoIndex && access.shared.quotients.empty();
  const SharedPattern pattern =
      repeats ? shared_patterns_.find(static_cast<std::size_t>(access.id),
                                      2 * shift + static_cast<int>(is_atomic), compute)
              : compute();
  minimum = pattern.minimum;
  return pattern.wavefronts;
}

}  // namespace tcsim::sm
