#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/isa/launch.hpp"
#include "models/isa/program.hpp"

namespace tcsim::kernels {

using Instructions = std::vector<isa::Instruction>;

/// PRMT selectors for the low, or the high, halves of both sources side by side.
inline constexpr std::int32_t kLowHalves = 0x5410;
inline constexpr std::int32_t kHighHalves = 0x7632;

/// Collects a warp program. Instructions that are made early and placed later share its tables.
class ProgramBuilder {
 public:
  explicit ProgramBuilder(std::string name) { program_.name = std::move(name); }

  /// Index of a new access.
  int access(isa::MemoryAccess access);
  /// Index of an equal or new guard; kNoIndex if `guard` has no bounds.
  int guard(const isa::Guard& guard);
  /// Index of a guard that no lane passes.
  int never();
  /// Index of new operands of an asynchronous instruction.
  int async(isa::AsyncOperands operands);

  void append(const isa::Instruction& instruction) { program_.instructions.push_back(instruction); }
  void append(std::span<const isa::Instruction> instructions);
  /// An asynchronous instruction without registers.
  void append(isa::Opcode opcode, isa::AsyncOperands operands, int guard = isa::kNoIndex) {
    append(
        isa::Instruction{.opcode = opcode, .access = async(std::move(operands)), .guard = guard});
  }

  /// Makes the mbarrier at `barrier` wait for `bytes` of copies by TMA.
  void expect_bytes(const isa::Expression& barrier, int bytes) {
    append(isa::Opcode::kSyncsArriveBytes, isa::BarrierOperand{barrier, {bytes}});
  }

  /// The counter of the loop that is opened next.
  [[nodiscard]] isa::Variable next_counter() const;
  /// Opens a loop.
  void begin_loop();
  /// Opens a loop around everything that follows, including loops. Code made for the inner loop
  /// names its counter kLoop0 as before, and the builder moves it one level deeper. Requires that
  /// no loop is open.
  void begin_outer_loop();
  /// The same for a loop that may have no iterations: a BRA.SKIP precedes it.
  void begin_skippable_loop();
  /// One of the two, by `is_skippable`.
  void begin_loop(bool is_skippable) { is_skippable ? begin_skippable_loop() : begin_loop(); }
  /// Closes the innermost loop with a BRA. Requires trips >= 1, or >= 0 for a skippable loop.
  void end_loop(const isa::Expression& trips);
  void end_loop(std::int64_t trips) { end_loop(isa::Expression{trips, {}}); }

  /// Closes a skippable loop that waits until the flag it loads is at least `until`.
  void end_waiting_loop(const isa::Expression& entered, const isa::Expression& until);

  /// Closes the outermost loop, whose CTA takes numbers below `numbers` (isa::Loop::numbers);
  /// register `next` holds the next number.
  void end_taking_loop(const isa::Expression& trips, std::int64_t numbers, isa::Register next);

  /// Numbers that the program computes (WarpProgram::uniforms).
  void set_uniforms(std::vector<isa::Expression> uniforms) {
    program_.uniforms = std::move(uniforms);
  }

  /// The program, closed by an EXIT.
  isa::WarpProgram finish();

 private:
  [[nodiscard]] isa::Guard placed(isa::Guard guard) const;
  void place(isa::Expression& expression) const;
  void close_loop(const isa::Expression& trips, bool has_compare);

  isa::WarpProgram program_;
  std::vector<std::size_t> open_;  ///< loops, innermost last
  bool has_outer_loop_ = false;
};

/// Operations with the operand conventions of isa::Instruction.
isa::Instruction load(isa::Opcode opcode, isa::Register dst, isa::Register address, int access,
                      int guard = isa::kNoIndex);
isa::Instruction store(isa::Opcode opcode, isa::Register data, isa::Register address, int access,
                       int guard = isa::kNoIndex);
isa::Instruction control(isa::Opcode opcode, std::int32_t immediate = 0, int guard = isa::kNoIndex);
isa::Instruction arithmetic(isa::Opcode opcode, isa::Register dst,
                            isa::Register a = isa::kZeroRegister,
                            isa::Register b = isa::kZeroRegister,
                            isa::Register c = isa::kZeroRegister,
                            isa::Register d = isa::kZeroRegister);
isa::Instruction with_immediate(isa::Instruction instruction, std::int32_t literal);

/// `value` as the immediate of an FP32 operation.
std::int32_t fp32_literal(double value);
/// `opcode` on register `a`, with the FP32 immediate as the second source.
isa::Instruction with_literal(isa::Opcode opcode, int dst, int a, double value);
/// Minus infinity as such an immediate.
inline constexpr auto kMinusInfinity = static_cast<std::int32_t>(0xff800000);

/// LDG and STG of `bytes` (2, 4, 8 or 16) per lane.
isa::Opcode global_load_of(int bytes);
isa::Opcode global_store_of(int bytes);
/// LDS and STS of the same.
isa::Opcode shared_load_of(int bytes);
isa::Opcode shared_store_of(int bytes);

/// `instruction` with parameter word `number` of the kernel as its last source.
isa::Instruction with_parameter(isa::Instruction instruction, int number);

/// A register number from arithmetic on plan offsets.
constexpr isa::Register reg(int number) { return static_cast<isa::Register>(number); }

using isa::kMostWarps;
inline constexpr int kMostRegisters = 255;  ///< per thread
inline constexpr int kVectorRegisters = 4;  ///< per 128-bit access
inline constexpr int kLdsmBlock = 16;       ///< rows or columns that one LDSM.x4 covers

/// The smallest multiple of `multiple` that is at least `value`.
constexpr int align_up(int value, int multiple) { return ceil_div(value, multiple) * multiple; }

/// Appends `from` to `to`.
void extend(Instructions& to, const Instructions& from);

/// CS2R for the register pairs of [first, end).
Instructions clear_registers(int first, int end);

/// Instructions that belong in the part [begin_percent, end_percent] of a longer sequence, spread
/// evenly, in order.
struct Stream {
  Instructions instructions;
  int begin_percent = 0;
  int end_percent = 100;
};

/// Merges the streams into one sequence by position. At equal positions the earlier stream goes
/// first.
Instructions merge_evenly(std::span<const Stream> streams);

/// `main` with the streams in the gaps after its instructions. Order as in merge_evenly.
Instructions place_in_gaps(std::span<const isa::Instruction> main, std::span<const Stream> streams);

/// `launch` with all warps running `program`.
isa::KernelLaunch uniform_launch(isa::KernelLaunch launch, isa::WarpProgram program);

}  // namespace tcsim::kernels
