#include "models/isa/scheduling/outstanding_events.hpp"

#include <algorithm>

#include "models/isa/operands.hpp"

namespace tcsim::isa {

bool has_write_event(const Instruction& instruction) {
  return !opcode_info(instruction.opcode).fixed_latency &&
         destination_registers(instruction).count > 0;
}

bool has_read_event(const Instruction& instruction) {
  if (opcode_info(instruction.opcode).fixed_latency) return false;
  for (int operand = 0; operand < kSourceOperands; ++operand) {
    if (source_registers(instruction, operand).count > 0) return true;
  }
  return false;
}

OutstandingEvents::OutstandingEvents(const WarpProgram& program)
    : program_(program), outstanding_(2 * program.instructions.size(), 0) {}

void OutstandingEvents::add(Event event) {
  if (contains(event)) return;
  outstanding_[event] = 1;
  ++live_;
  if (order_.size() > 2 * live_ + 64) {
    std::erase_if(order_, [&](Event other) { return other == event || !contains(other); });
  }
  order_.push_back(event);
  add_holder(event);
}

void OutstandingEvents::add_holder(Event event) {
  const Instruction& instruction = program_.instructions[instruction_of(event)];
  const auto hold = [&](RegisterRange range, auto& holders) {
    for (int r = range.first; r < range.end(); ++r) holders[r].push_back(event);
  };
  if (is_write(event)) {
    hold(destination_registers(instruction), writers_);
    return;
  }
  for (int operand = 0; operand < kSourceOperands; ++operand) {
    hold(source_registers(instruction, operand), readers_);
  }
}

void OutstandingEvents::finish(Event event) {
  if (contains(event)) {
    outstanding_[event] = 0;
    --live_;
  }
  if (is_write(event)) finish(read_event(instruction_of(event)));
}

void OutstandingEvents::collect(std::vector<Event>& holders) {
  std::erase_if(holders, [&](Event event) { return !contains(event); });
  needed_.insert(needed_.end(), holders.begin(), holders.end());
}

const std::vector<Event>& OutstandingEvents::needed_by(const Instruction& instruction) {
  needed_.clear();
  for (int operand = 0; operand < kSourceOperands; ++operand) {
    const RegisterRange range = source_registers(instruction, operand);
    for (int r = range.first; r < range.end(); ++r) collect(writers_[r]);
  }
  const RegisterRange range = written_registers(instruction);
  for (int r = range.first; r < range.end(); ++r) {
    collect(writers_[r]);
    collect(readers_[r]);
  }
  if (is_group_mma(instruction.opcode)) {
    std::erase_if(needed_, [&](Event event) {
      return is_group_mma(program_.instructions[instruction_of(event)].opcode);
    });
  }
  std::sort(needed_.begin(), needed_.end());
  needed_.erase(std::unique(needed_.begin(), needed_.end()), needed_.end());
  return needed_;
}

std::vector<Event> OutstandingEvents::snapshot() const {
  std::vector<Event> events;
  for (const Event event : order_) {
    if (contains(event)) events.push_back(event);
  }
  std::sort(events.begin(), events.end());
  events.erase(std::unique(events.begin(), events.end()), events.end());
  return events;
}

}  // namespace tcsim::isa
