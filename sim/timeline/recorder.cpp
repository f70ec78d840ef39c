#include "sim/timeline/recorder.hpp"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>

#include "models/isa/group_mma.hpp"
#include "models/isa/opcode.hpp"

namespace tcsim::timeline {
namespace {

std::string register_text(int number) { return "R" + std::to_string(number); }

/// " i0=3" for each loop round the warp's next instruction.
std::string loop_text(const sm::Warp& warp) {
  std::string text;
  if (warp.recorded) return text;
  for (const sm::DecodedLoop& loop : warp.program->loops) {
    if (warp.pc() < loop.first || warp.pc() > loop.last) continue;
    text += " i" + std::to_string(loop.depth) + "=" +
            std::to_string(warp.bindings[isa::loop_place(loop.depth)]);
  }
  return text;
}

const isa::Instruction& instruction_of(const sm::Kernel& kernel, const sm::Warp& warp) {
  const auto program = static_cast<std::size_t>(program_number_of(kernel, warp));
  return kernel.launch().programs[program].instructions[static_cast<std::size_t>(warp.pc())];
}

bool is_dependence(sm::CycleReason reason) {
  return reason == sm::CycleReason::kDependenceFixed ||
         reason == sm::CycleReason::kDependenceShared ||
         reason == sm::CycleReason::kDependenceGlobal || reason == sm::CycleReason::kCopyWait;
}

}  // namespace

std::string instruction_text(const isa::Instruction& instruction) {
  std::string text(isa::opcode_info(instruction.opcode).mnemonic);
  const char* separator = " ";
  const auto add = [&](const isa::RegisterRange& range) {
    if (range.count == 0) return;
    text += separator + register_text(range.first);
    separator = ", ";
  };
  add(isa::destination_registers(instruction));
  for (int operand = 0; operand < isa::kSourceOperands; ++operand)
    add(isa::source_registers(instruction, operand));
  return text;
}

int program_number_of(const sm::Kernel& kernel, const sm::Warp& warp) {
  const auto number = warp.bindings[static_cast<std::size_t>(isa::Variable::kWarp)];
  return kernel.launch().program_of_warp[static_cast<std::size_t>(number)];
}

Recorder::WarpState& Recorder::state_of(const sm::Warp& warp) {
  if (warp.slot >= warps_.size()) warps_.resize(warp.slot + std::size_t{1});
  return warps_[warp.slot];
}

void Recorder::started(const sm::Warp& warp, Cycle at) {
  if (window_.sub_core && warp.sub_core != *window_.sub_core) return;
  WarpState& state = state_of(warp);
  for (InstructionRecord& record : state.recent) keep_if_inside(record);
  state.recent.clear();
  state.active = true;
  state.next_since = at - origin_;
  state.writers.fill(kNoInstruction);
}

/// The next instruction of `warp`, which heads the warp from `since` on and issues at `issue`.
InstructionRecord Recorder::record_of(const WarpState& state, const sm::Warp& warp,
                                      const sm::IssueWait& wait, Cycle since, Cycle issue) {
  const sm::DecodedInstruction& decoded = warp.next();
  InstructionRecord record;
  record.id = next_id_++;
  record.sub_core = warp.sub_core;
  record.warp = warp.slot;
  std::copy_n(warp.bindings.begin(), record.cta.size(), record.cta.begin());
  record.warp_of_cta =
      static_cast<int>(warp.bindings[static_cast<std::size_t>(isa::Variable::kWarp)]);
  record.instruction = warp.pc();
  record.opcode = decoded.opcode;
  record.text = instruction_text(instruction_of(*kernel_, warp)) + loop_text(warp);
  record.since = std::min(since, issue);
  record.issue = issue;
  record.interval_end = issue + decoded.issue_interval;
  record.operands_read = issue + 1 + (decoded.reads_registers ? decoded.read_window : 0);
  if (!isa::is_memory(decoded.opcode) && !isa::is_group_mma(decoded.opcode))
    record.end = issue + std::max<Cycle>(1, decoded.latency);
  add_waits(state, record, wait, wait.ready - origin_, wait.pipe_free - origin_,
            wait.queue_free - origin_);
  return record;
}

void Recorder::issued(const sm::Warp& warp, const sm::IssueWait& wait, Cycle now) {
  if (window_.sub_core && warp.sub_core != *window_.sub_core) return;
  WarpState& state = state_of(warp);
  const Cycle issue = now - origin_;
  const Cycle since = std::exchange(state.next_since, issue + 1);
  state.active = warp.next().effect != isa::Effect::kExit;
  if (since >= window_.end) return;
  InstructionRecord record = record_of(state, warp, wait, since, issue);
  note_registers(state, record, instruction_of(*kernel_, warp));
  state.recent.push_back(std::move(record));
  while (state.recent.size() > kKeptPerWarp && state.recent.front().end != kNever) {
    keep_if_inside(state.recent.front());
    state.recent.pop_front();
  }
}

void Recorder::stopped(const sm::Warp& warp, const sm::IssueWait& wait, Cycle end) {
  if (window_.sub_core && warp.sub_core != *window_.sub_core) return;
  WarpState& state = state_of(warp);
  const Cycle stop = end - origin_;
  if (state.next_since >= std::min(window_.end, stop)) return;
  InstructionRecord record = record_of(state, warp, wait, state.next_since, stop);
  record.issue = kNever;
  record.end = stop;
  state.recent.push_back(std::move(record));
}

/// Splits the cycles before the issue by the constraints in the order in which the issue stage asks
/// for them. Ports count for all that is left if they refused last.
void Recorder::add_waits(const WarpState& state, InstructionRecord& record,
                         const sm::IssueWait& wait, Cycle ready, Cycle pipe_free,
                         Cycle queue_free) const {
  Cycle at = record.since;
  const auto add = [&](std::optional<sm::CycleReason> reason, Cycle until) {
    until = std::min(until, record.issue);
    if (until <= at) return;
    record.waits.push_back({reason, at, until});
    at = until;
  };
  add(wait.ready_reason, ready);
  const isa::Pipe pipe = isa::opcode_info(record.opcode).pipe;
  // The memory pipe refuses for its interval and the queue for as long as it is full.
  const bool queue_was_full = pipe == isa::Pipe::kMemory && queue_free > at;
  const auto busy = pipe == isa::Pipe::kTensor ? sm::CycleReason::kTensorPipeBusy
                    : queue_was_full           ? sm::CycleReason::kMemoryQueueFull
                                               : sm::CycleReason::kOtherPipeBusy;
  add(busy, queue_was_full ? std::max(pipe_free, queue_free) : pipe_free);
  if (wait.port_refused) add(sm::CycleReason::kRegisterPort, record.issue);
  add(std::nullopt, record.issue);
  if (record.issue < window_.first) return;
  for (Wait& part : record.waits)
    if (part.reason && is_dependence(*part.reason)) name_producer(state, record, part);
}

/// The latest instruction of the warp whose end, or whose reading of sources, ended the wait.
void Recorder::name_producer(const WarpState& state, const InstructionRecord& record, Wait& wait) {
  const InstructionRecord* found = nullptr;
  for (auto it = state.recent.rbegin(); it != state.recent.rend(); ++it) {
    const bool has_ended = it->end == wait.until && it->issue + 1 < wait.until;
    if (has_ended || (isa::is_memory(it->opcode) && it->operands_read == wait.until)) {
      found = &*it;
      break;
    }
  }
  if (found == nullptr || found->issue + 1 >= record.issue) return;
  wait.producer = found->id;
  wait.producer_opcode = found->opcode;
}

void Recorder::note_registers(WarpState& state, InstructionRecord& record,
                              const isa::Instruction& instruction) const {
  const auto add_producer = [&](std::int64_t id) {
    if (id != kNoInstruction && std::ranges::find(record.producers, id) == record.producers.end())
      record.producers.push_back(id);
  };
  for (int operand = 0; operand < isa::kSourceOperands; ++operand) {
    const isa::RegisterRange range = isa::source_registers(instruction, operand);
    for (int i = range.first; i < range.end(); ++i)
      add_producer(state.writers[static_cast<std::size_t>(i)]);
    if (const int scalar = isa::scalar_source(instruction, operand); scalar != isa::kNoIndex)
      add_producer(state.writers[static_cast<std::size_t>(kRegisters) + scalar]);
  }
  const isa::RegisterRange written = isa::destination_registers(instruction);
  for (int i = written.first; i < written.end(); ++i)
    state.writers[static_cast<std::size_t>(i)] = record.id;
  if (const int scalar = isa::scalar_destination(instruction); scalar != isa::kNoIndex)
    state.writers[static_cast<std::size_t>(kRegisters) + scalar] = record.id;
}

/// Null where its warp, or it, is not recorded.
InstructionRecord* Recorder::find(sm::IssueId instruction) {
  if (instruction.warp >= warps_.size()) return nullptr;
  std::deque<InstructionRecord>& recent = warps_[instruction.warp].recent;
  const Cycle issue = instruction.issue - origin_;
  const auto at = std::ranges::lower_bound(recent, issue, {}, &InstructionRecord::issue);
  return at != recent.end() && at->issue == issue ? &*at : nullptr;
}

void Recorder::entered_memory(sm::IssueId instruction, const sm::MemoryEntry& entry) {
  InstructionRecord* const record = find(instruction);
  if (record == nullptr) return;
  record->entered = entry.at - origin_;
  record->operands_read = entry.sources_read - origin_;
  const isa::Effect effect = isa::opcode_info(record->opcode).effect;
  if (effect == isa::Effect::kStoreGlobal || effect == isa::Effect::kReduceGlobal ||
      isa::stores_shared(effect))
    record->end = record->operands_read;
}

void Recorder::completed(sm::IssueId instruction, Cycle at) {
  if (InstructionRecord* const record = find(instruction)) record->end = at - origin_;
}

/// The four warps of `first` wait for the start, so the product is what they issued last.
void Recorder::started_product(const sm::Warp& first, const sm::ProductTurn& turn) {
  const auto group = static_cast<int>(
      first.bindings[static_cast<std::size_t>(isa::Variable::kWarp)] / isa::kGroupWarps);
  for (WarpState& state : warps_) {
    if (state.recent.empty()) continue;
    InstructionRecord& record = state.recent.back();
    if (!isa::is_group_mma(record.opcode) || record.end != kNever) continue;
    if (record.warp_of_cta / isa::kGroupWarps != group ||
        !std::ranges::equal(record.cta, std::span(first.bindings).first(record.cta.size())))
      continue;
    record.entered = turn.start - origin_;
    record.interval_end = turn.end - origin_;
    record.end = turn.written - origin_;
  }
}

bool Recorder::is_complete(Cycle now) const {
  if (now < window_.end) return false;
  return std::ranges::all_of(warps_, [this](const WarpState& state) {
    return (!state.active || state.next_since >= window_.end) &&
           std::ranges::none_of(
               state.recent, [](const InstructionRecord& record) { return record.end == kNever; });
  });
}

void Recorder::keep_if_inside(InstructionRecord& record) {
  const bool ends_before = record.end != kNever && record.end <= window_.first;
  if (!ends_before && record.since < window_.end) kept_.push_back(std::move(record));
}

Timeline Recorder::take(const std::string& title, const std::string& machine, int sub_cores) {
  for (WarpState& state : warps_)
    for (InstructionRecord& record : state.recent) keep_if_inside(record);
  warps_.clear();
  std::ranges::sort(kept_, {}, &InstructionRecord::id);
  std::unordered_map<std::int64_t, std::int64_t> places;
  for (const InstructionRecord& record : kept_)
    places.emplace(record.id, static_cast<std::int64_t>(places.size()));
  for (InstructionRecord& record : kept_) {
    record.id = places.at(record.id);
    std::erase_if(record.producers, [&](std::int64_t id) { return !places.contains(id); });
    for (std::int64_t& id : record.producers) id = places.at(id);
    for (Wait& wait : record.waits) {
      const auto place = places.find(wait.producer);
      if (wait.producer != kNoInstruction)
        wait.producer = place == places.end() ? kOutsideWindow : place->second;
    }
  }
  return {title, machine, window_, sub_cores, std::exchange(kept_, {})};
}

}  // namespace tcsim::timeline
