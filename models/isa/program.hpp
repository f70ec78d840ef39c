#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/isa/async_operands.hpp"
#include "models/isa/expression.hpp"
#include "models/isa/opcode.hpp"

namespace tcsim::isa {

using Register = std::uint8_t;
inline constexpr Register kZeroRegister = 255;  ///< reads as zero, writes vanish
inline constexpr int kNoIndex = -1;

/// Scheduling bits that the assembler sets (microarchitecture.md 3.3, HUE25): the hardware checks
/// nothing else.
struct ControlBits {
  static constexpr std::uint8_t kNoCounter = 7;

  std::uint8_t stall =
      0;  ///< cycles before the warp's next instruction may issue; 0 = not assembled
  std::uint8_t write_counter =
      kNoCounter;  ///< counts up at issue, down when the results are written
  std::uint8_t read_counter = kNoCounter;  ///< counts up at issue, down when the sources are read
  std::uint8_t wait_mask = 0;   ///< bit i: counter i must be zero before this instruction issues
  std::uint8_t reuse_mask = 0;  ///< bit i: source operand i stays in the register-file cache
  bool yield = false;

  bool operator==(const ControlBits&) const = default;
};
inline constexpr int kDependenceCounters = 6;
inline constexpr int kMostThreads = 1024;                 ///< of a CTA (microarchitecture.md 2.2)
inline constexpr int kMostWarps = kMostThreads / kLanes;  ///< of a CTA
/// Barriers that a CTA can tell apart (microarchitecture.md 2.2).
inline constexpr int kNamedBarriers = 16;
/// What `immediate` of BAR.SYNC and BAR.ARV says.
struct NamedBarrier {
  int number = 0;  ///< [0, kNamedBarriers)
  /// How many have to come, those that wait and those that only arrive (PTX ISA, barrier.cta); 0:
  /// all of the CTA that have not exited.
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
  /// c[0x0][immediate]. ULDC needs no such mark. Not together with has_immediate.
  bool has_constant = false;
  ControlBits control{};

  bool operator==(const Instruction&) const = default;
};

/// Addresses in the shared memory of a cluster (.shared::cluster of PTX, as mapa makes them): the
/// rank of the CTA from this bit on, below it the byte in its shared memory. SASS puts the rank
/// there by PRMT R, R, 0x654, R.
inline constexpr int kRankShift = 24;
constexpr std::int64_t cluster_address(std::int64_t rank, std::int64_t byte) {
  return (rank << kRankShift) + byte;
}
constexpr std::int64_t rank_of(std::int64_t address) { return address >> kRankShift; }
constexpr std::int64_t byte_of(std::int64_t address) {
  return address & ((std::int64_t{1} << kRankShift) - 1);
}

/// The addresses of one memory instruction. Lanes that the instruction's guard turns off move
/// nothing.
struct MemoryAccess {
  int buffer =
      kNoIndex;  ///< index into KernelLaunch::buffers for the global side; kNoIndex: shared only
  Address global{};  ///< byte offset from the buffer's base
  Address shared{};  ///< byte offset from the CTA's shared memory (LDS, STS, LDSM, LDGSTS, ATOMS);
                     ///< LDC: from the kernel's constants; LD.E, ST.E, ATOM.E: cluster_address
  /// LDGSTS only: a lane that takes part but fails this guard reads nothing and writes zeros, as
  /// with a source size of 0 (PTX manual, cp.async). Without bounds every lane reads.
  Guard source{};

  bool operator==(const MemoryAccess&) const = default;
};

/// Instructions [first, last] repeat `trips` times; `last` is the loop's BRA. Loops nest properly.
/// `depth` selects the counter variable (0: kLoop0). A BRA.SKIP right before `first` passes over
/// the loop where `trips` is 0.
/// With `until` the loop waits for other CTAs: it repeats until the word of a flag buffer that its
/// LDG.E.STRONG.GPU has loaded is at least `until`, and `trips` says only whether it is entered (1)
/// or passed over. Its CTA must come after those that raise the flag, which start first.
/// With `numbers` an outermost loop works on numbers below that, which CTAs take from a counter: an
/// ATOMG.E.ADD of a flag, one in each trip, asks for that of the next trip. The first number is the
/// CTA's own, the others are the counter's, modulo `numbers`, plus the CTAs of the grid; when the
/// next one is not below `numbers`, the loop ends. A launch takes `numbers` from the counter, so
/// the next one begins anew. Uniform 0 is the number; its expression and `trips` are those of CTAs
/// that take turns, which stand for it wherever there is no time.
struct Loop {
  int first = 0;
  int last = 0;
  int depth = 0;
  /// Over CTA, warp and uniform variables; at least 1, with a BRA.SKIP at least 0, of a waiting
  /// loop at most 1. Those of an outermost loop use no uniform that its counter changes.
  Expression trips{};
  std::optional<Expression> until{};  ///< over the same variables
  std::optional<std::int64_t> numbers{};

  bool operator==(const Loop&) const = default;
};

/// True if a BRA.SKIP stands right before loop `index` of `instructions`.
inline bool is_skippable(const std::vector<Instruction>& instructions, const Loop& loop,
                         int index) {
  if (loop.first < 1) return false;
  const Instruction& before = instructions[static_cast<std::size_t>(loop.first) - 1];
  return before.opcode == Opcode::kBraSkip && before.immediate == index;
}

/// Constants that a kernel has: bank 0 with its parameters (CUDA programming guide: 64 KB).
inline constexpr int kConstantBytes = 64 * 1024;
/// Where the parameters start in bank 0, behind the launch's geometry: cuobjdump of code for sm_70
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
  /// Numbers that all warps of a CTA compute alike. Over CTA variables, the counter of the
  /// outermost loop and the uniforms before it; values are those of the start and of every trip of
  /// that loop. One with itself as a term is a running sum of the rest, over the trips up to this
  /// one.
  std::vector<Expression> uniforms{};

  bool operator==(const WarpProgram&) const = default;
};

/// Where a warp with the variables `bindings` goes on behind instruction `position`. A branch
/// counts the trip of its loop; with the outermost loop the uniforms change.
int next_position(const WarpProgram& program, int position, Bindings& bindings);

}  // namespace tcsim::isa
