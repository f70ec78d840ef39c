#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "models/isa/launch.hpp"

namespace tcsim::test {

using isa::Expression;
using isa::Opcode;
using isa::Variable;

/// Sets the fields of an instruction in a chain; valid within one statement.
class InstructionEdit {
 public:
  explicit InstructionEdit(isa::Instruction& instruction) : instruction_(instruction) {}

  InstructionEdit& dst(int first) { return set(instruction_.dst, first); }
  InstructionEdit& src(int a, int b = isa::kZeroRegister, int c = isa::kZeroRegister) {
    set(instruction_.src[0], a);
    set(instruction_.src[1], b);
    return set(instruction_.src[2], c);
  }
  InstructionEdit& stall(int cycles) { return set(instruction_.control.stall, cycles); }
  InstructionEdit& yield() { return set(instruction_.control.yield, 1); }
  /// Counts `counter` up until the results are written.
  InstructionEdit& writes(int counter) { return set(instruction_.control.write_counter, counter); }
  /// Counts `counter` up until the sources are read.
  InstructionEdit& reads(int counter) { return set(instruction_.control.read_counter, counter); }
  /// Waits for `counter` to be zero.
  InstructionEdit& waits(int counter) {
    return set(instruction_.control.wait_mask, instruction_.control.wait_mask | 1 << counter);
  }
  /// Bit i: source i stays in the register-file cache.
  InstructionEdit& reuse(int mask) { return set(instruction_.control.reuse_mask, mask); }
  InstructionEdit& guard(int index) {
    instruction_.guard = index;
    return *this;
  }
  /// The last source is the constant at byte `offset`.
  InstructionEdit& constant(int offset) {
    instruction_.has_constant = true;
    return immediate(offset);
  }
  InstructionEdit& immediate(int value) {
    instruction_.immediate = value;
    return *this;
  }

 private:
  template <typename Field>
  InstructionEdit& set(Field& field, int value) {
    field = static_cast<Field>(value);
    return *this;
  }

  isa::Instruction& instruction_;
};

/// Builds a warp program line by line. Control bits are set by hand; the default is stall 1, no
/// counters.
class ProgramBuilder {
 public:
  explicit ProgramBuilder(std::string name = "main") { program_.name = std::move(name); }

  InstructionEdit op(Opcode opcode) {
    isa::Instruction& instruction = program_.instructions.emplace_back();
    instruction.opcode = opcode;
    instruction.control.stall = 1;
    return InstructionEdit(instruction);
  }
  /// `opcode` at `offset` of shared memory.
  InstructionEdit shared(Opcode opcode, const Expression& offset, isa::Swizzle swizzle = {}) {
    isa::MemoryAccess access;
    access.shared = {offset, swizzle};
    return memory(opcode, access);
  }
  /// `opcode` at `offset` of the constants.
  InstructionEdit constant_load(Opcode opcode, const Expression& offset) {
    return shared(opcode, offset);
  }
  /// `opcode` at `offset` of buffer 0; `to` is the shared offset of a copy.
  InstructionEdit global(Opcode opcode, const Expression& offset, const Expression& to = {}) {
    isa::MemoryAccess access;
    access.buffer = 0;
    access.global.offset = offset;
    access.shared.offset = to;
    return memory(opcode, access);
  }
  /// The last access reads only for lanes with `expression` < `limit`; other lanes write zeros.
  void source(const Expression& expression, std::int64_t limit) {
    program_.accesses.back().source.bounds.push_back({expression, limit});
  }
  /// Only lanes with `expression` < `limit`.
  int guard(const Expression& expression, std::int64_t limit) {
    program_.guards.push_back({{{expression, limit}}});
    return static_cast<int>(program_.guards.size()) - 1;
  }
  /// Opens a loop inside `depth` others; close it with end_loop of the returned number.
  int begin_loop(int depth, const Expression& trips) {
    program_.loops.push_back({static_cast<int>(program_.instructions.size()), 0, depth, trips});
    return static_cast<int>(program_.loops.size()) - 1;
  }
  InstructionEdit end_loop(int loop) {
    program_.loops[static_cast<std::size_t>(loop)].last =
        static_cast<int>(program_.instructions.size());
    return op(Opcode::kBra).immediate(loop);
  }

  const isa::WarpProgram& program() const { return program_; }

 private:
  InstructionEdit memory(Opcode opcode, const isa::MemoryAccess& access) {
    program_.accesses.push_back(access);
    isa::Instruction& instruction = program_.instructions.emplace_back();
    instruction.opcode = opcode;
    instruction.access = static_cast<int>(program_.accesses.size()) - 1;
    instruction.control.stall = 1;
    return InstructionEdit(instruction);
  }

  isa::WarpProgram program_;
};

/// stride * lane.
inline Expression per_lane(std::int64_t stride, std::int64_t constant = 0) {
  return {constant, {{Variable::kLane, stride}}};
}

/// One EXIT.
inline isa::WarpProgram exit_only() {
  ProgramBuilder program("exit");
  program.op(Opcode::kExit);
  return program.program();
}

inline constexpr std::uint64_t kBuffer = std::uint64_t{1}
                                         << 30;  // address of the buffer of make_launch

/// A launch of `ctas` CTAs whose warps run programs[program_of_warp[i]], with one buffer of a
/// gigabyte.
inline isa::KernelLaunch make_launch(std::vector<isa::WarpProgram> programs,
                                     std::vector<int> program_of_warp, std::int64_t ctas = 1) {
  isa::KernelLaunch launch;
  launch.name = "test";
  launch.grid = {ctas, 1, 1};
  launch.warps_per_cta = static_cast<int>(program_of_warp.size());
  launch.registers_per_thread = 64;
  launch.shared_bytes_per_cta = 16 * 1024;
  launch.buffers = {{"data", kBuffer, std::uint64_t{1} << 30, true}};
  launch.programs = std::move(programs);
  launch.program_of_warp = std::move(program_of_warp);
  return launch;
}

/// One CTA of one warp that runs `program`.
inline isa::KernelLaunch single_warp(const ProgramBuilder& program) {
  return make_launch({program.program()}, {0});
}

/// One CTA in which the warps listed in `active` run `program` and all lower warps exit at once.
inline isa::KernelLaunch on_warps(const ProgramBuilder& program,
                                  std::initializer_list<int> active) {
  int warps = 0;
  for (const int warp : active) warps = std::max(warps, warp + 1);
  std::vector<int> program_of_warp(static_cast<std::size_t>(warps), 1);
  for (const int warp : active) program_of_warp[static_cast<std::size_t>(warp)] = 0;
  return make_launch({program.program(), exit_only()}, program_of_warp);
}

}  // namespace tcsim::test
