#include "tests/kernels/interpreter.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>

#include "tests/kernels/bank_count.hpp"
#include "tests/kernels/fragments.hpp"
#include "tests/kernels/number_codec.hpp"

namespace tcsim::kernels::testing {
namespace {

using isa::Effect;
using isa::Instruction;
using isa::Opcode;
using isa::Variable;

constexpr std::uint32_t kPoison = 0x7fffdead;  // a NaN as FP32 and in its upper half

/// Who touched a byte of shared memory and between which barriers.
struct ByteState {
  int writer = -1;
  int write_epoch = -1;
  int reader = -1;  ///< kMany: several warps
  int read_epoch = -1;
  bool copy_open = false;
};
constexpr int kMany = -2;

struct PendingCopy {
  std::int64_t shared;
  std::vector<std::uint8_t> bytes;
};

struct Warp {
  int id = 0;
  const isa::WarpProgram* program = nullptr;
  std::size_t pc = 0;
  bool exited = false;
  WarpRegisters registers{};
  isa::Bindings bindings{};
  std::vector<PendingCopy> open_copies;
  std::deque<std::vector<PendingCopy>> groups;
};

class CtaRun {
 public:
  CtaRun(const isa::KernelLaunch& launch, CopyTime copy_time, Findings& findings,
         std::vector<std::vector<std::uint8_t>>& memory, Interpreter& counts, std::int64_t cta)
      : copy_time_(copy_time),
        findings_(findings),
        memory_(memory),
        counts_(counts),
        cta_(static_cast<std::size_t>(cta)),
        shared_(static_cast<std::size_t>(launch.shared_bytes_per_cta), 0xff),
        states_(static_cast<std::size_t>(launch.shared_bytes_per_cta)) {
    for (int w = 0; w < launch.warps_per_cta; ++w) {
      Warp warp;
      warp.id = w;
      warp.program = &launch.programs[static_cast<std::size_t>(
          launch.program_of_warp[static_cast<std::size_t>(w)])];
      bind(warp, Variable::kCtaX, cta % launch.grid[0]);
      bind(warp, Variable::kCtaY, cta / launch.grid[0] % launch.grid[1]);
      bind(warp, Variable::kCtaZ, cta / launch.grid[0] / launch.grid[1]);
      bind(warp, Variable::kWarp, w);
      for (LaneRegisters& lane : warp.registers) lane.fill(kPoison);
      warps_.push_back(std::move(warp));
    }
  }

  void run() {
    const auto alive = [](const Warp& warp) { return !warp.exited; };
    while (std::ranges::any_of(warps_, alive)) {
      for (Warp& warp : warps_)
        while (!warp.exited && step(warp)) {
        }
      ++epoch_;
    }
    for (const Warp& warp : warps_)
      if (!warp.open_copies.empty()) error(warp, "exits with copies that no group holds");
  }

 private:
  static void bind(Warp& warp, Variable variable, std::int64_t value) {
    warp.bindings[static_cast<std::size_t>(variable)] = value;
  }

  void error(const Warp& warp, const std::string& what) {
    constexpr std::size_t kMost = 5;
    if (findings_.errors.size() < kMost)
      findings_.errors.push_back("cta " + std::to_string(cta_) + " warp " +
                                 std::to_string(warp.id) + " pc " + std::to_string(warp.pc) + ": " +
                                 what);
  }

  /// Executes one instruction; false if the warp now waits at a barrier.
  bool step(Warp& warp) {
    const Instruction& instruction = warp.program->instructions[warp.pc];
    ++findings_.issued[instruction.opcode];
    const isa::OpcodeInfo& info = isa::opcode_info(instruction.opcode);
    bool goes_on = true;
    std::size_t next = warp.pc + 1;
    switch (info.effect) {
      case Effect::kNone:
        arithmetic(warp, instruction);
        break;
      case Effect::kBarrier:
        goes_on = false;
        break;
      case Effect::kExit:
        warp.exited = passes(warp, instruction, 0);
        break;
      case Effect::kBranch:
        next = branch(warp, instruction);
        break;
      case Effect::kCloseCopyGroup:
        warp.groups.push_back(std::move(warp.open_copies));
        warp.open_copies.clear();
        break;
      case Effect::kWaitCopyGroups:
        while (static_cast<int>(warp.groups.size()) > instruction.immediate) {
          for (const PendingCopy& copy : warp.groups.front()) land(warp, copy);
          warp.groups.pop_front();
        }
        break;
      default:
        memory_operation(warp, instruction, info);
    }
    warp.pc = next;
    return goes_on;
  }

