#include "models/isa/scheduling/event_uses.hpp"

#include <algorithm>

namespace tcsim::isa {
namespace {

void note_use(EventUse& use, Event event, int position, const WarpProgram& program,
              const LoopMap& loops, const std::vector<Cycle>& planned) {
  const int producer = instruction_of(event);
  EventUse candidate{position, planned[position] - planned[producer], kNoIndex};
  if (position <= producer) {
    candidate.carried_by = loops.common(position, producer);
    const Loop& loop = program.loops[candidate.carried_by];
    candidate.distance += planned[loop.last + 1] - planned[loop.first];
  }
  if (candidate.distance < use.distance) use = candidate;
}

/// NOPs count as zero, so that fillers do not change the plan when a program is assembled again.
Cycle planned_interval(Opcode opcode, const TimingTable& timing) {
  if (opcode == Opcode::kNop) return 0;
  if (!opcode_info(opcode).fixed_latency) return 1;
  return std::max(1, timing[static_cast<int>(opcode)].issue_interval);
}

}  // namespace

std::vector<Cycle> planned_cycles(const WarpProgram& program, const TimingTable& timing) {
  std::vector<Cycle> planned{0};
  planned.reserve(program.instructions.size() + 1);
  for (const Instruction& instruction : program.instructions) {
    planned.push_back(planned.back() + planned_interval(instruction.opcode, timing));
  }
  return planned;
}

std::vector<EventUse> find_event_uses(const WarpProgram& program, const LoopMap& loops,
                                      const std::vector<Cycle>& planned) {
  const int size = static_cast<int>(program.instructions.size());
  std::vector<EventUse> uses(2 * program.instructions.size());
  std::vector<std::vector<Event>> carried(program.loops.size());
  std::vector<std::vector<Event>> skipped(
      program.loops.size());  // open on the path that skips a loop
  for (bool changed = true; changed;) {
    changed = false;
    OutstandingEvents outstanding(program);
    for (int i = 0; i < size; ++i) {
      const Instruction& instruction = program.instructions[i];
      for (const int loop : loops.starting_at(i)) {
        for (const Event event : carried[loop]) outstanding.add(event);
      }
      for (const Event event : outstanding.needed_by(instruction)) {
        note_use(uses[event], event, i, program, loops, planned);
        outstanding.finish(event);
      }
      if (has_write_event(instruction)) outstanding.add(write_event(i));
      if (has_read_event(instruction)) outstanding.add(read_event(i));
      if (instruction.opcode == Opcode::kBraSkip)
        skipped[instruction.immediate] = outstanding.snapshot();
      if (const int loop = loops.ending_at(i); loop != kNoIndex) {
        // What one iteration leaves behind never shrinks when more comes in: every wait is for a
        // register that the instruction uses, whatever else is outstanding. So the passes
        // terminate.
        std::vector<Event> left = outstanding.snapshot();
        changed = changed || left != carried[loop];
        carried[loop] = std::move(left);
        for (const Event event : skipped[loop]) outstanding.add(event);
      }
    }
  }
  return uses;
}

}  // namespace tcsim::isa
