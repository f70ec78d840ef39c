#include "models/isa/scheduling/place_reuse.hpp"

#include <algorithm>

#include "models/isa/operands.hpp"

namespace tcsim::isa {
namespace {

constexpr int kMostReused = 2;  // registers of an operand: one per bank (HUE25)

/// Queued operations read later; MMA fragments do not fit into the cache.
bool reads_in_window(const Instruction& instruction) {
  const OpcodeInfo& info = opcode_info(instruction.opcode);
  if (reads_from_queue(info.pipe) || info.pipe == Pipe::kTensor) return false;
  return std::ranges::any_of(info.src_registers, [](int width) { return width > 0; });
}

bool overlaps(const RegisterRange& a, const RegisterRange& b) {
  return a.count > 0 && b.count > 0 && a.first < b.end() && b.first < a.end();
}

class ReuseSearch {
 public:
  explicit ReuseSearch(WarpProgram& program) : program_(program) {}

  void run() {
    for (std::size_t i = 0; i < program_.instructions.size(); ++i) {
      Instruction& instruction = program_.instructions[i];
      instruction.control.reuse_mask = 0;
      if (!reads_in_window(instruction)) continue;
      const std::size_t reader = next_reader(i);
      for (int operand = 0; operand < ControlBits::kReusableSources; ++operand) {
        if (is_read_again(i, reader, operand))
          instruction.control.reuse_mask |= static_cast<std::uint8_t>(1U << operand);
      }
    }
  }

 private:
  [[nodiscard]] bool begins_loop(std::size_t position) const {
    return std::ranges::any_of(program_.loops, [position](const Loop& loop) {
      return loop.first == static_cast<int>(position);
    });
  }

  /// The next instruction that reads in the window, or the end if control flow or an MMA comes
  /// first.
  [[nodiscard]] std::size_t next_reader(std::size_t from) const {
    const std::size_t end = program_.instructions.size();
    for (std::size_t i = from + 1; i < end && !begins_loop(i); ++i) {
      const Instruction& instruction = program_.instructions[i];
      const Opcode opcode = instruction.opcode;
      const bool is_filler = opcode == Opcode::kNop;
      if (opcode_info(opcode).pipe == Pipe::kControl && !is_filler) return end;
      if (is_mma(opcode) || is_group_mma(opcode)) return end;
      if (reads_in_window(instruction)) return i;
    }
    return end;
  }

  [[nodiscard]] bool is_read_again(std::size_t from, std::size_t reader, int operand) const {
    if (reader == program_.instructions.size()) return false;
    const RegisterRange read = source_registers(program_.instructions[from], operand);
    if (read.count == 0 || read.count > kMostReused) return false;
    if (source_registers(program_.instructions[reader], operand) != read) return false;
    for (std::size_t i = from; i < reader; ++i) {
      if (overlaps(destination_registers(program_.instructions[i]), read)) return false;
    }
    return true;
  }

  WarpProgram& program_;
};

}  // namespace

void place_reuse(WarpProgram& program) { ReuseSearch(program).run(); }

}  // namespace tcsim::isa