  std::size_t branch(Warp& warp, const Instruction& instruction) {
    const isa::Loop& loop = warp.program->loops[static_cast<std::size_t>(instruction.immediate)];
    std::int64_t& counter = warp.bindings[static_cast<std::size_t>(Variable::kLoop0) +
                                          static_cast<std::size_t>(loop.depth)];
    if (++counter < isa::evaluate(loop.trips, warp.bindings))
      return static_cast<std::size_t>(loop.first);
    counter = 0;
    return warp.pc + 1;
  }

  bool passes(Warp& warp, const Instruction& instruction, int lane) {
    if (instruction.guard == isa::kNoIndex) return true;
    return passes(warp, warp.program->guards[static_cast<std::size_t>(instruction.guard)], lane);
  }

  bool passes(Warp& warp, const isa::Guard& guard, int lane) {
    bind(warp, Variable::kLane, lane);
    return std::ranges::all_of(guard.bounds, [&](const isa::Bound& bound) {
      return isa::evaluate(bound.expression, warp.bindings) < bound.limit;
    });
  }

  std::int64_t offset(Warp& warp, const isa::Address& address, int lane) {
    bind(warp, Variable::kLane, lane);
    return address.swizzle.apply(isa::evaluate(address.offset, warp.bindings));
  }

  void arithmetic(Warp& warp, const Instruction& instruction) {
    if (isa::is_mma(instruction.opcode)) {
      execute_mma(instruction, warp.registers);
      return;
    }
    for (LaneRegisters& lane : warp.registers) lane_arithmetic(lane, instruction);
  }

  static void lane_arithmetic(LaneRegisters& lane, const Instruction& instruction) {
    const isa::OpcodeInfo& info = isa::opcode_info(instruction.opcode);
    std::array<std::uint32_t, 3> s{};
    for (std::size_t i = 0; i < 3; ++i)
      s[i] = instruction.src[i] == isa::kZeroRegister ? 0 : lane[instruction.src[i]];
    const auto f = [&](std::size_t i) { return std::bit_cast<float>(s[i]); };
    const auto half = [&](std::size_t i, int h) { return from_fp16((s[i] >> (16 * h)) & 0xffff); };
    if (instruction.has_immediate)
      s[instruction.opcode == Opcode::kPrmt ? 2 : 1] =
          static_cast<std::uint32_t>(instruction.immediate);
    if (instruction.dst == isa::kZeroRegister || info.dst_registers == 0) return;
    std::uint32_t result = kPoison;
    switch (instruction.opcode) {
      case Opcode::kCs2r:
        result = 0;
        lane[instruction.dst + 1U] = 0;
        break;
      case Opcode::kFadd:
        result = std::bit_cast<std::uint32_t>(f(0) + f(1));
        break;
      case Opcode::kHadd2:
        result = to_fp16(half(0, 0) + half(1, 0)) |
                 (std::uint32_t{to_fp16(half(0, 1) + half(1, 1))} << 16);
        break;
      case Opcode::kFmul:
        result = std::bit_cast<std::uint32_t>(f(0) * f(1));
        break;
      case Opcode::kFfma:
        result = std::bit_cast<std::uint32_t>(f(0) * f(1) + f(2));
        break;
      case Opcode::kHmul2:
        result = to_fp16(half(0, 0) * half(1, 0)) |
                 (std::uint32_t{to_fp16(half(0, 1) * half(1, 1))} << 16);
        break;
      case Opcode::kF2fp:
        result = to_fp16(f(1)) | (std::uint32_t{to_fp16(f(0))} << 16);
        break;
      case Opcode::kF2fpBf16:
        result = to_bf16(f(1)) | (std::uint32_t{to_bf16(f(0))} << 16);
        break;
      case Opcode::kF2f:
        result = to_fp16(f(0));
        break;
      case Opcode::kPrmt:
        result = permute(s[0], s[1], s[2]);
        break;
      default:
        if (info.dst_registers == 2) lane[instruction.dst + 1U] = kPoison;
    }
    lane[instruction.dst] = result;
  }

  static std::uint32_t permute(std::uint32_t low, std::uint32_t high, std::uint32_t selector) {
    const std::uint64_t bytes = (std::uint64_t{high} << 32) | low;
    std::uint32_t result = 0;
    for (int i = 0; i < 4; ++i)
      result |= static_cast<std::uint32_t>((bytes >> (8 * ((selector >> (4 * i)) & 7))) & 0xff)
                << (8 * i);
    return result;
  }

