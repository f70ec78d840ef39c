#include "workloads/traceg/instruction_reader.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "models/isa/group_mma.hpp"
#include "workloads/trace/tct_cursor.hpp"
#include "workloads/traceg/fields.hpp"

namespace tcsim::traceg {
namespace {

constexpr std::uint64_t kLargestPc = (std::uint64_t{1} << 48) - 1;
constexpr std::uint64_t kLargestMask = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t kMostSourceLines = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kLargestStep = std::int64_t{1} << 49;
constexpr std::int64_t kMostSources = 8;
constexpr std::int64_t kWidest = 256;  // bytes that one lane may move

/// Most bytes of a copy of TMA: 2^20 - 1 bytes of a phase (PTX ISA, mbarrier, tx-count).
constexpr std::int64_t kMostBoxBytes = (std::int64_t{1} << 20) - 1;
constexpr std::uint64_t kLargestValue = std::numeric_limits<std::uint64_t>::max();

bool is_blank(char c) { return c == ' ' || c == '\t'; }

bool has(std::uint32_t lanes, std::size_t lane) { return (lanes >> lane & 1) != 0; }

std::int64_t checked(std::int64_t address, const Fields& fields) {
  if (address < 0 || address > static_cast<std::int64_t>(kLargestAddress))
    fields.fail("address", "lane at " + std::to_string(address) + ", outside of 49 bits");
  return address;
}

std::int64_t take_address(Fields& fields) {
  return static_cast<std::int64_t>(fields.take_hex("address", kLargestAddress));
}

/// A word of 32 bits, as the tracer prints it, with or without a sign.
std::int64_t take_immediate(Fields& fields, std::string_view what) {
  return fields.take_decimal(what, std::numeric_limits<std::int32_t>::min(),
                             std::numeric_limits<std::uint32_t>::max());
}

std::int64_t take_step(Fields& fields, std::string_view what) {
  return fields.take_decimal(what, -kLargestStep, kLargestStep);
}

/// If A is in shared memory, the sums, which are also the result, come first.
bool takes_a_from_registers(isa::Register result, const std::vector<NamedRegister>& sources) {
  const auto first = std::ranges::find(sources, true, &NamedRegister::is_vector);
  return first != sources.end() && first->number != result;
}

/// Keeps those parts of the immediate that the models use: groups that may stay open, the registers
/// of a thread; for a product, whether it ends its group.
void set_immediate(isa::Instruction& instruction, bool closes_group, bool has_values) {
  std::int32_t& immediate = instruction.immediate;
  switch (isa::opcode_info(instruction.opcode).effect) {
    case isa::Effect::kWaitCopyGroups:
    case isa::Effect::kWaitGroupMmas:
    case isa::Effect::kSetRegisters:
      immediate = std::max(0, immediate);
      break;
    case isa::Effect::kGroupMma:
      immediate = closes_group ? isa::kClosesGroup : 0;
      break;
    case isa::Effect::kBarrier:
    case isa::Effect::kBarrierArrive:
      if (!has_values) immediate = 0;  // the last of one or two: a number or a count
      break;
    default:
      immediate = 0;
  }
}

/// The value of a register in thread `lane`: one value for all, or 32.
std::uint64_t take_value(Fields& fields, int lane) {
  const int column = fields.column();
  const std::int64_t count = fields.take_decimal("number of values", 0, 32);
  if (count != 1 && count != 32)
    throw trace::Mistake{column, "number of values",
                         shown(std::to_string(count)) + " is neither 1 nor 32"};
  std::uint64_t value = 0;
  for (int i = 0; i < count; ++i) {
    const std::uint64_t one = fields.take_hex("value", kLargestValue);
    if (i == 0 || i == lane) value = one;
  }
  return value;
}

/// The immediates of BAR are its number and the number of threads that it expects, 0 for all; or
/// only the latter, with the barrier's number in a register, for which it returns true (Accel-Sim
/// 2.0).
bool set_named_barrier(isa::Instruction& instruction, std::int64_t second, bool has_register,
                       int column) {
  const bool in_register = has_register && second == 0;
  const std::int64_t number = in_register ? 0 : instruction.immediate;
  const std::int64_t threads = in_register ? instruction.immediate : second;
  if (number < 0 || number >= isa::kNamedBarriers)
    throw trace::Mistake{column, "barrier", shown(std::to_string(number)) + " is not one of 16"};
  if (threads < 0 || threads > isa::kMostThreads || threads % isa::kLanes != 0)
    throw trace::Mistake{column, "threads of the barrier",
                         shown(std::to_string(threads)) + " is not a multiple of 32 up to 1024"};
  instruction.immediate =
      isa::immediate_of({static_cast<int>(number), static_cast<int>(threads / isa::kLanes)});
  return in_register;
}

/// The end of a line from tracer version 6 on: at most `immediates`, then Val and the values of
/// registers, which are not looked at, or NoVal.
void check_values(Fields fields, int immediates) {
  const auto is_next = [&fields](std::string_view word) { return fields.rest().starts_with(word); };
  for (; immediates > 0 && !fields.at_end() && !is_next("Val") && !is_next("NoVal"); --immediates)
    take_immediate(fields, "immediate");
  if (fields.at_end()) return;
  const int column = fields.column();
  const std::string_view word = fields.take_word("values");
  if (word != "Val" && word != "NoVal")
    throw trace::Mistake{column, "values", "expected Val or NoVal, got " + shown(word)};
  if (word == "NoVal") fields.take_end();
}

/// The arrivals that a phase of an mbarrier expects, from the word that initialises it: bits 1 to
/// 20 count them down from 2^20 (Accel-Sim 2.0 decodes it in the same way).
std::int64_t arrivals_of(std::uint64_t word) {
  constexpr std::int64_t kCounts = std::int64_t{1} << 20;
  return kCounts - static_cast<std::int64_t>(word >> 1 & (kCounts - 1));
}

}  // namespace

bool InstructionReader::matches(const Known& known, std::uint64_t pc, std::string_view rest) {
  if (known.pc != pc || !rest.starts_with(known.text)) return false;
  return rest.size() == known.text.size() || (known.goes_on && is_blank(rest[known.text.size()]));
}

int InstructionReader::find(std::uint64_t pc, std::string_view rest) const {
  if (previous_ != kNone) {
    const int next = known_[static_cast<std::size_t>(previous_)].next;
    if (next != kNone && matches(known_[static_cast<std::size_t>(next)], pc, rest)) return next;
  }
  const auto first = first_at_.find(pc);
  int entry = first == first_at_.end() ? kNone : first->second;
  while (entry != kNone && !matches(known_[static_cast<std::size_t>(entry)], pc, rest))
    entry = known_[static_cast<std::size_t>(entry)].other;
  return entry;
}

void InstructionReader::read(std::string_view line) {
  while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
  if (line.starts_with("REPLAY_")) return;  // a marker of the tracer
  Fields fields(line);
  if (header_.has_source_lines()) fields.take_decimal("source line", 0, kMostSourceLines);
  const std::uint64_t pc = fields.take_hex("PC", kLargestPc);
  const auto lanes = static_cast<std::uint32_t>(fields.take_hex("active mask", kLargestMask));
  int entry = find(pc, fields.rest());
  if (entry == kNone) entry = parse(pc, line, fields.position());
  fields.skip(known_[static_cast<std::size_t>(entry)].text.size());
  record(entry, fields, lanes);
}

/// `entry` is the next one of the warp.
void InstructionReader::follow(int entry) {
  if (previous_ != kNone) known_[static_cast<std::size_t>(previous_)].next = entry;
  previous_ = entry;
}

/// Records the part of the line of `entry` after its text.
void InstructionReader::record(int entry, Fields& fields, std::uint32_t lanes) {
  if (known_[static_cast<std::size_t>(entry)].code == kUnknown) {
    ++unknown_count_;
    return;
  }
  const bool is_generic = known_[static_cast<std::size_t>(entry)].is_generic;
  const bool number_in_register = known_[static_cast<std::size_t>(entry)].number_in_register;
  const bool has_addresses = known_[static_cast<std::size_t>(entry)].has_addresses;
  const bool is_box = lines_[static_cast<std::size_t>(entry)].copies_box();
  if (has_addresses && !is_box && lanes != 0) {
    read_addresses(fields, lanes);
    const std::uint32_t in_shared = take_out_shared_base(lanes);
    if (is_generic && header_.shared_end() == header_.shared_base()) ++without_window_;
    if (is_generic && in_shared != 0 && in_shared != lanes) {
      // Lanes of both memories: as two operations, one after the other.
      follow(variant(entry, 0));
      recording_.add_step(known_[static_cast<std::size_t>(previous_)].code, lanes & ~in_shared,
                          addresses_);
      lanes = in_shared;
    }
    if (is_generic) entry = variant(entry, in_shared != 0 ? 1 : 0);
  }
  if (header_.has_values() && !is_box && lanes != 0) check_values(fields, has_addresses ? 1 : 0);
  if (number_in_register && lanes != 0) {
    if (fields.take_word("values") != "Val")
      fields.fail("values",
                  "BAR needs the value of its register: record with ALLOW_REG_VAL_TRACING=1");
    const int column = fields.column();
    const std::uint64_t number = take_value(fields, std::countr_zero(lanes));
    if (number >= isa::kNamedBarriers)
      throw trace::Mistake{column, "barrier", shown(std::to_string(number)) + " is not one of 16"};
    entry = variant(entry, static_cast<int>(number));
  }
  follow(entry);
  const CodeLine& line = lines_[static_cast<std::size_t>(entry)];
  const int code = known_[static_cast<std::size_t>(entry)].code;
  if (code == kMarker) return;
  if (is_box) {
    const int width = line.sass.bytes_per_lane;
    const ExecutedBox box = lanes != 0 ? read_box(fields, width) : ExecutedBox{};
    if (lanes != 0) check_values(fields, 2);
    return recording_.add_box(code, lanes, box);
  }
  if (line.sass.is_constant) addresses_.fill(0);
  std::int64_t value = 0;
  if (line.is_on_mbarrier() && lanes != 0) {
    value =
        read_value(fields, known_[static_cast<std::size_t>(entry)], line, std::countr_zero(lanes));
  }
  recording_.add_step(code, lanes, addresses_, value);
}

void InstructionReader::note_unknown(const std::string& mnemonic) {
  if (std::ranges::find(unknown_, mnemonic) == unknown_.end()) unknown_.push_back(mnemonic);
}

/// The one or two immediates of an instruction without addresses.
void InstructionReader::take_immediates(Fields& fields, bool is_known, CodeLine& code,
                                        Known& known) const {
  if (!fields.at_end())
    code.instruction.immediate = static_cast<std::int32_t>(take_immediate(fields, "immediate"));
  if (!header_.has_values()) return;
  const int column = fields.column();
  const std::int64_t second = fields.at_end() ? 0 : take_immediate(fields, "second immediate");
  if (is_known && isa::is_named_barrier(code.effect()))
    known.number_in_register =
        set_named_barrier(code.instruction, second, known.destinations > 0, column);
}

/// Parses a line that has not been seen before. Returns its entry.
int InstructionReader::parse(std::uint64_t pc, std::string_view line, std::size_t start) {
  Fields fields(line, start);
  CodeLine code{pc, {}, {}};
  Known known{pc};
  known.destinations = static_cast<int>(fields.take_decimal("number of destinations", 0, 1));
  if (known.destinations == 1) {
    const NamedRegister destination = fields.take_register("destination");
    if (destination.is_vector)
      code.instruction.dst = static_cast<isa::Register>(destination.number);
  }
  opcode_column_ = fields.column();
  std::string mnemonic(fields.take_word("operation"));
  const std::int64_t source_count = fields.take_decimal("number of sources", 0, kMostSources);
  std::vector<NamedRegister> sources;
  for (std::int64_t i = 0; i < source_count; ++i) sources.push_back(fields.take_register("source"));
  const bool is_group_mma = mnemonic.find("GMMA.") != std::string::npos;
  const bool closes_group =
      is_group_mma && fields.take_decimal("end of a group of products", 0, 1) == 1;
  if (is_group_mma && takes_a_from_registers(code.instruction.dst, sources)) mnemonic += ".RS";
  const int width_column = fields.column();
  std::optional<SassOpcode> sass = parse_sass(mnemonic, header_.sm_version());
  // Without a second immediate, it is unknown how many threads it counts.
  if (sass && sass->opcode == isa::Opcode::kBarArrive && !header_.has_values()) sass.reset();
  if (sass) {
    code.sass = *sass;
    code.instruction.opcode = sass->opcode;
  }
  const bool is_box = sass && code.copies_box();
  const auto width =
      static_cast<int>(fields.take_decimal("width", 0, is_box || !sass ? kMostBoxBytes : kWidest));
  if (is_box) code.sass.bytes_per_lane = width;
  const bool has_addresses = width != 0 || is_box;
  std::size_t end = fields.position();
  if (!has_addresses) {
    take_immediates(fields, sass.has_value(), code, known);
    end = fields.position();
    if (!header_.has_values()) fields.take_end();
  }
  while (is_blank(line[end - 1])) --end;
  known.text = std::string(line.substr(start, end - start));
  known.has_addresses = has_addresses;
  known.goes_on = has_addresses || header_.has_values();
  if (!sass || sass->is_marker) {
    if (!sass) note_unknown(mnemonic);
    known.code = sass ? kMarker : kUnknown;
    return add(std::move(known), code);
  }
  set_immediate(code.instruction, closes_group, header_.has_values());
  if (code.has_addresses() && !has_addresses && !sass->is_constant)
    throw trace::Mistake{width_column, "width", mnemonic + " needs addresses, and has none"};
  known.is_generic = sass->is_generic;
  set_sources(code, sources);
  return add(std::move(known), code);
}

/// Sources fill the operands of the models in order; LDGSTS has its shared address first.
void InstructionReader::set_sources(CodeLine& line, const std::vector<NamedRegister>& sources) {
  const isa::OpcodeInfo& info = isa::opcode_info(line.instruction.opcode);
  std::vector<std::size_t> operands;
  for (std::size_t i = 0; i < info.src_registers.size(); ++i)
    if (info.src_registers[i] > 0) operands.push_back(i);
  std::size_t taken = 0;
  for (const NamedRegister& source : sources) {
    // Descriptors of products lie between their registers; elsewhere each source has its operand.
    const bool has_operand = source.is_vector || info.effect != isa::Effect::kGroupMma;
    if (!has_operand) continue;
    if (taken == operands.size()) {
      if (source.is_vector && source.number != isa::kZeroRegister) ++dropped_sources_;
      continue;
    }
    if (source.is_vector)
      line.instruction.src[operands[taken]] = static_cast<isa::Register>(source.number);
    ++taken;
  }
  if (info.effect == isa::Effect::kCopyGlobalToShared && taken == 2)
    std::swap(line.instruction.src[0], line.instruction.src[1]);
}

int InstructionReader::add(Known known, const CodeLine& line) {
  const int entry = static_cast<int>(known_.size());
  if (known.code >= 0) known.code = recording_.add_code(line);
  int& first = first_at_.try_emplace(known.pc, kNone).first->second;
  known.other = first;
  first = entry;
  known_.push_back(std::move(known));
  lines_.push_back(line);
  return entry;
}

/// The variant of `entry`: a generic operation for global (0) or shared memory (1), or one at the
/// barrier of that number.
int InstructionReader::variant(int entry, int kind) {
  const Known& known = known_[static_cast<std::size_t>(entry)];
  if (known.kind == kind) return entry;
  for (int other = first_at_.at(known.pc); other != kNone;
       other = known_[static_cast<std::size_t>(other)].other) {
    const Known& candidate = known_[static_cast<std::size_t>(other)];
    if (candidate.text == known.text && candidate.kind == kind) return other;
  }
  Known added = known;
  added.kind = kind;
  CodeLine line = lines_[static_cast<std::size_t>(entry)];
  if (known.is_generic)
    line.instruction.opcode = kind == 1 ? in_shared_memory(line.sass.opcode) : line.sass.opcode;
  else
    line.instruction.immediate =
        isa::immediate_of({kind, isa::named_barrier(line.instruction.immediate).warps});
  return add(std::move(added), line);
}

void InstructionReader::read_addresses(Fields& fields, std::uint32_t lanes) {
  const auto first = static_cast<std::size_t>(std::countr_zero(lanes));
  switch (fields.take_decimal("address mode", 0, 2)) {
    case 0:
      for (std::size_t lane = first; lane < addresses_.size(); ++lane)
        if (has(lanes, lane)) addresses_[lane] = take_address(fields);
      break;
    case 1: {
      const std::int64_t base = take_address(fields);
      const std::int64_t stride = take_step(fields, "stride");
      for (std::size_t lane = first; lane < addresses_.size(); ++lane) {
        if (!has(lanes, lane)) continue;
        addresses_[lane] = checked(base + stride * static_cast<std::int64_t>(lane - first), fields);
      }
      break;
    }
    default: {
      std::int64_t address = addresses_[first] = take_address(fields);
      for (std::size_t lane = first + 1; lane < addresses_.size(); ++lane) {
        if (!has(lanes, lane)) continue;
        address = checked(address + take_step(fields, "address difference"), fields);
        addresses_[lane] = address;
      }
    }
  }
  if (!fields.at_end()) take_immediate(fields, "immediate");
  if (!header_.has_values()) fields.take_end();
}

/// The text after the width of a copy of TMA: its mbarrier, whether it goes to several CTAs and if
/// so to which, its bytes, the bytes outside the tensor, and the addresses, each of `width` bytes,
/// as a list or by their differences.
ExecutedBox InstructionReader::read_box(Fields& fields, int width) {
  ExecutedBox box;
  box.barrier = isa::byte_of(static_cast<std::int64_t>(fields.take_hex("mbarrier", kLargestMask)));
  if (fields.take_decimal("multicast", 0, 1) == 1)
    box.ranks = static_cast<std::int64_t>(
        fields.take_hex("CTAs of the multicast", (std::uint64_t{1} << isa::kMostClusterCtas) - 1));
  const int column = fields.column();
  box.box.bytes = static_cast<int>(fields.take_decimal("bytes", 0, kMostBoxBytes));
  fields.take_decimal("bytes outside of the tensor", 0, kMostBoxBytes);
  const bool has_differences = fields.take_decimal("address mode", 3, 4) == 4;
  std::int64_t address = has_differences ? take_address(fields) : 0;
  const std::int64_t count = fields.take_decimal("addresses", 0, kMostBoxBytes);
  if (count * width > box.box.bytes || (count > 0 && width == 0))
    throw trace::Mistake{column, "bytes",
                         "a box of " + std::to_string(box.box.bytes) + " does not have " +
                             std::to_string(count) + " addresses with " + std::to_string(width) +
                             " each"};
  for (std::int64_t i = 0; i < count; ++i) {
    if (!has_differences)
      address = take_address(fields);
    else if (i > 0)
      address = checked(address + take_step(fields, "address difference"), fields);
    if (i == 0) box.address = address;
    box.box.append({address - box.address, width});
  }
  return box;
}

/// The value of the second source of a SYNCS, in the form of isa::BarrierOperand.
std::int64_t InstructionReader::read_value(Fields& fields, const Known& known, const CodeLine& line,
                                           int lane) const {
  const isa::Effect effect = line.effect();
  const bool has_value = effect == isa::Effect::kInitBarrier ||
                         effect == isa::Effect::kArriveWithBytes ||
                         effect == isa::Effect::kWaitPhase;
  if (!has_value) return 0;
  if (!header_.has_values()) fields.fail("values", "SYNCS needs values from a tracer of version 6");
  std::string_view word = fields.take_word("immediate or values");
  if (word != "Val" && word != "NoVal") word = fields.take_word("values");
  if (word != "Val")
    fields.fail("values",
                "SYNCS needs the values of its registers: record with ALLOW_REG_VAL_TRACING=1");
  std::uint64_t value = 0;
  for (int i = 0; i <= known.destinations + 1; ++i) {
    value = take_value(fields, lane);
  }
  switch (effect) {
    case isa::Effect::kInitBarrier:
      return arrivals_of(value);
    case isa::Effect::kWaitPhase:
      return value != 0 ? 1 : 0;
    default:
      return static_cast<std::int64_t>(value & kLargestMask);
  }
}

/// The lanes of `lanes` that are in the generic window of shared memory; their addresses become
/// offsets into it.
std::uint32_t InstructionReader::take_out_shared_base(std::uint32_t lanes) {
  const auto base = static_cast<std::int64_t>(header_.shared_base());
  const auto end = static_cast<std::int64_t>(header_.shared_end());
  std::uint32_t inside = 0;
  for (std::size_t lane = 0; lane < addresses_.size(); ++lane) {
    if (!has(lanes, lane) || addresses_[lane] < base || addresses_[lane] >= end) continue;
    addresses_[lane] -= base;
    inside |= std::uint32_t{1} << lane;
  }
  return inside;
}

}  // namespace tcsim::traceg
