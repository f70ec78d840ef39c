#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/isa/program.hpp"

namespace tcsim::isa {

/// A moment of one static instruction at an unknown time after its issue: results written or
/// sources read. Two events per instruction, numbered so that they sort in program order.
using Event = int;
constexpr Event write_event(int instruction) { return 2 * instruction; }
constexpr Event read_event(int instruction) { return 2 * instruction + 1; }
constexpr int instruction_of(Event event) { return event / 2; }
constexpr bool is_write(Event event) { return event % 2 == 0; }

/// True when `instruction` has this event: a queued operation that writes (or reads) registers.
bool has_write_event(const Instruction& instruction);
bool has_read_event(const Instruction& instruction);

/// The events that may still be outstanding at one point of a program, with the registers that they
/// hold.
class OutstandingEvents {
 public:
  /// `program` must outlive this object and must not change.
  explicit OutstandingEvents(const WarpProgram& program);

  [[nodiscard]] bool contains(Event event) const { return outstanding_[event] != 0; }
  void add(Event event);
  /// `event` has happened. Written results imply read sources, so a write also finishes the
  /// instruction's read.
  void finish(Event event);

  /// The events that must have happened before `instruction` issues: writes of its sources (RAW),
  /// writes (WAW) and reads (WAR) of its destination. Group MMAs need none of one another, since
  /// their queue keeps their order. Without duplicates.
  const std::vector<Event>& needed_by(const Instruction& instruction);

  /// Everything outstanding, in program order.
  [[nodiscard]] std::vector<Event> snapshot() const;

 private:
  void collect(std::vector<Event>& holders);
  void add_holder(Event event);

  const WarpProgram& program_;
  std::vector<std::uint8_t> outstanding_;
  std::vector<Event> order_;  ///< may hold finished events; compacted when they predominate
  std::size_t live_ = 0;
  std::array<std::vector<Event>, kZeroRegister>
      writers_;  ///< per register; may hold finished events
  std::array<std::vector<Event>, kZeroRegister> readers_;
  std::vector<Event> needed_;
};

}  // namespace tcsim::isa
