#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/isa/async_operands.hpp"
#include "models/isa/expression.hpp"
#include "models/isa/opcode.hpp"

namespace tcsim::isa {

using Register = std::uint8_t;
inline constexpr Register kZeroRegister = 255;  ///< reads as zero, writes have no effect
inline constexpr int kNoIndex = -1;
/// True if `index` is one of `size` entries.
constexpr bool is_index(int index, std::size_t size) {
  return index >= 0 && static_cast<std::size_t>(index) < size;
}

/// Scheduling bits that the assembler sets (microarchitecture.md 3.3, HUE25): the hardware checks
/// no other dependences.
struct ControlBits {
  static constexpr std::uint8_t kNoCounter = 7;
  static constexpr int kReusableSources = 3;  ///< the fourth one, metadata of MMAs, has no bit

  std::uint16_t stall =
      0;  ///< cycles before the warp's next instruction may issue; 0 = not assembled
  std::uint8_t write_counter =
      kNoCounter;  ///< incremented at issue, decremented when the results are written
  std::uint8_t read_counter = kNoCounter;  ///< incremented at issue, decremented when the sources
                                           ///< are read
  std::uint8_t wait_mask = 0;   ///< bit i: counter i must be zero before this instruction issues
  std::uint8_t reuse_mask = 0;  ///< bit i: source operand i stays in the register-file cache
  bool yield = false;           ///< the warp does not issue in the next cycle, whatever `stall` is

  bool operator==(const ControlBits&) const = default;
};
inline constexpr int kDependenceCounters = 6;
inline constexpr int kMostThreads = 1024;                 ///< of a CTA (microarchitecture.md 2.2)
inline constexpr int kMostWarps = kMostThreads / kLanes;  ///< of a CTA
/// Number of named barriers of a CTA (microarchitecture.md 2.2).
inline constexpr int kNamedBarriers = 16;
/// The meaning of `immediate` of BAR.SYNC and BAR.ARV.
struct NamedBarrier {
  int number = 0;  ///< [0, kNamedBarriers)
  /// How many warps must arrive, including those that do not wait (PTX ISA, barrier.cta); 0: all of
  /// the CTA that have not exited.
  int warps = 0;
};
inline constexpr int kBarrierWarpsShift = 8;
constexpr NamedBarrier named_barrier(std::int32_t immediate) {
  return {immediate & ((1 << kBarrierWarpsShift) - 1), immediate >> kBarrierWarpsShift};
}
constexpr std::int32_t immediate_of(const NamedBarrier& barrier) {
  return barrier.number | barrier.warps << kBarrierWarpsShift;
}

/// One warp instruction. Multi-register operands name their first register; widths follow from the
/// opcode. Memory operations: src[0] is the address (kZeroRegister if constant), src[1] the stored
/// data. Arithmetic: dst = op(src[0], src[1], ...); an unused operand is kZeroRegister.
struct Instruction {
  Opcode opcode = Opcode::kNop;
  Register dst = kZeroRegister;
  std::array<Register, 4> src{kZeroRegister, kZeroRegister, kZeroRegister, kZeroRegister};
  int access = kNoIndex;       ///< index into WarpProgram::accesses (memory operations) or
                               ///< WarpProgram::async (is_asynchronous)
  int guard = kNoIndex;        ///< index into WarpProgram::guards; kNoIndex: all lanes
  std::int32_t immediate = 0;  ///< DEPBAR: groups that may stay open; BAR: barrier id; BRA,
                               ///< BRA.SKIP: loop index; HMMA.884: layout bits, SP: selector
                               ///< (opcode.hpp); group MMAs: bits of group_mma.hpp; USETMAXREG:
                               ///< registers; arithmetic: literal bits or a byte of constants
  bool has_immediate =
      false;  ///< arithmetic: the last used source is `immediate` instead of a register
  /// Arithmetic: the last used source is the word at byte `immediate` of the kernel's constants,
  /// c[0x0][immediate]. ULDC does not need this flag. Not together with has_immediate.
  bool has_constant = false;
  ControlBits control{};

