#include "models/isa/scheduling/hazards.hpp"

#include <algorithm>

#include "models/isa/operands.hpp"
#include "models/isa/scheduling/place_stalls.hpp"

namespace tcsim::isa {
namespace {

constexpr int kDepbarStall = 4;  // microarchitecture.md 3.3
constexpr Cycle kCounterDelay =
    2;  // visible one cycle after issue: a consumer directly after needs stall 2 (3.3)
constexpr int kBarrierStall =
    2;  // assumption: the arrival is seen before the next instruction is considered

int latency_of(const Instruction& instruction, const TimingTable& timing) {
  return std::max(1, timing[static_cast<int>(instruction.opcode)].latency);
}

}  // namespace

int smallest_stall(const Instruction& instruction, const TimingTable& timing) {
  switch (opcode_info(instruction.opcode).effect) {
    case Effect::kWaitCopyGroups:
      return kDepbarStall;
    case Effect::kBarrier:
    case Effect::kBarrierArrive:
    case Effect::kWaitPhase:
    case Effect::kGroupMma:
    case Effect::kWaitGroupMmas:
      return kBarrierStall;
    case Effect::kBranch:
    case Effect::kSkipLoop:
      return std::min(latency_of(instruction, timing), kMaxStall);
    default:
      return 1;
  }
}

Cycle Hazards::earliest(const Instruction& instruction) const {
  const OpcodeInfo& info = opcode_info(instruction.opcode);
  Cycle first = info.fixed_latency ? cycles_.pipe_free[static_cast<std::size_t>(info.pipe)] : 0;
  // MMAs keep their distance by stalls, which do not extend past a branch.
  if (info.effect == Effect::kBranch)
    first = std::max(first, cycles_.pipe_free[static_cast<std::size_t>(Pipe::kTensor)]);
  for (int operand = 0; operand < kSourceOperands; ++operand) {
    const RegisterRange range = source_registers(instruction, operand);
    for (int r = range.first; r < range.end(); ++r) first = std::max(first, cycles_.written[r]);
  }
  // A result may be written one cycle after an older result of the same register and after its last
  // reader, at the earliest.
  const RegisterRange range = destination_registers(instruction);
  const Cycle latency = latency_of(instruction, *timing_);
  for (int r = range.first; r < range.end(); ++r) {
    first = std::max({first, cycles_.written[r] - latency + 1, cycles_.read[r] - latency + 1});
  }
  for (int operand = 0; operand < kSourceOperands; ++operand) {
    if (const int s = scalar_source(instruction, operand); s != kNoIndex)
      first = std::max(first, cycles_.scalar_written[s]);
  }
  if (const int s = scalar_destination(instruction); s != kNoIndex)
    first = std::max(first, cycles_.scalar_written[s] - latency + 1);
  for (int c = 0; c < kDependenceCounters; ++c) {
    if (instruction.control.wait_mask >> c & 1) first = std::max(first, cycles_.counted_up[c]);
  }
  return first;
}

void Hazards::issue(const Instruction& instruction, Cycle now) {
  for (const std::uint8_t counter :
       {instruction.control.write_counter, instruction.control.read_counter}) {
    if (counter != ControlBits::kNoCounter) cycles_.counted_up[counter] = now + kCounterDelay;
  }
  const OpcodeInfo& info = opcode_info(instruction.opcode);
  if (!info.fixed_latency) return;
  const int interval = (*timing_)[static_cast<int>(instruction.opcode)].issue_interval;
  cycles_.pipe_free[static_cast<std::size_t>(info.pipe)] = now + interval;
  // An MMA has read its fragments when its pipe takes the next one; shorter operations read within
  // the latency of any later writer.
  if (is_mma(instruction.opcode)) {
    const Cycle done = now + interval;
    for (int operand = 0; operand < kSourceOperands; ++operand) {
      const RegisterRange range = source_registers(instruction, operand);
      for (int r = range.first; r < range.end(); ++r) {
        cycles_.read[r] = std::max(cycles_.read[r], done);
      }
    }
  }
  const RegisterRange range = destination_registers(instruction);
  const Cycle done = now + latency_of(instruction, *timing_);
  for (int r = range.first; r < range.end(); ++r) cycles_.written[r] = done;
  if (const int s = scalar_destination(instruction); s != kNoIndex)
    cycles_.scalar_written[s] = done;
}

template <typename Operation>
void Hazards::for_each(const Cycles& other, Operation operation) {
  const auto apply = [&](auto& mine, const auto& theirs) {
    for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = operation(mine[i], theirs[i]);
  };
  apply(cycles_.written, other.written);
  apply(cycles_.read, other.read);
  apply(cycles_.scalar_written, other.scalar_written);
  apply(cycles_.counted_up, other.counted_up);
  apply(cycles_.pipe_free, other.pipe_free);
}

Hazards Hazards::relative_to(Cycle now) const {
  Hazards result = *this;
  result.for_each(cycles_,
                  [&](Cycle, Cycle absolute) { return std::max<Cycle>(0, absolute - now); });
  return result;
}

void Hazards::merge(const Hazards& other, Cycle now) {
  for_each(other.cycles_, [&](Cycle mine, Cycle theirs) { return std::max(mine, now + theirs); });
}

bool Hazards::operator==(const Hazards& other) const { return cycles_ == other.cycles_; }

}  // namespace tcsim::isa
