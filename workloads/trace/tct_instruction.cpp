#include "workloads/trace/tct_instruction.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "models/isa/group_mma.hpp"
#include "models/isa/name_text.hpp"
#include "models/isa/operands.hpp"
#include "models/isa/shaped_mma.hpp"
#include "sim/files/nearest.hpp"
#include "sim/files/shown_text.hpp"
#include "workloads/trace/canonical.hpp"
#include "workloads/trace/tct_async.hpp"

namespace tcsim::trace {
namespace {

using isa::Effect;
using isa::Instruction;
using isa::kNoIndex;
using isa::kZeroRegister;
using isa::Opcode;
using isa::Register;

constexpr std::int64_t kLargestLiteral = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kSmallestLiteral = std::numeric_limits<std::int32_t>::min();

/// "1, 128": barrier 1 for 128 threads.
std::string barrier_text(const Instruction& instruction) {
  const isa::NamedBarrier named = isa::named_barrier(instruction.immediate);
  const std::string number = std::to_string(named.number);
  return named.warps == 0 ? number : number + ", " + std::to_string(isa::kLanes * named.warps);
}

std::int32_t take_barrier(Cursor& cursor) {
  isa::NamedBarrier named;
  named.number = static_cast<int>(cursor.take_unsigned("barrier", isa::kNamedBarriers - 1));
  if (!cursor.accept(",")) return isa::immediate_of(named);
  const int column = cursor.column();
  const auto threads = static_cast<int>(cursor.take_unsigned("threads", isa::kMostThreads));
  if (threads == 0 || threads % isa::kLanes != 0)
    throw Mistake{column, "threads", "expected a multiple of 32"};
  named.warps = threads / isa::kLanes;
  return isa::immediate_of(named);
}

bool takes_number(Effect effect) {
  return isa::is_named_barrier(effect) || effect == Effect::kWaitCopyGroups ||
         effect == Effect::kWaitGroupMmas || effect == Effect::kSetRegisters;
}

std::string address_register_text(Register r) {
  return r == kZeroRegister ? "" : register_text(r) + ": ";
}

std::string zero_fill_text(const isa::Guard& source) {
  return source.bounds.empty() ? "" : " zfill" + guard_text(source);
}

/// The space of shared addresses of `opcode`: of its CTA, of its cluster, or constants.
std::string_view shared_space(Opcode opcode) {
  if (addresses_constants(opcode)) return "const";
  return isa::addresses_cluster(isa::opcode_info(opcode).effect) ? "dsmem" : "smem";
}

std::string access_text(const isa::KernelLaunch& launch, const isa::MemoryAccess& access,
                        const Instruction& instruction) {
  const bool global = addresses_global(instruction.opcode);
  const bool shared = addresses_shared(instruction.opcode);
  const bool constant = addresses_constants(instruction.opcode);
  std::string text;
  if (global) {
    text += "[" + address_register_text(instruction.src[0]) +
            isa::name_text(launch.buffers[access.buffer].name) + added_text(access.global.offset) +
            "]" + swizzle_text(access.global.swizzle);
  }
  if (shared || constant) {
    const Register address = instruction.src[global ? 1 : 0];
    text += (global ? " -> " : "") + std::string(shared_space(instruction.opcode)) + "[" +
            address_register_text(address) + expression_text(access.shared.offset) + "]" +
            swizzle_text(access.shared.swizzle);
  }
  return text + zero_fill_text(access.source);
}

/// The operands of a memory operation, in the order of the line.
std::vector<std::string> memory_operands(const isa::KernelLaunch& launch,
                                         const isa::WarpProgram& program,
                                         const Instruction& instruction) {
  const isa::OpcodeInfo& info = isa::opcode_info(instruction.opcode);
  std::vector<std::string> operands;
  if (info.dst_registers > 0) operands.push_back(register_text(instruction.dst));
  operands.push_back(access_text(launch, program.accesses[instruction.access], instruction));
  if (isa::carries_data(info.effect)) {
    operands.push_back(register_text(instruction.src[1]));
    if (info.src_registers[2] > 0) operands.push_back(register_text(instruction.src[2]));
  }
  return operands;
}

/// A literal, or a constant as c[BYTE].
std::string immediate_text(const Instruction& instruction) {
  const std::string number = std::to_string(instruction.immediate);
  return instruction.has_constant ? "c[" + number + "]" : number;
}

std::vector<std::string> register_operands(const Instruction& instruction) {
  const isa::OpcodeInfo& info = isa::opcode_info(instruction.opcode);
  const int literal = literal_operand(instruction.opcode);
  std::vector<std::string> operands;
  if (info.dst_registers > 0) operands.push_back(register_text(instruction.dst));
  for (int s = 0; s < static_cast<int>(instruction.src.size()); ++s) {
    if (info.src_registers[s] == 0) continue;
    const bool is_replaced = instruction.has_immediate || instruction.has_constant;
    operands.push_back(is_replaced && s == literal ? immediate_text(instruction)
                                                   : register_text(instruction.src[s]));
  }
  if (takes_number(info.effect))
    operands.push_back(isa::is_named_barrier(info.effect) ? barrier_text(instruction)
                                                          : std::to_string(instruction.immediate));
  return operands;
}

/// " imm=3": an immediate that is part of no operand. " lit=3": the same, marked as a literal.
std::string loose_immediate_text(const Instruction& instruction) {
  if (takes_number(isa::opcode_info(instruction.opcode).effect)) {
    return instruction.has_immediate ? " lit" : "";
  }
  if (instruction.has_immediate || instruction.has_constant) {
    if (literal_operand(instruction.opcode) != kNoIndex) return {};
    return (instruction.has_constant ? " const=" : " lit=") + std::to_string(instruction.immediate);
  }
  return instruction.immediate == 0 ? "" : " imm=" + std::to_string(instruction.immediate);
}

/// "R2: " if there is a register, else RZ.
Register take_address_register(Cursor& cursor, const LineContext& context, int width) {
  const std::string_view word = cursor.word();
  Cursor ahead = cursor;
  if (word.empty() || !ahead.accept(word) || !ahead.sees(":")) return kZeroRegister;
  const Register result = take_register(cursor, context, width);
  cursor.take(":", "address");
  return result;
}

isa::MemoryAccess take_access(Cursor& cursor, const LineContext& context,
                              Instruction& instruction) {
  const isa::OpcodeInfo& info = isa::opcode_info(instruction.opcode);
  const bool global = addresses_global(instruction.opcode);
  isa::MemoryAccess access;
  if (global) {
    cursor.take("[", "address");
    instruction.src[0] = take_address_register(cursor, context, info.src_registers[0]);
    access.buffer = take_index(cursor, context.launch.buffers, "buffer");
    access.global.offset = parse_added(cursor, context.ranges, ']');
    cursor.take("]", "address");
    access.global.swizzle = parse_swizzle(cursor);
  }
  const bool constant = addresses_constants(instruction.opcode);
  if (addresses_shared(instruction.opcode) || constant) {
    if (global) cursor.take("->", "address");
    cursor.take(shared_space(instruction.opcode), "address");
    cursor.take("[", "address");
    const int operand = global ? 1 : 0;
    instruction.src[operand] = take_address_register(cursor, context, info.src_registers[operand]);
    access.shared.offset = parse_expression(cursor, context.ranges);
    cursor.take("]", "address");
    access.shared.swizzle = parse_swizzle(cursor);
  }
  if (copies(instruction.opcode) && cursor.accept("zfill"))
    access.source = parse_guard(cursor, context.ranges);
  return access;
}

void take_memory_operands(Cursor& cursor, const LineContext& context, ProgramTables& tables,
                          Instruction& instruction) {
  const isa::OpcodeInfo& info = isa::opcode_info(instruction.opcode);
  if (info.dst_registers > 0) {
    instruction.dst = take_register(cursor, context, info.dst_registers);
    cursor.take(",", "operand");
  }
  instruction.access = tables.number(take_access(cursor, context, instruction));
  if (!isa::carries_data(info.effect)) return;
  for (int operand = 1; operand < isa::kSourceOperands; ++operand) {
    if (info.src_registers[operand] == 0) continue;
    cursor.take(",", "operand");
    instruction.src[operand] = take_register(cursor, context, info.src_registers[operand]);
  }
}

void take_literal(Cursor& cursor, Instruction& instruction) {
  instruction.immediate =
      static_cast<std::int32_t>(cursor.take_integer("literal", kSmallestLiteral, kLargestLiteral));
  instruction.has_immediate = true;
}

void take_constant(Cursor& cursor, Instruction& instruction) {
  instruction.immediate =
      static_cast<std::int32_t>(cursor.take_unsigned("constant", isa::kConstantBytes - 4));
  instruction.has_constant = true;
}

void take_register_operands(Cursor& cursor, const LineContext& context, Instruction& instruction) {
  const isa::OpcodeInfo& info = isa::opcode_info(instruction.opcode);
  bool first = true;
  const auto next = [&] {
    if (!first) cursor.take(",", "operand");
    first = false;
  };
  if (info.dst_registers > 0) {
    next();
    instruction.dst = take_register(cursor, context, info.dst_registers);
  }
  for (int s = 0; s < static_cast<int>(instruction.src.size()); ++s) {
    if (info.src_registers[s] == 0) continue;
    next();
    if (s == literal_operand(instruction.opcode) && (cursor.sees_number() || cursor.sees("-"))) {
      take_literal(cursor, instruction);
    } else if (s == literal_operand(instruction.opcode) && cursor.accept("c[")) {
      take_constant(cursor, instruction);
      cursor.take("]", "constant");
    } else {
      instruction.src[s] = take_register(cursor, context, info.src_registers[s]);
    }
  }
  if (isa::is_named_barrier(info.effect))
    instruction.immediate = take_barrier(cursor);
  else if (takes_number(info.effect))
    instruction.immediate =
        static_cast<std::int32_t>(cursor.take_unsigned("groups", kLargestLiteral));
}

void take_loose_immediate(Cursor& cursor, Instruction& instruction) {
  const bool literal = cursor.sees_word() && cursor.word() == "lit";
  const bool constant = cursor.sees_word() && cursor.word() == "const";
  if (!literal && !constant && cursor.word() != "imm") return;
  const Effect effect = isa::opcode_info(instruction.opcode).effect;
  const bool number_taken = takes_number(effect);
  const bool has_number = instruction.has_immediate || instruction.has_constant;
  if (has_number || (number_taken && !literal)) {
    cursor.fail("operand", "the instruction has its number already");
  }
  if ((literal || constant) && literal_operand(instruction.opcode) != kNoIndex)
    cursor.fail("operand",
                "a literal, or a constant as c[BYTE], takes the place of the last source");
  if ((literal || constant) && effect == Effect::kSkipLoop)
    cursor.fail("operand", "a branch has the number of its loop, imm=N");
  cursor.accept(cursor.word());
  if (!number_taken) {
    cursor.take("=", "operand");
    if (constant) return take_constant(cursor, instruction);
    take_literal(cursor, instruction);
  }
  instruction.has_immediate = literal;
}

std::string scalar_name(isa::ScalarFile file, Register number) {
  const bool is_uniform = file == isa::ScalarFile::kUniform;
  if (number >= isa::scalar_registers(file)) return is_uniform ? "URZ" : "PT";
  return (is_uniform ? "UR" : "P") + std::to_string(number);
}

Register take_scalar(Cursor& cursor, isa::ScalarFile file) {
  const int column = cursor.column();
  const std::string word(cursor.take_word("register"));
  if (word == scalar_name(file, kZeroRegister)) return kZeroRegister;
  for (int number = 0; number < isa::scalar_registers(file); ++number) {
    if (word == scalar_name(file, static_cast<Register>(number)))
      return static_cast<Register>(number);
  }
  const auto last = static_cast<Register>(isa::scalar_registers(file) - 1);
  throw Mistake{column, "register",
                "expected " + scalar_name(file, 0) + " to " + scalar_name(file, last) + " or " +
                    scalar_name(file, kZeroRegister) + ", got '" + word + "'"};
}

/// "sets=UR4", "uses=UR4,UR5", each at most once and in this order.
void take_scalars(Cursor& cursor, Instruction& instruction) {
  const auto opens = [&cursor](std::string_view word) {
    if (!cursor.sees_word() || cursor.word() != word) return false;
    cursor.accept(word);
    cursor.take("=", "register");
    return true;
  };
  if (opens("sets")) {
    const isa::ScalarFile file = isa::scalar_destination_file(instruction.opcode);
    if (file == isa::ScalarFile::kNone)
      cursor.fail("register", "the instruction sets no uniform register or predicate");
    instruction.dst = take_scalar(cursor, file);
  }
  if (!opens("uses")) return;
  bool first = true;
  for (int operand = 0; operand < isa::kSourceOperands; ++operand) {
    const isa::ScalarFile file = isa::scalar_source_file(instruction.opcode, operand);
    if (file == isa::ScalarFile::kNone) continue;
    if (!first && !cursor.accept(",")) return;
    instruction.src[operand] = take_scalar(cursor, file);
    first = false;
  }
  if (first) cursor.fail("register", "the instruction uses no uniform register or predicate");
}

int take_counter(Cursor& cursor, std::string_view what) {
  if (cursor.accept("-")) return isa::ControlBits::kNoCounter;
  return static_cast<int>(cursor.take_unsigned(what, isa::kDependenceCounters - 1));
}

void take_control(Cursor& cursor, isa::ControlBits& control) {
  constexpr int kMostStall = 15;
  constexpr int kAllCounters = (1 << isa::kDependenceCounters) - 1;
  constexpr int kAllSources = (1 << isa::ControlBits::kReusableSources) - 1;
  static const std::vector<std::string_view> fields{"stall", "wait", "wr", "rd", "reuse", "yield"};
  std::vector<std::string_view> seen;
  while (!cursor.accept("}")) {
    const int column = cursor.column();
    const std::string_view field = cursor.take_word("control");
    const auto fail = [&](const std::string& reason) {
      throw Mistake{column, "control", files::shown(field) + reason};
    };
    if (std::ranges::find(seen, field) != seen.end()) fail(" is given twice");
    seen.push_back(field);
    if (field == "yield") {
      control.yield = true;
      continue;
    }
    if (std::ranges::find(fields, field) == fields.end()) {
      fail(" is not a control field" + files::did_you_mean(field, fields));
    }
    cursor.take("=", "control");
    int value = 0;
    if (field == "stall") {
      value = static_cast<int>(cursor.take_unsigned("stall", kMostStall));
      control.stall = static_cast<std::uint8_t>(value);
    } else if (field == "wait") {
      control.wait_mask = static_cast<std::uint8_t>(cursor.take_hex("wait", kAllCounters));
    } else if (field == "wr") {
      control.write_counter = static_cast<std::uint8_t>(take_counter(cursor, "wr"));
    } else if (field == "rd") {
      control.read_counter = static_cast<std::uint8_t>(take_counter(cursor, "rd"));
    } else {
      control.reuse_mask = static_cast<std::uint8_t>(cursor.take_hex("reuse", kAllSources));
    }
  }
}

/// What a shape that is not an MMA lacks, or the nearest opcode.
std::string hint_for(std::string_view mnemonic) {
  const std::string shape = isa::why_no_shaped_mma(mnemonic);
  if (!shape.empty()) return ": " + shape;
  const std::string width = isa::why_no_group_mma(mnemonic);
  if (!width.empty()) return ": " + width;
  std::vector<std::string_view> names;
  for (int i = 0; i < isa::opcode_count(); ++i)
    names.push_back(isa::opcode_info(static_cast<Opcode>(i)).mnemonic);
  return files::did_you_mean(mnemonic, names);
}

}  // namespace

std::string register_text(Register r) {
  return r == kZeroRegister ? "RZ" : "R" + std::to_string(r);
}

Register take_register(Cursor& cursor, const LineContext& context, int width) {
  const int column = cursor.column();
  const std::string_view word = cursor.word();
  if (word == "RZ") {
    cursor.accept("RZ");
    return kZeroRegister;
  }
  const bool is_register =
      word.size() > 1 && word.size() < 5 && word[0] == 'R' && (word[1] != '0' || word == "R0") &&
      std::ranges::all_of(word.substr(1), [](char c) { return c >= '0' && c <= '9'; });
  if (!is_register) {
    throw Mistake{column, "register", "expected R0 to R254 or RZ, got " + cursor.seen()};
  }
  cursor.accept(word);
  const int number = std::stoi(std::string(word.substr(1)));
  const int last = number + std::max(width, 1) - 1;
  const int registers = std::min<int>(
      kZeroRegister, std::max(context.launch.registers_per_thread, context.raised_registers));
  if (last >= registers) {
    throw Mistake{column, "register",
                  std::string(word) + (width > 1 ? " of " + std::to_string(width) : "") +
                      " reaches R" + std::to_string(last) + ", the kernel has " +
                      std::to_string(registers) + " registers"};
  }
  return static_cast<Register>(number);
}

std::string scalar_text(const Instruction& instruction) {
  std::string text;
  if (isa::scalar_destination(instruction) != kNoIndex)
    text +=
        " sets=" + scalar_name(isa::scalar_destination_file(instruction.opcode), instruction.dst);
  std::vector<std::string> names;
  std::size_t used = 0;
  for (int operand = 0; operand < isa::kSourceOperands; ++operand) {
    const isa::ScalarFile file = isa::scalar_source_file(instruction.opcode, operand);
    if (file == isa::ScalarFile::kNone) continue;
    names.push_back(scalar_name(file, instruction.src[operand]));
    if (isa::scalar_source(instruction, operand) != kNoIndex) used = names.size();
  }
  for (std::size_t i = 0; i < used; ++i) text += (i == 0 ? " uses=" : ",") + names[i];
  return text;
}

std::string control_text(const isa::ControlBits& control) {
  constexpr std::uint8_t kNone = isa::ControlBits::kNoCounter;
  std::string fields;
  if (control.stall != 0) fields += " stall=" + std::to_string(control.stall);
  if (control.wait_mask != 0) fields += " wait=" + isa::hex_pair(control.wait_mask);
  if (control.write_counter != kNone) fields += " wr=" + std::to_string(control.write_counter);
  if (control.read_counter != kNone) fields += " rd=" + std::to_string(control.read_counter);
  if (control.reuse_mask != 0) fields += " reuse=" + std::to_string(control.reuse_mask);
  if (control.yield) fields += " yield";
  return fields.empty() ? "" : " {" + fields.substr(1) + "}";
}

std::string instruction_guard_text(const isa::WarpProgram& program,
                                   const Instruction& instruction) {
  if (instruction.guard == kNoIndex) return {};
  return " @" + guard_text(program.guards[instruction.guard]);
}

std::string instruction_text(const isa::KernelLaunch& launch, const isa::WarpProgram& program,
                             int index) {
  const Instruction& instruction = program.instructions[index];
  std::string text(isa::opcode_info(instruction.opcode).mnemonic);
  const Effect effect = isa::opcode_info(instruction.opcode).effect;
  const std::vector<std::string> operands =
      isa::is_memory(effect)         ? memory_operands(launch, program, instruction)
      : isa::is_asynchronous(effect) ? async_operands(launch, program, instruction)
                                     : register_operands(instruction);
  for (std::size_t i = 0; i < operands.size(); ++i) text += (i == 0 ? " " : ", ") + operands[i];
  return text + loose_immediate_text(instruction) + scalar_text(instruction) +
         instruction_guard_text(program, instruction) + control_text(instruction.control);
}

Instruction parse_instruction(Cursor& cursor, const LineContext& context, ProgramTables& tables) {
  const int column = cursor.column();
  const std::string_view mnemonic = cursor.take_word("opcode");
  const auto opcode = isa::parse_opcode(mnemonic);
  if (!opcode) {
    throw Mistake{column, "opcode",
                  "unknown opcode " + files::shown(mnemonic) + hint_for(mnemonic)};
  }
  if (*opcode == Opcode::kBra) {
    throw Mistake{column, "opcode", "branches are written as 'loop' and 'end'"};
  }
  Instruction instruction{.opcode = *opcode};
  if (isa::is_memory(*opcode)) {
    take_memory_operands(cursor, context, tables, instruction);
  } else if (isa::is_asynchronous(isa::opcode_info(*opcode).effect)) {
    take_async_operands(cursor, context, tables, instruction);
  } else {
    take_register_operands(cursor, context, instruction);
  }
  take_loose_immediate(cursor, instruction);
  parse_suffix(cursor, context, tables, instruction);
  return instruction;
}

void parse_suffix(Cursor& cursor, const LineContext& context, ProgramTables& tables,
                  Instruction& instruction) {
  take_scalars(cursor, instruction);
  if (cursor.accept("@")) instruction.guard = tables.number(parse_guard(cursor, context.ranges));
  if (cursor.accept("{")) take_control(cursor, instruction.control);
  cursor.take_end();
}

}  // namespace tcsim::trace
