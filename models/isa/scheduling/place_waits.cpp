#include "models/isa/scheduling/place_waits.hpp"

#include <array>

#include "models/isa/scheduling/assign_counters.hpp"
#include "models/isa/scheduling/outstanding_events.hpp"

namespace tcsim::isa {
namespace {

// Counters count to 63 (microarchitecture.md 3.3). Eight are reserved for queued reads, of which a
// sub-core holds five.
constexpr int kMostOpenWrites = 55;

/// Outstanding events that have a counter, with the values of the counters.
class CountedEvents {
 public:
  explicit CountedEvents(const WarpProgram& program) : program_(program), outstanding_(program) {}

  void add(Event event) {
    const std::uint8_t counter = counter_of(program_, event);
    if (counter == ControlBits::kNoCounter || outstanding_.contains(event)) return;
    outstanding_.add(event);
    open_[counter].push_back(event);
    if (is_write(event)) ++open_writes_[counter];
  }

  /// Counters that must be zero before `instruction` issues.
  std::uint8_t needed_by(const Instruction& instruction) {
    unsigned mask = 0;
    for (const Event event : outstanding_.needed_by(instruction)) {
      mask |= 1U << counter_of(program_, event);
    }
    const std::uint8_t own = instruction.control.write_counter;
    if (own != ControlBits::kNoCounter && open_writes_[own] >= kMostOpenWrites) mask |= 1U << own;
    return static_cast<std::uint8_t>(mask);
  }

  void wait(std::uint8_t mask) {
    for (int c = 0; c < kDependenceCounters; ++c) {
      if ((mask >> c & 1) == 0) continue;
      for (const Event event : open_[c]) outstanding_.finish(event);
      open_[c].clear();
      open_writes_[c] = 0;
    }
  }

  [[nodiscard]] std::vector<Event> snapshot() const { return outstanding_.snapshot(); }

 private:
  const WarpProgram& program_;
  OutstandingEvents outstanding_;
  std::array<std::vector<Event>, kDependenceCounters> open_;
  std::array<int, kDependenceCounters> open_writes_{};
};

}  // namespace

void place_waits(WarpProgram& program, const LoopMap& loops) {
  const int size = static_cast<int>(program.instructions.size());
  std::vector<std::vector<Event>> carried(program.loops.size());
  std::vector<std::vector<Event>> skipped(
      program.loops.size());  // open on the path that skips a loop
  bool changed = true;
  for (int pass = 0; changed; ++pass) {
    changed = false;
    CountedEvents events(program);
    for (int i = 0; i < size; ++i) {
      for (const int loop : loops.starting_at(i)) {
        for (const Event event : carried[loop]) events.add(event);
      }
      Instruction& instruction = program.instructions[i];
      instruction.control.wait_mask = events.needed_by(instruction);
      events.wait(instruction.control.wait_mask);
      if (has_write_event(instruction)) events.add(write_event(i));
      if (has_read_event(instruction)) events.add(read_event(i));
      if (instruction.opcode == Opcode::kBraSkip)
        skipped[instruction.immediate] = events.snapshot();
      if (const int loop = loops.ending_at(i); loop != kNoIndex) {
        if (pass >= kGrowingPass) {
          for (const Event event : carried[loop]) events.add(event);
        }
        std::vector<Event> left = events.snapshot();
        changed = changed || left != carried[loop];
        carried[loop] = std::move(left);
        for (const Event event : skipped[loop]) events.add(event);
      }
    }
  }
}

}  // namespace tcsim::isa