  bool operator==(const Instruction&) const = default;
};

/// Addresses in the shared memory of a cluster (.shared::cluster of PTX, as mapa makes them): the
/// rank of the CTA in the bits from this one on, below it the byte in its shared memory. SASS
/// inserts the rank by PRMT R, R, 0x654, R.
inline constexpr int kRankShift = 24;
constexpr std::int64_t cluster_address(std::int64_t rank, std::int64_t byte) {
  return (rank << kRankShift) + byte;
}
constexpr std::int64_t rank_of(std::int64_t address) { return address >> kRankShift; }
constexpr std::int64_t byte_of(std::int64_t address) {
  return address & ((std::int64_t{1} << kRankShift) - 1);
}

/// The addresses of one memory instruction. Lanes that the instruction's guard turns off access
/// nothing.
struct MemoryAccess {
  int buffer =
      kNoIndex;  ///< index into KernelLaunch::buffers for the global side; kNoIndex: shared only
  Address global{};  ///< byte offset from the buffer's base
  Address shared{};  ///< byte offset from the CTA's shared memory (LDS, STS, LDSM, LDGSTS, ATOMS);
                     ///< LDC: from the kernel's constants; LD.E, ST.E, ATOM.E: cluster_address
  /// LDGSTS only: a lane that takes part but fails this guard reads nothing and writes zeros, as
  /// with a source size of 0 (PTX manual, cp.async). Without bounds, every lane reads.
  Guard source{};

  bool operator==(const MemoryAccess&) const = default;
};

inline constexpr std::int64_t kMostTrips = (std::int64_t{1} << 31) - 1;  ///< of a loop

/// Instructions [first, last] repeat `trips` times; `last` is the loop's BRA. Loops nest properly.
/// `depth` selects the counter variable (0: kLoop0). A BRA.SKIP right before `first` skips the loop
/// if `trips` is 0.
/// With `until` the loop waits for other CTAs: it repeats until the word of a flag buffer that its
/// LDG.E.STRONG.GPU has loaded is at least `until`. `trips` then only states whether it is entered
/// (1) or skipped (0). Its CTA must come after those that raise the flag, which start first.
/// With `numbers` an outermost loop works on numbers below this limit, which CTAs take from a
/// counter: an ATOMG.E.ADD of a flag, one in each iteration, requests the number of the next
/// iteration. The first number is the CTA's own. The others are the counter's value modulo
/// `numbers`, plus the number of CTAs of the grid; when the next one is not below `numbers`, the
/// loop ends. A launch takes exactly `numbers` numbers from the counter, so the next launch begins
/// anew. Uniform 0 is the number. Its expression and `trips` describe CTAs that take turns; they
/// are used where there is no notion of time.
struct Loop {
  int first = 0;
  int last = 0;
  int depth = 0;
  /// Over CTA, warp and uniform variables; at least 1, with a BRA.SKIP at least 0, and at most
  /// kMostTrips, for a waiting loop at most 1. The expression of an outermost loop uses no uniform
  /// that its counter changes.
  Expression trips{};
  std::optional<Expression> until{};  ///< over the same variables
  std::optional<std::int64_t> numbers{};

  bool operator==(const Loop&) const = default;
};

/// True if there is a BRA.SKIP right before loop `index` of `instructions`.
inline bool is_skippable(const std::vector<Instruction>& instructions, const Loop& loop,
                         int index) {
  if (loop.first < 1) return false;
  const Instruction& before = instructions[static_cast<std::size_t>(loop.first) - 1];
  return before.opcode == Opcode::kBraSkip && before.immediate == index;
}

/// Size of a kernel's constants: bank 0 with its parameters (CUDA programming guide: 64 KB).
inline constexpr int kConstantBytes = 64 * 1024;
inline constexpr int kConstantAlignment = 4;  ///< bytes, of an operand from the constant bank
/// Where the parameters start in bank 0, after the launch's geometry: cuobjdump of code for sm_70
/// to sm_89; c[0x0][0x210] on sm_90.
inline constexpr int kParameterOffset = 0x160;

/// True if `instruction` reads a constant as an operand.
inline bool reads_constant(const Instruction& instruction) {
  return instruction.has_constant || instruction.opcode == Opcode::kUldc;
}

/// What one warp executes, from first instruction to EXIT.
struct WarpProgram {
  std::string name{};
  std::vector<Instruction> instructions{};
  std::vector<MemoryAccess> accesses{};
  std::vector<AsyncOperands> async{};
  std::vector<Guard> guards{};
  std::vector<Loop> loops{};
  /// Numbers that all warps of a CTA compute identically, over CTA variables, the counter of the
  /// outermost loop and preceding uniforms. They are evaluated at the start and in every iteration
  /// of that loop. A uniform with itself as a term is a running sum of its other terms, over the
  /// iterations up to this one.
  std::vector<Expression> uniforms{};

  bool operator==(const WarpProgram&) const = default;
};

/// Size of an instruction of Volta and later.
inline constexpr int kInstructionBytes = 16;
/// "0x0130": the address of instruction `index`, from the start of its program.
std::string address_text(int index);

/// The position at which a warp with the variables `bindings` continues after instruction
/// `position`. A branch counts the iteration of its loop; the outermost loop also updates the
/// uniforms.
int next_position(const WarpProgram& program, int position, Bindings& bindings);

}  // namespace tcsim::isa
