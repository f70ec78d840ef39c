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

/// An instruction with everything the issue stage asks of it resolved.
struct DecodedInstruction {
  isa::Opcode opcode;
  isa::Pipe pipe;
  isa::Effect effect;
  bool fixed_latency : 1;
  bool reads_registers : 1;     ///< in the issue window, so that bank_reads is not all zero
  bool starts_line : 1;         ///< of code
  bool reads_constant : 1;      ///< as an operand, at byte `immediate`
  bool ends_ahead : 1;          ///< behind it, what the warp has fetched ahead enters a new line
  std::uint8_t reuse_mask : 3;  ///< bit i: source i stays in the register-file cache
  std::uint8_t stall;
  std::uint8_t wait_mask;
  std::uint8_t write_counter;
  std::uint8_t read_counter;
  std::array<std::uint8_t, kMaxRegisterBanks> bank_reads;  ///< read-port slots per register bank
  std::uint8_t read_window;  ///< cycles within which the sources are read
  std::uint8_t dst_registers;
  std::uint8_t data_registers : 4;  ///< stores and atomics: registers of the data
  isa::Pipe awaited_pipe : 4;       ///< its own; of a NOP or BRA, whose stalls are planned for what
                               ///< comes behind, that of the next instruction with another opcode
  std::array<isa::Register, isa::kSourceOperands> src;
  isa::Register dst;
  std::uint16_t issue_interval;
  std::uint16_t latency;
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
  std::uint16_t bytes;    ///< that all lanes together touch, broadcast ones once per lane
  std::uint8_t lanes;     ///< that touch it
  std::uint8_t passes;    ///< most lanes with one first byte, summed over the sectors
  std::uint8_t word = 0;  ///< of 32 bits, that the lowest byte touched lies in
};

using LaneValues = std::array<std::int64_t, kLanes>;

/// A quotient of the program in one expression.
struct QuotientUse {
  int quotient;  ///< index into DecodedProgram::quotients
  std::int64_t coefficient;
};

/// An expression split by what it depends on, so that a warp pays only for what changes.
struct SplitExpression {
  std::vector<isa::Term> fixed;        ///< CTA and warp terms: once per warp
  std::vector<isa::Term> looping;      ///< loop counters and uniforms: once per execution
  LaneValues lane{};                   ///< lane terms, added up
  std::vector<QuotientUse> quotients;  ///< lane by lane
  std::int64_t constant = 0;
  std::int64_t lane_min = 0;  ///< of `lane`
  std::int64_t lane_max = 0;
};

/// The divided sum of a quotient. Equal ones of a program are one, as a compiler would keep them in
/// a register.
struct DecodedQuotient {
  isa::Quotient quotient;  ///< coefficient 1
  SplitExpression sum;
  int value_index;  ///< of Warp::fixed_values: kLanes results, or the sum's fixed part if it loops
};

/// A memory access ready to be timed: where its lanes go for a given uniform offset.
struct DecodedAccess {
  int id = 0;  ///< dense over the launch; isa::kNoIndex: of one execution alone
  SplitExpression global;
  SplitExpression shared;
  isa::Swizzle global_swizzle;
  isa::Swizzle shared_swizzle;
  std::uint64_t buffer_base = 0;
  int bytes_per_lane = 0;
  bool is_matrix = false;  ///< LDSM, STSM: 16-byte rows addressed by groups of eight lanes
  int matrices = 0;
  int source_guard = isa::kNoIndex;  ///< of a LDGSTS: lanes that fail it write zeros
  bool flags = false;                ///< words by which CTAs wait for each other
};

struct DecodedBound {
  SplitExpression expression;
  std::int64_t limit;
};

struct DecodedLoop {
  int first;
  int last;
  int depth;
  isa::Expression trips;
  std::optional<isa::Expression> until;
  bool only_reads;  ///< ends by itself and changes no global memory
  /// Trips behind which mbarriers and the phases awaited at them come again; 1 without such.
  std::int64_t period;
  /// Set: CTAs take numbers below it (isa::Loop::numbers).
  std::optional<std::int64_t> numbers{};
  std::int64_t ctas = 1;  ///< of the grid
};

/// A warp program flattened for execution.
struct DecodedProgram {
  std::vector<DecodedInstruction> instructions;
  std::uint32_t first_line = 0;  ///< of code memory, where the program starts
  std::vector<DecodedAccess> accesses;
  std::vector<std::vector<DecodedBound>>
      guards;  ///< those of the instructions, then those of sources
  std::vector<DecodedLoop> loops;
  std::vector<isa::Expression> uniforms;
  std::vector<isa::AsyncOperands> async;
  std::vector<DecodedQuotient> quotients;
  /// Per warp, computed at its start: two offsets per access (global, shared), one value per bound,
  /// then those of the quotients.
  int fixed_values = 0;
  std::vector<int> guard_value_index;
};

/// Registers per lane that an instruction of `opcode` reads in its operand window if it names one
/// for every source.
int window_registers(isa::Opcode opcode, const TensorParams& tensor);

/// `access` goes where the lanes of `pattern` do. Keeps its id.
void decode(const isa::LanePattern& pattern, DecodedAccess& access);

/// Lines of code memory that `program` fills.
std::uint32_t code_lines(const isa::WarpProgram& program, const InstructionFetchParams& fetch);

/// `program` of `launch` with everything known that does not depend on a warp.
DecodedProgram decode(const isa::WarpProgram& program, const isa::KernelLaunch& launch,
                      const isa::TimingTable& timing, const SmParams& params);

}  // namespace tcsim::sm
