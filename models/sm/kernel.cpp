#include "models/sm/kernel.hpp"

#include <algorithm>

#include "models/isa/opcode.hpp"

namespace tcsim::sm {
namespace {

constexpr int kMatrixRowBytes = 16;
constexpr int kMatrixRows = 8;

bool is_loop(isa::Variable variable) { return variable >= isa::Variable::kLoop0; }

std::int64_t sum(const std::vector<isa::Term>& terms, const isa::Bindings& bindings) {
  std::int64_t total = 0;
  for (const isa::Term& term : terms) {
    total += isa::evaluate(term, bindings[static_cast<std::size_t>(term.variable)]);
  }
  return total;
}

DecodedAccess decode(const isa::MemoryAccess& access, isa::Opcode opcode,
                     const isa::KernelLaunch& launch) {
  const isa::OpcodeInfo& info = isa::opcode_info(opcode);
  DecodedAccess decoded;
  decoded.global = split(access.global.offset);
  decoded.shared = split(access.shared.offset);
  decoded.global_swizzle = access.global.swizzle;
  decoded.shared_swizzle = access.shared.swizzle;
  decoded.bytes_per_lane = info.bytes_per_lane;
  decoded.is_matrix = info.effect == isa::Effect::kLoadMatrix;
  decoded.matrices = decoded.is_matrix ? info.dst_registers : 0;
  if (access.buffer != isa::kNoIndex) {
    decoded.buffer_base = launch.buffers[static_cast<std::size_t>(access.buffer)].base_address;
  }
  return decoded;
}

/// The steps of an HMMA.884 after the first find A and B in the operand buffers of the tensor core
/// (RAI19; compiled code sets their reuse flags), so they read the accumulator alone.
bool reuses_fragments(isa::Opcode opcode) {
  return opcode == isa::Opcode::kHmma884F32Step1 || opcode == isa::Opcode::kHmma884F32Step2 ||
         opcode == isa::Opcode::kHmma884F32Step3 || opcode == isa::Opcode::kHmma884F16Step1;
}

/// Read-port slots per bank that the sources of `instruction` take. Memory instructions read their
/// registers from the queue at lower priority (HUE25), not in the issue window.
std::array<std::uint8_t, kMaxRegisterBanks> bank_reads(const isa::Instruction& instruction,
                                                       int banks) {
  std::array<std::uint8_t, kMaxRegisterBanks> reads{};
  const isa::OpcodeInfo& info = isa::opcode_info(instruction.opcode);
  if (info.pipe == isa::Pipe::kMemory) return reads;
  for (std::size_t source = 0; source < instruction.src.size(); ++source) {
    if (instruction.src[source] == isa::kZeroRegister) continue;
    if (source < 2 && reuses_fragments(instruction.opcode)) continue;
    for (int i = 0; i < info.src_registers[source]; ++i) {
      ++reads[static_cast<std::size_t>((instruction.src[source] + i) % banks)];
    }
  }
  return reads;
}

/// An MMA whose fragments do not fit into the window takes the time that its busiest bank needs
/// (assumption).
int read_window(const DecodedInstruction& instruction, const SmParams& params) {
  if (instruction.pipe != isa::Pipe::kTensor)
    return params.register_file.operand_read_window_cycles;
  const auto busiest =
      std::max_element(instruction.bank_reads.begin(), instruction.bank_reads.end());
  return std::max<int>(params.tensor.operand_window_cycles, *busiest);
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
  decoded.data_registers = info.src_registers[1];
  decoded.issue_interval = static_cast<std::uint16_t>(row.issue_interval);
  decoded.latency = static_cast<std::uint16_t>(row.latency);
  decoded.access = static_cast<std::int16_t>(instruction.access);
  decoded.guard = static_cast<std::int16_t>(instruction.guard);
  decoded.immediate = instruction.immediate;
  return decoded;
}

DecodedProgram decode(const isa::WarpProgram& program, const isa::KernelLaunch& launch,
                      const isa::TimingTable& timing, const SmParams& params) {
  DecodedProgram decoded;
  decoded.accesses.resize(program.accesses.size());
  for (const isa::Instruction& instruction : program.instructions) {
    decoded.instructions.push_back(decode(instruction, timing, params));
    if (instruction.access == isa::kNoIndex) continue;
    const auto index = static_cast<std::size_t>(instruction.access);
    decoded.accesses[index] = decode(program.accesses[index], instruction.opcode, launch);
  }
  decoded.fixed_values = 2 * static_cast<int>(program.accesses.size());
  const auto add_guard = [&decoded](const isa::Guard& guard) {
    decoded.guard_value_index.push_back(decoded.fixed_values);
    std::vector<DecodedBound>& bounds = decoded.guards.emplace_back();
    for (const isa::Bound& bound : guard.bounds)
      bounds.push_back({split(bound.expression), bound.limit});
    decoded.fixed_values += static_cast<int>(bounds.size());
  };
  for (const isa::Guard& guard : program.guards) add_guard(guard);
  for (std::size_t i = 0; i < program.accesses.size(); ++i) {
    if (program.accesses[i].source.bounds.empty()) continue;
    decoded.accesses[i].source_guard = static_cast<int>(decoded.guards.size());
    add_guard(program.accesses[i].source);
  }
  for (const isa::Loop& loop : program.loops)
    decoded.loops.push_back({loop.first, loop.depth, loop.trips});
  return decoded;
}

/// Keeps addresses positive while patterns are computed relative to an aligned base; a multiple of
/// every period.
constexpr std::int64_t kMargin = std::int64_t{1} << 40;

/// The entry of `cache` for `key`, computed when first asked for.
template <typename Cache, typename Compute>
const auto& cached(Cache& cache, std::int64_t key, Compute compute) {
  for (const auto& entry : cache) {
    if (entry.first == key) return entry.second;
  }
  return cache.emplace_back(key, compute()).second;
}

/// The period of a swizzle: offsets that are multiples of it pass through unchanged and disturb no
/// other bit.
std::int64_t period(const isa::Swizzle& swizzle, std::int64_t at_least) {
  return std::max(at_least, std::int64_t{1} << (swizzle.base + swizzle.shift + swizzle.bits));
}

}  // namespace

SplitExpression split(const isa::Expression& expression) {
  SplitExpression parts;
  parts.constant = expression.constant;
  for (const isa::Term& term : expression.terms) {
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

void decode(const isa::LanePattern& pattern, DecodedAccess& access) {
  access.global.lane = pattern.offsets;
  access.shared.lane = pattern.offsets;
  access.bytes_per_lane = pattern.bytes_per_lane;
  access.is_matrix = pattern.matrices > 0;
  access.matrices = pattern.matrices;
}

Kernel::Kernel(const isa::KernelLaunch& launch, const SmParams& params,
               const isa::TimingTable& timing)
    : launch_(launch),
      line_bytes_(params.l1.line_bytes),
      sector_bytes_(params.l1.sector_bytes),
      banks_(params.shared_memory.banks),
      bank_width_(params.shared_memory.bank_width_bytes) {
  for (const isa::WarpProgram& program : launch.programs) {
    programs_.push_back(decode(program, launch_, timing, params));
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
}

std::uint32_t Kernel::active_lanes(const DecodedProgram& program, int guard,
                                   const std::int64_t* values, const isa::Bindings& loops) {
  if (guard == isa::kNoIndex) return kAllLanes;
  const auto& bounds = program.guards[static_cast<std::size_t>(guard)];
  const std::int64_t* value = values + program.guard_value_index[static_cast<std::size_t>(guard)];
  std::uint32_t lanes = kAllLanes;
  for (const DecodedBound& bound : bounds) {
    const std::int64_t uniform = *value++ + sum(bound.expression.looping, loops);
    if (uniform + bound.expression.lane_max < bound.limit) continue;
    if (uniform + bound.expression.lane_min >= bound.limit) return 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      if (uniform + bound.expression.lane[static_cast<std::size_t>(lane)] >= bound.limit) {
        lanes &= ~(std::uint32_t{1} << lane);
      }
    }
  }
  return lanes;
}

std::vector<LineSectors> Kernel::compute_lines(const DecodedAccess& access, std::int64_t base,
                                               std::uint32_t lanes) const {
  // Bytes touched per sector decide whether a write covers it; lanes of one store do not overlap.
  struct Touch {
    std::uint64_t sector;
    int bytes;
  };
  std::vector<Touch> touches;
  const auto sector_bytes = static_cast<std::uint64_t>(sector_bytes_);
  for (int lane = 0; lane < kLanes; ++lane) {
    if (((lanes >> lane) & 1) == 0) continue;
    const std::int64_t offset =
        access.global_swizzle.apply(base + access.global.lane[static_cast<std::size_t>(lane)]);
    auto begin = static_cast<std::uint64_t>(offset);
    const std::uint64_t end = begin + static_cast<std::uint64_t>(access.bytes_per_lane);
    while (begin < end) {
      const std::uint64_t sector = begin / sector_bytes;
      const std::uint64_t stop = std::min(end, (sector + 1) * sector_bytes);
      touches.push_back({sector, static_cast<int>(stop - begin)});
      begin = stop;
    }
  }
  std::sort(touches.begin(), touches.end(),
            [](const Touch& a, const Touch& b) { return a.sector < b.sector; });
  const std::uint64_t sectors_per_line = static_cast<std::uint64_t>(line_bytes_) / sector_bytes;
  std::vector<LineSectors> lines;
  for (std::size_t i = 0; i < touches.size();) {
    const std::uint64_t sector = touches[i].sector;
    int bytes = 0;
    for (; i < touches.size() && touches[i].sector == sector; ++i) bytes += touches[i].bytes;
    const std::uint64_t line = sector / sectors_per_line * static_cast<std::uint64_t>(line_bytes_);
    if (lines.empty() || lines.back().line != line) lines.push_back({line, 0, 0, 0});
    const auto bit = static_cast<std::uint8_t>(1U << (sector % sectors_per_line));
    lines.back().sectors |= bit;
    if (bytes < sector_bytes_) lines.back().partial |= bit;
    lines.back().bytes = static_cast<std::uint16_t>(lines.back().bytes + bytes);
  }
  return lines;
}

int Kernel::global_lines(const DecodedAccess& access, std::int64_t base, std::uint32_t lanes,
                         std::vector<LineSectors>& lines) const {
  const std::int64_t grain = period(access.global_swizzle, line_bytes_);
  const std::int64_t shift = base & (grain - 1);
  const auto origin = access.buffer_base + static_cast<std::uint64_t>(base - shift);
  const auto append = [&lines, origin](const GlobalPattern& pattern) {
    lines.clear();
    for (const LineSectors& line : pattern.lines) {
      lines.push_back({origin - kMargin + line.line, line.sectors, line.partial, line.bytes});
    }
    return pattern.wavefronts;
  };
  const auto compute = [&]() -> GlobalPattern {
    const int words = std::max(1, access.bytes_per_lane / bank_width_);
    const SharedPattern banks =
        count_wavefronts(access.global_swizzle, access.global.lane, shift + kMargin, lanes, words,
                         kLanes / words, words);
    return {compute_lines(access, shift + kMargin, lanes), banks.wavefronts};
  };
  if (lanes != kAllLanes || access.id == isa::kNoIndex) return append(compute());
  return append(cached(global_patterns_[static_cast<std::size_t>(access.id)], shift, compute));
}

Kernel::SharedPattern Kernel::compute_wavefronts(const DecodedAccess& access, std::int64_t base,
                                                 std::uint32_t lanes) const {
  // 32-bit accesses: all lanes at once; 64-bit: half warps; 128-bit: quarter warps; LDSM: eight
  // rows of a matrix.
  const int bytes = access.is_matrix ? kMatrixRowBytes : access.bytes_per_lane;
  const int words = std::max(1, bytes / bank_width_);
  const int group = access.is_matrix ? kMatrixRows : kLanes / words;
  const int groups = access.is_matrix ? access.matrices : words;
  return count_wavefronts(access.shared_swizzle, access.shared.lane, base, lanes, words, group,
                          groups);
}

/// Lanes go in `groups` groups of `group`, each touching `words` words per lane; equal words are
/// broadcast.
Kernel::SharedPattern Kernel::count_wavefronts(const isa::Swizzle& swizzle,
                                               const std::array<std::int64_t, kLanes>& lane_offsets,
                                               std::int64_t base, std::uint32_t lanes, int words,
                                               int group, int groups) const {
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
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    std::vector<int> ways(static_cast<std::size_t>(banks_));
    for (const std::int64_t word : touched) ++ways[static_cast<std::size_t>(word % banks_)];
    pattern.wavefronts += *std::max_element(ways.begin(), ways.end());
    pattern.minimum += ceil_div(static_cast<int>(touched.size()), banks_);
  }
  return pattern;
}

int Kernel::shared_wavefronts(const DecodedAccess& access, std::int64_t base, std::uint32_t lanes,
                              int& minimum) const {
  const std::int64_t grain = period(access.shared_swizzle, std::int64_t{banks_} * bank_width_);
  const std::int64_t shift = base & (grain - 1);
  const auto compute = [&] { return compute_wavefronts(access, shift, lanes); };
  const bool is_kept = lanes == kAllLanes && access.id != isa::kNoIndex;
  const SharedPattern pattern =
      is_kept ? cached(shared_patterns_[static_cast<std::size_t>(access.id)], shift, compute)
              : compute();
  minimum = pattern.minimum;
  return pattern.wavefronts;
}

}  // namespace tcsim::sm