  void memory_operation(Warp& warp, const Instruction& instruction, const isa::OpcodeInfo& info) {
    const isa::MemoryAccess& access =
        warp.program->accesses[static_cast<std::size_t>(instruction.access)];
    if (info.effect == Effect::kLoadMatrix) {
      load_matrices(warp, instruction, access, info.dst_registers);
      return;
    }
    const bool uses_shared = info.effect == Effect::kLoadShared ||
                             info.effect == Effect::kStoreShared ||
                             info.effect == Effect::kCopyGlobalToShared;
    std::array<std::int64_t, 32> shared_offsets{};
    shared_offsets.fill(-1);
    for (int lane = 0; lane < 32; ++lane) {
      if (!passes(warp, instruction, lane)) continue;
      if (uses_shared)
        shared_offsets[static_cast<std::size_t>(lane)] = offset(warp, access.shared, lane);
      lane_access(warp, instruction, info, access, lane);
    }
    if (uses_shared) count(shared_offsets, info.bytes_per_lane);
  }

  void count(std::span<const std::int64_t> offsets, int bytes) {
    const Wavefronts wavefronts = count_wavefronts(offsets, bytes);
    findings_.wavefronts += wavefronts.needed;
    findings_.conflict_free_wavefronts += wavefronts.conflict_free;
  }

  void lane_access(Warp& warp, const Instruction& instruction, const isa::OpcodeInfo& info,
                   const isa::MemoryAccess& access, int lane) {
    const std::size_t bytes = info.bytes_per_lane;
    LaneRegisters& registers = warp.registers[static_cast<std::size_t>(lane)];
    std::array<std::uint32_t, 4> words{};
    switch (info.effect) {
      case Effect::kLoadGlobal:
        read_global(warp, access, lane, words.data(), bytes);
        std::copy_n(words.begin(), std::max<std::size_t>(1, bytes / 4),
                    &registers[instruction.dst]);
        break;
      case Effect::kLoadShared:
        read_shared(warp, offset(warp, access.shared, lane), words.data(), bytes);
        if (instruction.dst != isa::kZeroRegister)
          std::copy_n(words.begin(), std::max<std::size_t>(1, bytes / 4),
                      &registers[instruction.dst]);
        break;
      case Effect::kStoreGlobal:
        write_global(warp, access, lane, &registers[instruction.src[1]], bytes);
        break;
      case Effect::kStoreShared:
        write_shared(warp, offset(warp, access.shared, lane), &registers[instruction.src[1]],
                     bytes);
        break;
      case Effect::kCopyGlobalToShared: {
        if (passes(warp, access.source, lane)) read_global(warp, access, lane, words.data(), bytes);
        const auto* from = reinterpret_cast<const std::uint8_t*>(words.data());
        start_copy(warp, {offset(warp, access.shared, lane), {from, from + bytes}});
        break;
      }
      default:
        error(warp, "unknown effect");
    }
  }

  void load_matrices(Warp& warp, const Instruction& instruction, const isa::MemoryAccess& access,
                     int matrices) {
    const bool transposed = instruction.opcode >= Opcode::kLdsmTX1;
    std::array<std::int64_t, 32> rows{};
    for (int lane = 0; lane < 8 * matrices; ++lane)
      rows[static_cast<std::size_t>(lane)] = offset(warp, access.shared, lane);
    for (int matrix = 0; matrix < matrices; ++matrix) {
      std::array<std::array<std::uint16_t, 8>, 8> elements{};
      for (int row = 0; row < 8; ++row)
        read_shared(warp, rows[index(8 * matrix + row)],
                    elements[static_cast<std::size_t>(row)].data(), 16);
      for (std::size_t lane = 0; lane < 32; ++lane) {
        const std::size_t row = lane / 4;
        const std::size_t column = 2 * (lane % 4);
        const std::uint32_t low = transposed ? elements[column][row] : elements[row][column];
        const std::uint32_t high =
            transposed ? elements[column + 1][row] : elements[row][column + 1];
        warp.registers[lane][index(instruction.dst + matrix)] = low | (high << 16);
      }
      count(std::span<const std::int64_t>(rows).subspan(index(8 * matrix), 8), 16);
    }
  }

  bool in_range(const Warp& warp, std::int64_t offset, std::size_t bytes, std::size_t size,
                const char* space) {
    if (offset >= 0 && static_cast<std::size_t>(offset) + bytes <= size &&
        offset % static_cast<std::int64_t>(bytes) == 0)
      return true;
    error(warp, std::string(space) + " offset " + std::to_string(offset) + " of " +
                    std::to_string(size) + " bytes, width " + std::to_string(bytes));
    return false;
  }

  void read_global(Warp& warp, const isa::MemoryAccess& access, int lane, void* to,
                   std::size_t bytes) {
    const auto buffer = static_cast<std::size_t>(access.buffer);
    const std::int64_t at = offset(warp, access.global, lane);
    if (!in_range(warp, at, bytes, memory_[buffer].size(), "global")) return;
    std::memcpy(to, &memory_[buffer][static_cast<std::size_t>(at)], bytes);
    for (std::size_t i = 0; i < bytes; ++i)
      ++counts_.load_counts[cta_][buffer][static_cast<std::size_t>(at) + i];
  }

