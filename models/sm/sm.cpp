#include "models/sm/sm.hpp"

#include <algorithm>
#include <utility>

#include "models/isa/opcode.hpp"

namespace tcsim::sm {
namespace {

// Tags by their two upper bits: reads of MemoryPipeline have the highest alone or none, answers to
// writes both.
constexpr std::uint32_t kTagKinds = memory::kWriteDone;
constexpr std::uint32_t kCodeTag = std::uint32_t{1} << 30;

/// Moves the warp's oldest incomplete copy group past all that are closed and have nothing under
/// way.
void pass_complete_groups(Warp& warp) {
  while (warp.oldest_copy_group < warp.copy_group &&
         warp.copies_under_way[static_cast<std::size_t>(warp.oldest_copy_group % kMaxCopyGroups)] ==
             0) {
    ++warp.oldest_copy_group;
  }
}

/// Lanes that take part. Of a copy only those that read: writing zeros costs no time (assumption).
std::uint32_t moving_lanes(const Warp& warp, const DecodedInstruction& instruction) {
  if (warp.recorded) return warp.recorded->lanes();
  const auto pass = [&warp](int guard) {
    return Kernel::active_lanes(*warp.program, guard, warp.fixed_values.data(), warp.bindings);
  };
  std::uint32_t lanes = warp.lanes & pass(instruction.guard);
  if (instruction.effect == isa::Effect::kCopyGlobalToShared)
    lanes &=
        pass(warp.program->accesses[static_cast<std::size_t>(instruction.access)].source_guard);
  return lanes;
}

/// Written out: a loop over so few values costs more than they do.
Cycle earliest_of_four(const Cycle* cycles) {
  return std::min(std::min(cycles[0], cycles[1]), std::min(cycles[2], cycles[3]));
}

}  // namespace

Sm::Sm(const SmParams& params, int index, stats::Group& parent)
    : params_(params),
      index_(index),
      fp64_is_shared_(fp64_is_shared(params)),
      group_("sm[" + std::to_string(index) + "]", parent),
      fetch_(params.instruction_fetch, index, params.sub_cores, group_),
      constants_(params.constant_cache, params.instruction_fetch, index, params.sub_cores, fetch_,
                 group_),
      pipeline_(params, index, constants_, group_) {
  next_attempts_.fill(kNever);
  for (int i = 0; i < params.sub_cores; ++i) {
    sub_cores_.push_back(
        std::make_unique<SubCore>(params, i, next_attempts_[static_cast<std::size_t>(i)], group_));
    if (!constants_.is_perfect()) sub_cores_.back()->attach(constants_);
  }
  warps_.resize(static_cast<std::size_t>(params.residency.max_warps));
  if (params.dependences == "scoreboard") scoreboards_.resize(warps_.size());
}

void Sm::attach(Observer& observer) {
  observer_ = &observer;
  pipeline_.attach(observer);
  for (const auto& sub_core : sub_cores_) sub_core->attach(observer);
}

void Sm::begin_kernel(const Kernel& kernel, int cta_slots, std::int64_t l1_bytes, Cycle launch,
                      Cycle first_cta) {
  kernel_ = &kernel;
  if (observer_ != nullptr) observer_->begin_kernel(kernel);
  pipeline_.begin_kernel(kernel, l1_bytes);
  fetch_.begin_kernel(kernel.end_line());
  constants_.begin_kernel(kernel.constant_line());
  ctas_.assign(static_cast<std::size_t>(cta_slots), Cta{});
  free_cta_slots_.clear();
  for (int slot = cta_slots - 1; slot >= 0; --slot) free_cta_slots_.push_back(slot);
  for (const auto& sub_core : sub_cores_) sub_core->begin_kernel(launch, first_cta);
}

void Sm::start_cta(const std::array<std::int64_t, 3>& cta, Cycle at) {
  pending_ctas_.push_back({cta, at, free_cta_slots_.back()});
  free_cta_slots_.pop_back();
}

/// Warps get their places when they start: which are free by then must not depend on when the owner
/// knew of the CTA.
void Sm::place_cta(const PendingCta& cta) {
  Cta& state = ctas_[static_cast<std::size_t>(cta.slot)];
  state = Cta{};
  was_idle_ = false;
  state.warps_left = kernel_->launch().warps_per_cta;
  for (int index = 0; index < kernel_->launch().warps_per_cta; ++index) {
    const std::size_t slot = lowest_free_slot();
    Warp& warp = warps_[slot];
    std::vector<std::int64_t> fixed_values = std::move(warp.fixed_values);
    std::vector<std::int64_t> trips = std::move(warp.trips);
    warp = Warp{};
    warp.slot = static_cast<std::uint8_t>(slot);
    if (!scoreboards_.empty()) scoreboards_[slot] = Scoreboard{};
    warp.sub_core = static_cast<std::uint8_t>(slot % sub_cores_.size());
    warp.cta_slot = static_cast<std::uint16_t>(cta.slot);
    warp.program = &kernel_->program_of_warp(index);
    warp.next_instruction = warp.program->instructions.data();
    warp.age = ++warps_started_;
    warp.resident = true;
    warp.bindings = {cta.position[0], cta.position[1], cta.position[2], index};
    warp.fixed_values = std::move(fixed_values);
    warp.trips = std::move(trips);
    if (kernel_->launch().recording != nullptr) {
      warp.recorded = std::make_unique<RecordedCursor>(*kernel_, cta.position, index);
      warp.next_instruction = &warp.recorded->next();
    }
    Kernel::bind_warp(*warp.program, warp.bindings, warp.fixed_values);
    warp.count_trips();
    state.warps.push_back(warp.slot);
    ++resident_warps_;
    if (observer_ != nullptr) observer_->started(warp, cta.at);
    start(warp, cta.at);
  }
}

/// Hardware warp w lives on sub-core w modulo their number (HUE25), so warps go round the sub-cores
/// also where CTAs are small. That the lowest free one is taken is an assumption.
std::size_t Sm::lowest_free_slot() const {
  std::size_t slot = 0;
  while (warps_[slot].resident) ++slot;
  return slot;
}

void Sm::start(Warp& warp, Cycle now) {
  warp.stall_until = now;
  warp.stall_reason = CycleReason::kNoWarp;
  sub_core_of(warp).add_warp(warp, now);
  if (!fetch_.is_perfect()) fetch(warp, now, /*from_start=*/true);
  settle(warp, now, CycleReason::kNoWarp);
}

/// Asks for the line of the next instruction, `from_start` or where it enters one, and for the line
/// into which the instructions behind it reach that the warp fetches ahead.
void Sm::fetch(Warp& warp, Cycle now, bool from_start) {
  const int per_line = params_.instruction_fetch.instructions_per_line;
  const int ahead = params_.instruction_fetch.buffer_entries - 1;
  const int pc = warp.pc();
  const auto last = static_cast<int>(warp.program->instructions.size()) - 1;
  const auto line = [&](int instruction) {
    return warp.program->first_line + static_cast<std::uint32_t>(instruction / per_line);
  };
  if (from_start || warp.next().starts_line) {
    const Cycle ready = fetch_.need(warp.sub_core, line(pc), now);
    warp.waits_for_code = ready == kNever;
    if (warp.waits_for_code) code_waiters_.push_back(&warp);
    if (ready != kNever && ready > warp.stall_until) {
      warp.stall_until = ready;
      warp.stall_reason = CycleReason::kInstructionFetch;
    }
  }
  const int furthest = std::min(pc + ahead, last);
  if (line(furthest) != line(pc)) fetch_.need(warp.sub_core, line(furthest), now);
  if (!fetch_.requests().empty()) send_code_requests();
}

void Sm::send_code_requests() {
  const auto line_bytes = static_cast<std::uint64_t>(params_.instruction_fetch.line_bytes);
  const auto sectors = params_.instruction_fetch.line_bytes / params_.l1.sector_bytes;
  for (const InstructionFetch::Request& made : fetch_.requests()) {
    memory::LineRequest request;
    request.cycle = made.cycle;
    request.address = memory::kCodeMemory + made.line * line_bytes;
    request.tag = kCodeTag | made.line;
    request.sm = static_cast<std::uint16_t>(index_);
    request.sectors = static_cast<std::uint8_t>((1U << sectors) - 1);
    code_requests_.push_back(request);
  }
  fetch_.requests().clear();
}

void Sm::receive(const memory::LineResponse& response, Cycle now) {
  const bool is_code = (response.tag & kTagKinds) == kCodeTag;
  if (is_code) return code_arrived(response.tag & ~kTagKinds, now);
  pipeline_.receive(response, now);
  if (!fences_.empty()) settle_fences(now);
}

/// True if some warp of the CTA of `warp` waits for the answer to a write: a fence also orders what
/// others wrote before a barrier.
bool Sm::has_writes_under_way(const Warp& warp) const {
  return std::ranges::any_of(ctas_[warp.cta_slot].warps,
                             [this](int slot) { return pipeline_.writes_under_way(slot) != 0; });
}

/// Lets the warps go on whose fence has nothing left to wait for.
void Sm::settle_fences(Cycle now) {
  std::erase_if(fences_, [this, now](Warp* warp) {
    if (has_writes_under_way(*warp)) return false;
    warp->hold = Hold::kNone;
    settle(*warp, now, CycleReason::kDependenceGlobal);
    return true;
  });
}

void Sm::code_arrived(std::uint32_t line, Cycle now) {
  fetch_.receive(line, now);
  if (!constants_.is_perfect()) {
    constants_.receive(line, now);
    pipeline_.constants_arrived(now);
    for (Warp& warp : warps_) {
      if (warp.hold != Hold::kConstant) continue;
      warp.hold = Hold::kNone;
      settle(warp, now, CycleReason::kConstant);
    }
  }
  const int per_line = params_.instruction_fetch.instructions_per_line;
  for (Warp* const warp : std::exchange(code_waiters_, {})) {
    const auto line_of_warp =
        warp->program->first_line + static_cast<std::uint32_t>(warp->pc() / per_line);
    if (line_of_warp == line) fetch_.deliver(warp->sub_core, line, now);
    fetch(*warp, now, /*from_start=*/true);
    settle(*warp, now, CycleReason::kInstructionFetch);
  }
}

/// The first `received` of the inbox have been taken.
inline Cycle Sm::next_event(std::size_t received) const {
  Cycle next = pipeline_.next_step();
  next = std::min(next, earliest_of_four(&next_attempts_[0]));
  if (sub_cores_.size() > 4) next = std::min(next, earliest_of_four(&next_attempts_[4]));
  if (!events_.empty()) next = std::min(next, events_.top().at);
  if (received < inbox_.size()) next = std::min(next, inbox_[received].cycle);
  if (!pending_ctas_.empty()) next = std::min(next, pending_ctas_.front().at);
  return next;
}

Cycle Sm::next_event() const { return next_event(0); }

void Sm::run(Cycle until) {
  std::size_t received = 0;
  while (true) {
    const Cycle now = next_event(received);
    if (now >= until) break;
    for (; received < inbox_.size() && inbox_[received].cycle <= now; ++received) {
      receive(inbox_[received], now);
    }
    for (; !pending_ctas_.empty() && pending_ctas_.front().at <= now; pending_ctas_.pop_front())
      place_cta(pending_ctas_.front());
    if (!pipeline_.events().empty()) collect_events();
    while (!events_.empty() && events_.top().at <= now) {
      const MemoryEvent event = events_.top();
      events_.pop();
      apply(event, now);
    }
    if (pipeline_.next_step() <= now) {
      const int freed = pipeline_.step(now);
      if (freed >= 0) sub_cores_[static_cast<std::size_t>(freed)]->wake(now);
      if (!pipeline_.events().empty()) collect_events();
    }
    for (std::size_t i = 0; i < sub_cores_.size(); ++i) {
      if (next_attempts_[i] > now) continue;
      SubCore& sub_core = *sub_cores_[i];
      Warp* const warp = sub_core.select(now, pipeline_.room_at(static_cast<int>(i)));
      if (warp == nullptr) continue;
      sub_core.issue(*warp, now);
      carry_out(sub_core, static_cast<int>(i), *warp, now);
    }
    if (resident_warps_ == 0) note_idle(now);
  }
  if (!fetch_.requests().empty()) send_code_requests();  // for constants
  inbox_.erase(inbox_.begin(), inbox_.begin() + static_cast<std::ptrdiff_t>(received));
}

void Sm::note_idle(Cycle now) {
  if (is_idle() && !was_idle_) idle_since_ = now;
  was_idle_ = is_idle();
}

void Sm::collect_events() {
  for (MemoryEvent& event : pipeline_.events()) {
    event.order = event_order_++;
    events_.push(event);
  }
  pipeline_.events().clear();
}

/// What the instruction does besides taking its slot; then the warp's next instruction is set up.
void Sm::carry_out(SubCore& sub_core, int index, Warp& warp, Cycle now) {
  const DecodedInstruction& instruction = warp.next();
  const std::uint32_t lanes = moving_lanes(warp, instruction);
  const auto count_up = [&warp](std::uint8_t counter) {
    if (counter == isa::ControlBits::kNoCounter) return;
    ++warp.counters[counter];
    warp.counters_busy = static_cast<std::uint8_t>(warp.counters_busy | (1U << counter));
  };
  switch (instruction.effect) {
    case isa::Effect::kLoadGlobal:
    case isa::Effect::kStoreGlobal:
    case isa::Effect::kLoadShared:
    case isa::Effect::kStoreShared:
    case isa::Effect::kLoadMatrix:
    case isa::Effect::kAtomicGlobal:
    case isa::Effect::kReduceGlobal:
    case isa::Effect::kAtomicShared:
    case isa::Effect::kLoadConstant:
    case isa::Effect::kCopyGlobalToShared:
      if (lanes == 0) {  // predicated off: takes its issue slot and nothing else
        if (observer_ != nullptr) observer_->completed(warp, now, now + 1);
        break;
      }
      if (instruction.dst_registers != 0)
        count_up(instruction.write_counter);  // stores and copies write none
      count_up(instruction.read_counter);
      if (instruction.effect == isa::Effect::kCopyGlobalToShared) {
        ++warp.copies_under_way[static_cast<std::size_t>(warp.copy_group % kMaxCopyGroups)];
      }
      pipeline_.accept(warp, index, lanes, now);
      break;
    case isa::Effect::kCloseCopyGroup:
      ++warp.copy_group;
      pass_complete_groups(warp);  // a group may be empty
      break;
    case isa::Effect::kFence:
      return pass_fence(warp, instruction, now);
    case isa::Effect::kBarrier:
      warp.at_barrier = lanes != 0;
      break;
    case isa::Effect::kBranch:
      branch(warp, instruction);
      break;
    case isa::Effect::kSkipLoop:
      skip(warp, instruction);
      break;
    case isa::Effect::kExit:
      warp.lanes &= ~lanes;
      if (warp.lanes == 0) return exit(sub_core, warp, now);
      break;
    default:
      if (instruction.pipe == isa::Pipe::kFp64 && fp64_is_shared_) [[unlikely]] {
        for (const auto& other : sub_cores_)
          other->block_pipe(instruction.pipe, now + instruction.issue_interval);
      }
      if (!instruction.fixed_latency && instruction.write_counter != isa::ControlBits::kNoCounter) {
        count_up(instruction.write_counter);
        events_.push({now + instruction.latency, event_order_++, &warp, &instruction,
                      MemoryEvent::Kind::kLoaded, instruction.write_counter, 0,
                      CycleReason::kDependenceGlobal});
      }
  }
  // A memory operation without lanes has no results to wait for.
  if (!scoreboards_.empty() && (lanes != 0 || !isa::is_memory(instruction.opcode)))
    scoreboards_[warp.slot].issue(instruction, now);
  move_on(warp, instruction, now);
  if (warp.at_barrier) arrive_at_barrier(warp, now);
}

/// Behind a fence the warp goes on after its latency, and when no write of its CTA is unanswered.
void Sm::pass_fence(Warp& warp, const DecodedInstruction& fence, Cycle now) {
  if (has_writes_under_way(warp)) {
    warp.hold = Hold::kFence;
    fences_.push_back(&warp);
  }
  move_on(warp, fence, now);
  if (now + fence.latency > warp.stall_until) {
    warp.stall_until = now + fence.latency;
    warp.stall_reason = CycleReason::kDependenceGlobal;
  }
  settle(warp, now, CycleReason::kDependenceGlobal);
}

void Sm::move_on(Warp& warp, const DecodedInstruction& issued, Cycle now) {
  warp.stall_until = now + issued.stall;
  warp.stall_reason = CycleReason::kDependenceFixed;
  bool jumps = issued.effect == isa::Effect::kBranch || issued.effect == isa::Effect::kSkipLoop;
  if (jumps) warp.stall_until = std::max<Cycle>(warp.stall_until, now + issued.latency);
  if (warp.recorded) [[unlikely]] {
    warp.next_instruction = &warp.recorded->next();
    jumps = jumps || warp.next_instruction != &issued + 1;
  } else if (!jumps) {
    ++warp.next_instruction;
  }
  if (jumps) {
    if (!fetch_.is_perfect()) fetch(warp, now, /*from_start=*/true);
  } else if (warp.next().starts_line || warp.next().ends_ahead) {
    fetch(warp, now, /*from_start=*/false);
  }
  settle(warp, now, CycleReason::kDependenceFixed);
}

/// Loops are the only branches of programs: `immediate` is the loop.
void Sm::branch(Warp& warp, const DecodedInstruction& instruction) {
  if (warp.recorded) return;
  const auto index = static_cast<std::size_t>(instruction.immediate);
  const DecodedLoop& loop = warp.program->loops[index];
  if (loop.until && warp.flag < isa::evaluate(*loop.until, warp.bindings)) [[unlikely]] {
    warp.next_instruction = &warp.program->instructions[static_cast<std::size_t>(loop.first)];
    return;
  }
  std::int64_t& counter = warp.bindings[static_cast<std::size_t>(isa::Variable::kLoop0) +
                                        static_cast<std::size_t>(loop.depth)];
  if (++counter < warp.trips[index]) {
    warp.next_instruction = &warp.program->instructions[static_cast<std::size_t>(loop.first)];
  } else {
    counter = 0;
    ++warp.next_instruction;
  }
  if (loop.depth == 0 && !warp.program->uniforms.empty()) warp.count_trips();
}

/// Passes over a loop that has no trips.
void Sm::skip(Warp& warp, const DecodedInstruction& instruction) {
  const auto index = static_cast<std::size_t>(instruction.immediate);
  const DecodedLoop& loop = warp.program->loops[index];
  const int next = warp.trips[index] > 0 ? loop.first : loop.last + 1;
  warp.next_instruction = &warp.program->instructions[static_cast<std::size_t>(next)];
}

/// Recomputes when `warp` may issue next, something having changed at `now` for `reason`.
void Sm::settle(Warp& warp, Cycle now, CycleReason reason) {
  const DecodedInstruction& next = warp.next();
  const bool waits_for_copies = next.effect == isa::Effect::kWaitCopyGroups &&
                                warp.copy_group - warp.oldest_copy_group > next.immediate;
  if (warp.at_barrier || warp.waits_for_code || warp.hold != Hold::kNone ||
      (warp.counters_busy & next.wait_mask) != 0 || waits_for_copies) {
    warp.ready = kNever;
    return;
  }
  if (!scoreboards_.empty() && !settle_dependences(warp)) return;
  warp.ready_reason = now > warp.stall_until ? reason : warp.stall_reason;
  warp.ready = std::max(warp.stall_until, now);
  if (next.pipe == isa::Pipe::kTensor && warp.tensor_again > warp.ready) {
    warp.stall_until = warp.ready;  // from here on it waits for the pipe alone
    warp.stall_reason = warp.ready_reason;
    warp.ready = warp.tensor_again;
    warp.ready_reason = CycleReason::kTensorPipeBusy;
  }
  sub_core_of(warp).wake(std::max(warp.ready, now));
}

/// Under a scoreboard: puts off the next instruction of `warp` to when its operands are there;
/// false, and the warp waits, if only an event can tell.
bool Sm::settle_dependences(Warp& warp) {
  const Cycle at = scoreboards_[warp.slot].earliest(warp.next());
  if (at == kNever) {
    warp.ready = kNever;
    return false;
  }
  if (at > warp.stall_until) {
    warp.stall_until = at;
    warp.stall_reason = CycleReason::kDependenceFixed;
  }
  return true;
}

void Sm::arrive_at_barrier(Warp& warp, Cycle now) {
  Cta& cta = ctas_[static_cast<std::size_t>(warp.cta_slot)];
  barrier_free_ = std::max(barrier_free_, now) + params_.barrier.per_warp_cycles;
  ++cta.at_barrier;
  release_barrier_if_complete(cta, now);
}

void Sm::release_barrier_if_complete(Cta& cta, Cycle now) {
  if (cta.at_barrier == 0 || cta.at_barrier < cta.warps_left) return;
  const Cycle release = std::max(barrier_free_, now) + params_.barrier.base_cycles;
  cta.at_barrier = 0;
  for (const int slot : cta.warps) {
    Warp& warp = warps_[static_cast<std::size_t>(slot)];
    if (!warp.at_barrier) continue;
    warp.at_barrier = false;
    if (release >= warp.stall_until) {
      warp.stall_until = release;
      warp.stall_reason = CycleReason::kBarrier;
    }
    settle(warp, now, CycleReason::kBarrier);
  }
}

void Sm::exit(SubCore& sub_core, Warp& warp, Cycle now) {
  sub_core.remove_warp(warp);
  warp.exiting = true;
  warp.ready = kNever;
  Cta& cta = ctas_[static_cast<std::size_t>(warp.cta_slot)];
  --cta.warps_left;
  release_barrier_if_complete(cta, now);
  retire_if_done(warp, now);
}

/// An exited warp keeps its slot until its loads and copies have come back.
void Sm::retire_if_done(Warp& warp, Cycle now) {
  if (!warp.exiting || warp.counters_busy != 0) return;
  for (const std::uint16_t copies : warp.copies_under_way) {
    if (copies != 0) return;
  }
  warp.exiting = false;
  warp.resident = false;
  --resident_warps_;
  Cta& cta = ctas_[static_cast<std::size_t>(warp.cta_slot)];
  if (cta.warps_left != 0) return;
  for (const int slot : cta.warps) {
    const Warp& other = warps_[static_cast<std::size_t>(slot)];
    if (other.resident && other.cta_slot == warp.cta_slot) return;
  }
  free_cta_slots_.push_back(warp.cta_slot);
  ended_ctas_.push_back(now + 1);  // the cycle of the last EXIT still belongs to the CTA
}

void Sm::apply(const MemoryEvent& event, Cycle now) {
  Warp& warp = *event.warp;
  if (!scoreboards_.empty()) note_on_scoreboard(event, now);
  if (event.kind == MemoryEvent::Kind::kCopied) {
    --warp.copies_under_way[static_cast<std::size_t>(event.group % kMaxCopyGroups)];
    pass_complete_groups(warp);
  } else if (--warp.counters[event.counter] == 0) {
    warp.counters_busy = static_cast<std::uint8_t>(warp.counters_busy & ~(1U << event.counter));
  } else if (scoreboards_.empty()) {
    return;
  }
  if (warp.exiting) return retire_if_done(warp, now);
  if (warp.ready == kNever) settle(warp, now, event.reason);
}

void Sm::note_on_scoreboard(const MemoryEvent& event, Cycle now) {
  Scoreboard& scoreboard = scoreboards_[event.warp->slot];
  if (event.kind == MemoryEvent::Kind::kLoaded) scoreboard.loaded(*event.instruction, now);
  if (event.kind == MemoryEvent::Kind::kSourcesRead) scoreboard.sources_read(*event.instruction);
}

void Sm::charge_idle(Cycle end) {
  for (const auto& sub_core : sub_cores_) sub_core->charge(end, CycleReason::kNoWarp);
}

std::uint64_t Sm::warp_instructions() const {
  std::uint64_t sum = 0;
  for (const auto& sub_core : sub_cores_) sum += sub_core->counters().warp_instructions.value();
  return sum;
}

std::uint64_t Sm::mma_instructions() const {
  std::uint64_t sum = 0;
  for (const auto& sub_core : sub_cores_) sum += sub_core->counters().mma_instructions.value();
  return sum;
}

std::vector<WarpWait> Sm::waits() const {
  std::vector<const Warp*> resident;
  for (const Warp& warp : warps_)
    if (warp.resident) resident.push_back(&warp);
  std::ranges::sort(resident, {}, &Warp::age);
  std::vector<WarpWait> waits;
  waits.reserve(resident.size());
  for (const Warp* warp : resident) waits.push_back(wait_of(*warp));
  return waits;
}

}  // namespace tcsim::sm
