#include "models/isa/scheduling/assign_counters.hpp"

#include <algorithm>
#include <array>
#include <tuple>

namespace tcsim::isa {
namespace {

// Planned durations of events, used only to weigh choices. Other warps and queues lengthen them, so
// on-chip durations are multiplied by four (assumption).
constexpr Cycle kContention = 4;
constexpr Cycle kSourceReadCycles = kContention * 12;  // 9 to 16, microarchitecture.md 5.2
constexpr Cycle kGlobalLoadCycles = 1000;  // DRAM 408 to 657 unloaded, microarchitecture.md 7.2

// With more open writes than this on one counter, others are preferred; counters hold 0 to 63.
constexpr int kComfortableWrites = 40;
constexpr Cycle kCrowded = 1'000'000'000;

/// One thing that happened to a counter, in program order.
struct Record {
  int position;
  bool is_wait;
  Cycle duration;  ///< of the event that was issued
};

/// The state of a counter during the walk over the program.
struct CounterState {
  std::vector<Event> open;  ///< issued and not waited for
  int open_writes = 0;
  Cycle first_wait = kNever;    ///< planned cycle of the next wait
  Cycle last_finish = -kNever;  ///< planned end of the slowest open event
  int last_wait_position = kNoIndex;
  std::vector<Record> records;

  [[nodiscard]] bool is_waited_at(int position) const {
    // A wait takes effect before the events that the same instruction issues.
    const auto record = std::ranges::lower_bound(records, position, {}, &Record::position);
    return record != records.end() && record->position == position && record->is_wait;
  }
};

class CounterWalk {
 public:
  CounterWalk(WarpProgram& program, const LoopMap& loops, const TimingTable& timing)
      : program_(program),
        timing_(timing),
        planned_(planned_cycles(program, timing)),
        uses_(find_event_uses(program, loops, planned_)),
        outstanding_(program) {}

  void run() {
    for (int i = 0; i < static_cast<int>(program_.instructions.size()); ++i) {
      Instruction& instruction = program_.instructions[i];
      wait_before(i);
      instruction.control.write_counter = issue(write_event(i), has_write_event(instruction));
      instruction.control.read_counter = issue(read_event(i), has_read_event(instruction));
    }
  }

 private:
  void wait_before(int position) {
    std::array<bool, kDependenceCounters> waited{};
    for (const Event event : outstanding_.needed_by(program_.instructions[position])) {
      waited[counter_of(program_, event)] = true;
    }
    for (int c = 0; c < kDependenceCounters; ++c) {
      if (!waited[c]) continue;
      CounterState& counter = counters_[c];
      for (const Event event : counter.open) outstanding_.finish(event);
      counter.open.clear();
      counter.open_writes = 0;
      counter.first_wait = kNever;
      counter.last_finish = -kNever;
      counter.last_wait_position = position;
      counter.records.push_back({position, true, 0});
    }
  }

  std::uint8_t issue(Event event, bool exists) {
    if (!exists || !uses_[event].is_waited_for()) return ControlBits::kNoCounter;
    const int chosen = choose(event);
    CounterState& counter = counters_[chosen];
    const Cycle now = planned_[instruction_of(event)];
    outstanding_.add(event);
    counter.open.push_back(event);
    if (is_write(event)) ++counter.open_writes;
    counter.first_wait = std::min(counter.first_wait, now + uses_[event].distance);
    counter.last_finish = std::max(counter.last_finish, now + duration(event));
    counter.records.push_back({instruction_of(event), false, duration(event)});
    return static_cast<std::uint8_t>(chosen);
  }

  [[nodiscard]] Cycle duration(Event event) const {
    const Opcode opcode = program_.instructions[instruction_of(event)].opcode;
    if (!is_write(event)) return kSourceReadCycles;
    const Effect effect = opcode_info(opcode).effect;
    if (effect == Effect::kLoadGlobal || effect == Effect::kAtomicGlobal) return kGlobalLoadCycles;
    return kContention * timing_[static_cast<int>(opcode)].latency;
  }

  [[nodiscard]] int choose(Event event) const {
    // Order of preference: the cheapest; a counter that is waited on there anyway or is open for
    // the same kind of operation, which leaves others free; a free one; the one whose last wait is
    // oldest.
    std::tuple<Cycle, int, int, int> best{kNever, 0, 0, 0};
    for (int c = 0; c < kDependenceCounters; ++c) {
      const Cycle cost = open_cost(counters_[c], event) + carried_cost(counters_[c], event);
      best = std::min(best,
                      {cost, preference(counters_[c], event), counters_[c].last_wait_position, c});
    }
    return std::get<3>(best);
  }

  /// Planned cycles for which sharing makes the consumers of `event` and of the counter's open
  /// events wait unnecessarily.
  [[nodiscard]] Cycle open_cost(const CounterState& counter, Event event) const {
    if (counter.open.empty()) return 0;
    const Cycle crowd = counter.open_writes >= kComfortableWrites ? kCrowded : 0;
    const Cycle now = planned_[instruction_of(event)];
    const Cycle wait = now + uses_[event].distance;
    if (wait > counter.first_wait)
      return crowd + std::max<Cycle>(0, now + duration(event) - counter.first_wait);
    if (wait < counter.first_wait) return crowd + std::max<Cycle>(0, counter.last_finish - wait);
    return crowd;
  }

  /// The same against what the next iteration of the loop does to the counter before it waits for
  /// `event`.
  [[nodiscard]] Cycle carried_cost(const CounterState& counter, Event event) const {
    const EventUse& use = uses_[event];
    if (use.carried_by == kNoIndex) return 0;
    const Loop& loop = program_.loops[use.carried_by];
    const Cycle to_loop_start = planned_[loop.last + 1] - planned_[instruction_of(event)];
    Cycle cost = 0;
    auto record = std::ranges::lower_bound(counter.records, loop.first, {}, &Record::position);
    for (; record != counter.records.end() && record->position < use.position; ++record) {
      if (record->is_wait) {
        const Cycle elapsed = to_loop_start + planned_[record->position] - planned_[loop.first];
        return std::max(cost, duration(event) - elapsed);
      }
      const Cycle elapsed = planned_[use.position] - planned_[record->position];
      cost = std::max(cost, record->duration - elapsed);
    }
    return cost;
  }

  [[nodiscard]] int preference(const CounterState& counter, Event event) const {
    const EventUse& use = uses_[event];
    if (use.carried_by != kNoIndex && counter.is_waited_at(use.position)) return 0;
    if (counter.open.empty()) return 1;
    const Event last = counter.open.back();
    const bool same_kind = is_write(last) == is_write(event) && effect(last) == effect(event);
    return same_kind || uses_[last].position == use.position ? 0 : 2;
  }

  [[nodiscard]] Effect effect(Event event) const {
    return opcode_info(program_.instructions[instruction_of(event)].opcode).effect;
  }

  WarpProgram& program_;
  const TimingTable& timing_;
  const std::vector<Cycle> planned_;
  const std::vector<EventUse> uses_;
  OutstandingEvents outstanding_;
  std::array<CounterState, kDependenceCounters> counters_;
};

}  // namespace

std::uint8_t counter_of(const WarpProgram& program, Event event) {
  const ControlBits& control = program.instructions[instruction_of(event)].control;
  return is_write(event) ? control.write_counter : control.read_counter;
}

void assign_counters(WarpProgram& program, const LoopMap& loops, const TimingTable& timing) {
  CounterWalk(program, loops, timing).run();
}

}  // namespace tcsim::isa