  void write_global(Warp& warp, const isa::MemoryAccess& access, int lane, const void* from,
                    std::size_t bytes) {
    const auto buffer = static_cast<std::size_t>(access.buffer);
    const std::int64_t at = offset(warp, access.global, lane);
    if (!in_range(warp, at, bytes, memory_[buffer].size(), "global")) return;
    std::memcpy(&memory_[buffer][static_cast<std::size_t>(at)], from, bytes);
    for (std::size_t i = 0; i < bytes; ++i)
      ++counts_.store_counts[static_cast<std::size_t>(at) + i];
  }

  void read_shared(const Warp& warp, std::int64_t at, void* to, std::size_t bytes) {
    if (!in_range(warp, at, bytes, shared_.size(), "shared")) return;
    std::memcpy(to, &shared_[static_cast<std::size_t>(at)], bytes);
    for (std::size_t i = 0; i < bytes; ++i) {
      ByteState& state = states_[static_cast<std::size_t>(at) + i];
      if (state.copy_open)
        error(warp, "reads shared " + std::to_string(at) + " while a copy is open");
      if (state.writer != warp.id && state.write_epoch == epoch_)
        error(warp,
              "reads shared " + std::to_string(at) + " that another warp wrote since the barrier");
      state.reader = state.read_epoch == epoch_ && state.reader != warp.id ? kMany : warp.id;
      state.read_epoch = epoch_;
    }
  }

  /// The right to write a byte now.
  void claim(const Warp& warp, std::int64_t at, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) {
      ByteState& state = states_[static_cast<std::size_t>(at) + i];
      if (state.copy_open)
        error(warp, "writes shared " + std::to_string(at) + " while a copy is open");
      if (state.read_epoch == epoch_ && state.reader != warp.id)
        error(warp,
              "writes shared " + std::to_string(at) + " that another warp read since the barrier");
      if (state.write_epoch == epoch_ && state.writer != warp.id)
        error(warp,
              "writes shared " + std::to_string(at) + " that another warp wrote since the barrier");
      state.writer = warp.id;
      state.write_epoch = epoch_;
    }
  }

  void write_shared(const Warp& warp, std::int64_t at, const void* from, std::size_t bytes) {
    if (!in_range(warp, at, bytes, shared_.size(), "shared")) return;
    claim(warp, at, bytes);
    std::memcpy(&shared_[static_cast<std::size_t>(at)], from, bytes);
  }

  void start_copy(Warp& warp, PendingCopy copy) {
    const auto at = static_cast<std::size_t>(copy.shared);
    if (!in_range(warp, copy.shared, copy.bytes.size(), shared_.size(), "shared")) return;
    claim(warp, copy.shared, copy.bytes.size());
    for (std::size_t i = 0; i < copy.bytes.size(); ++i) states_[at + i].copy_open = true;
    if (copy_time_ == CopyTime::kAtIssue) std::ranges::copy(copy.bytes, &shared_[at]);
    warp.open_copies.push_back(std::move(copy));
  }

  void land(const Warp& warp, const PendingCopy& copy) {
    const auto at = static_cast<std::size_t>(copy.shared);
    if (copy_time_ == CopyTime::kAtWait) std::ranges::copy(copy.bytes, &shared_[at]);
    for (std::size_t i = 0; i < copy.bytes.size(); ++i) {
      states_[at + i].copy_open = false;
      states_[at + i].writer = warp.id;
      states_[at + i].write_epoch = epoch_;
    }
  }

  const CopyTime copy_time_;
  Findings& findings_;
  std::vector<std::vector<std::uint8_t>>& memory_;
  Interpreter& counts_;
  const std::size_t cta_;
  int epoch_ = 0;
  std::vector<std::uint8_t> shared_;
  std::vector<ByteState> states_;
  std::vector<Warp> warps_;
};

}  // namespace

Findings Interpreter::run(std::vector<std::vector<std::uint8_t>>& memory) {
  Findings findings;
  std::vector<std::vector<std::uint8_t>> zeros;
  zeros.reserve(memory.size());
  for (const auto& buffer : memory) zeros.emplace_back(buffer.size());
  load_counts.assign(static_cast<std::size_t>(launch_.cta_count()), zeros);
  const auto output = std::ranges::find(launch_.buffers, false, &isa::Buffer::input);
  store_counts.assign(output->bytes, 0);
  for (std::int64_t cta = 0; cta < launch_.cta_count(); ++cta)
    CtaRun(launch_, copy_time_, findings, memory, *this, cta).run();
  return findings;
}

}  // namespace tcsim::kernels::testing
