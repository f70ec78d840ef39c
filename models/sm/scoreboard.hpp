#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "models/isa/cycle.hpp"
#include "models/sm/kernel.hpp"

namespace tcsim::sm {

/// Register scoreboard of one warp, for programs without control bits (HUE25 compares such models).
/// An instruction waits for the results that its operands name and for older instructions that
/// still read the registers it writes. Uniform registers and predicates have fixed latencies only.
class Scoreboard {
 public:
  /// The cycle from which `next` may issue; kNever while it depends on an event.
  Cycle earliest(const DecodedInstruction& next) const {
    Cycle at = 0;
    for_each_source(next, [&](std::size_t r) { at = std::max(at, written_[r]); });
    for_each_destination(next, [&](std::size_t r) {
      const Cycle older = written_[r] == kNever ? kNever : written_[r] - next.latency + 1;
      at = std::max(at, readers_[r] != 0 ? kNever : older);
    });
    for (int operand = 0; operand < isa::kSourceOperands; ++operand) {
      if (const int s = scalar_source(next, operand); s != isa::kNoIndex)
        at = std::max(at, scalar_written_[static_cast<std::size_t>(s)]);
    }
    if (const int s = scalar_destination(next); s != isa::kNoIndex)
      at = std::max(at, scalar_written_[static_cast<std::size_t>(s)] - next.latency + 1);
    return at;
  }

  /// `issued` issues at `now`. Its results are available after its latency, or when `loaded` is
  /// called; the sources of a memory operation are in use until `sources_read` is called.
  void issue(const DecodedInstruction& issued, Cycle now) {
    const Cycle done = issued.fixed_latency ? now + issued.latency : kNever;
    for_each_destination(issued, [&](std::size_t r) { written_[r] = done; });
    if (const int s = scalar_destination(issued); s != isa::kNoIndex)
      scalar_written_[static_cast<std::size_t>(s)] = now + issued.latency;
    if (issued.read_counter != isa::ControlBits::kNoCounter)
      for_each_source(issued, [&](std::size_t r) { ++readers_[r]; });
  }
  void loaded(const DecodedInstruction& done, Cycle now) {
    for_each_destination(done, [&](std::size_t r) { written_[r] = now; });
  }
  void sources_read(const DecodedInstruction& done) {
    for_each_source(done, [&](std::size_t r) { --readers_[r]; });
  }

 private:
  static int scalar_source(const DecodedInstruction& instruction, int operand) {
    return isa::scalar_number(isa::scalar_source_file(instruction.opcode, operand),
                              instruction.src[static_cast<std::size_t>(operand)]);
  }
  static int scalar_destination(const DecodedInstruction& instruction) {
    return isa::scalar_number(isa::scalar_destination_file(instruction.opcode), instruction.dst);
  }
  template <typename Action>
  static void for_each(isa::Register first, int count, Action action) {
    const int end = std::min<int>(first + count, isa::kZeroRegister);
    for (int r = first; r < end; ++r) action(static_cast<std::size_t>(r));
  }
  template <typename Action>
  static void for_each_source(const DecodedInstruction& instruction, Action action) {
    const isa::OpcodeInfo& info = isa::opcode_info(instruction.opcode);
    for (std::size_t operand = 0; operand < instruction.src.size(); ++operand)
      for_each(instruction.src[operand], info.src_registers[operand], action);
  }
  template <typename Action>
  static void for_each_destination(const DecodedInstruction& instruction, Action action) {
    for_each(instruction.dst, instruction.dst_registers, action);
  }

  std::array<Cycle, isa::kZeroRegister> written_{};
  std::array<std::uint16_t, isa::kZeroRegister> readers_{};
  std::array<Cycle, isa::kScalars> scalar_written_{};
};

}  // namespace tcsim::sm
