#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/isa/launch.hpp"
#include "models/isa/operands.hpp"
#include "models/isa/timing.hpp"
#include "models/sm/params.hpp"

namespace tcsim::sm {

using isa::kLanes;
inline constexpr std::uint32_t kAllLanes = ~std::uint32_t{0};
inline constexpr int kMaxRegisterBanks = 8;  ///< the schema allows no more

/// An instruction with everything resolved that the issue stage needs.
struct DecodedInstruction {
  isa::Opcode opcode;
  isa::Pipe pipe;
  isa::Effect effect;
  bool fixed_latency : 1;
  bool reads_registers : 1;     ///< in the issue window: bank_reads is not all zero
  bool starts_line : 1;         ///< the instruction starts a line of code
  bool reads_constant : 1;      ///< as an operand, at byte `immediate`
  bool ends_ahead : 1;          ///< past this instruction, the warp's fetch-ahead enters a new line
  std::uint8_t reuse_mask : 3;  ///< bit i: source i stays in the register-file cache
  std::uint8_t wait_mask;
  std::uint8_t write_counter;
  std::uint8_t read_counter;
  std::array<std::uint8_t, kMaxRegisterBanks> bank_reads;  ///< read-port slots per register bank
  std::uint8_t read_window;  ///< cycles within which the sources are read
  std::uint8_t dst_registers;
  std::uint8_t data_registers : 4;  ///< stores and atomics: registers of the data
  isa::Pipe awaited_pipe : 4;       ///< its own; for a NOP or BRA whose stalls are planned for what
                                    ///< follows: that of the next instruction with another opcode
  std::array<isa::Register, isa::kSourceOperands> src;
  isa::Register dst;
  std::uint16_t issue_interval;
  std::uint16_t latency;
  std::uint16_t stall;
  std::int32_t access;
  std::int32_t guard;
  std::int32_t immediate;
};
static_assert(sizeof(DecodedInstruction) == 44, "warps go through these: keep them small");

/// Sectors of one line that a warp instruction touches.
struct LineSectors {
  std::uint64_t line;  ///< line address
  std::uint8_t sectors;
  std::uint8_t partial;   ///< sectors of which only some bytes are touched
  std::uint16_t bytes;    ///< bytes that all lanes touch; broadcast ones count once per lane
  std::uint8_t lanes;     ///< lanes that touch the line
  std::uint8_t passes;    ///< per sector, the most lanes with one first byte; summed over sectors
  std::uint8_t word = 0;  ///< 32-bit word that holds the lowest byte touched
};

using LaneValues = std::array<std::int64_t, kLanes>;

/// One use of a quotient of the program in an expression.
struct QuotientUse {
  int quotient;  ///< index into DecodedProgram::quotients
  std::int64_t coefficient;
};

/// An expression split by what its terms depend on, so that a warp recomputes only what changes.
struct SplitExpression {
  std::vector<isa::Term> fixed;        ///< CTA and warp terms: once per warp
  std::vector<isa::Term> looping;      ///< loop counters and uniforms: once per execution
  LaneValues lane{};                   ///< sum of the lane terms
  std::vector<QuotientUse> quotients;  ///< evaluated lane by lane
  std::int64_t constant = 0;
  std::int64_t lane_min = 0;  ///< smallest value in `lane`
  std::int64_t lane_max = 0;
};

/// The dividend of a quotient. Equal quotients of a program are stored once, as a compiler would
/// keep them in one register.
struct DecodedQuotient {
  isa::Quotient quotient;  ///< coefficient 1
  SplitExpression sum;
  int value_index;  ///< index into Warp::fixed_values: kLanes results, or the sum's fixed part if
                    ///< it contains loop terms
};

/// A memory access ready for timing: the addresses of its lanes relative to a given uniform offset.
struct DecodedAccess {
  int id = 0;  ///< dense over the launch; isa::kNoIndex: used by one execution only
  SplitExpression global;
  SplitExpression shared;
  isa::Swizzle global_swizzle;
  isa::Swizzle shared_swizzle;
  std::uint64_t buffer_base = 0;
  int bytes_per_lane = 0;
  bool is_matrix = false;  ///< LDSM, STSM: 16-byte rows addressed by groups of eight lanes
  int matrices = 0;
  int source_guard = isa::kNoIndex;  ///< for an LDGSTS: lanes that fail this guard write zeros
  bool flags = false;                ///< accesses words by which CTAs wait for each other
};

struct DecodedBound {
  SplitExpression expression;
  std::int64_t limit;
};

/// An instruction of a loop that reads or copies global memory.
struct LoopRead {
  int pc;
  std::vector<std::size_t> inner;  ///< loops within the loop that hold it, the outer ones first
};

struct DecodedLoop {
  int first;
  int last;
  int depth;
  isa::Expression trips;
  std::optional<isa::Expression> until;
  bool only_reads;  ///< ends without others and changes no global memory
  /// Iterations after which the mbarriers, and the phases awaited at them, repeat; 1 if there are
  /// none.
  std::int64_t period;
  /// If set: CTAs take numbers below this limit from a counter (isa::Loop::numbers).
  std::optional<std::int64_t> numbers{};
  std::int64_t ctas = 1;  ///< CTAs of the grid
  std::vector<LoopRead> reads{};
};

/// A warp program flattened for execution.
struct DecodedProgram {
  std::vector<DecodedInstruction> instructions;
  std::uint32_t first_line = 0;  ///< line of code memory where the program starts
  std::vector<DecodedAccess> accesses;
  std::vector<std::vector<DecodedBound>>
      guards;  ///< guards of instructions, then guards of copy sources
  std::vector<DecodedLoop> loops;
  std::vector<isa::Expression> uniforms;
  std::vector<isa::AsyncOperands> async;
  std::vector<DecodedQuotient> quotients;
  /// Number of values that a warp computes at its start: two offsets per access (global, shared),
  /// one value per bound, then the values of the quotients.
  int fixed_values = 0;
  std::vector<int> guard_value_index;
};

/// The loops of `depth` or deeper that hold instruction `pc`, by number, the outer ones first.
std::vector<std::size_t> loops_around(const DecodedProgram& program, int pc, int depth = 0);

/// Registers per lane that an instruction of `opcode` reads in its operand window if every source
/// operand is present.
int window_registers(isa::Opcode opcode, const TensorParams& tensor);

/// Sets where the lanes of `access` go to those of `pattern`. Keeps its id.
void decode(const isa::LanePattern& pattern, DecodedAccess& access);

/// Number of code-memory lines that `program` fills.
std::uint32_t code_lines(const isa::WarpProgram& program, const InstructionFetchParams& fetch);

/// `program` of `launch` with everything precomputed that does not depend on a warp.
DecodedProgram decode(const isa::WarpProgram& program, const isa::KernelLaunch& launch,
                      const isa::TimingTable& timing, const SmParams& params);

}  // namespace tcsim::sm
