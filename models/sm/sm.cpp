#include "models/sm/sm.hpp"

#include <algorithm>
#include <string>

namespace tcsim::sm {
namespace {

/// Unrolled by hand: a loop over so few values costs more than the comparisons.
Cycle earliest_of_four(const Cycle* cycles) {
  return std::min(std::min(cycles[0], cycles[1]), std::min(cycles[2], cycles[3]));
}

}  // namespace

Sm::Sm(const SmParams& params, int index, stats::Group& parent)
    : params_(params),
      fp64_is_shared_(fp64_is_shared(params)),
      group_("sm[" + std::to_string(index) + "]", parent),
      code_(params, index, group_),
      constants_(params.constant_cache, params.instruction_fetch, index, params.sub_cores,
                 code_.caches(), group_),
      peer_port_(params.cluster, index),
      pipeline_(params, index, constants_, completions_, peer_port_, group_),
      barrier_unit_(params.barrier),
      group_tensor_(params.group_tensor),
      residency_(params.residency, params.sub_cores) {
  next_attempts_.fill(kNever);
  for (int i = 0; i < params.sub_cores; ++i) {
    sub_cores_.push_back(
        std::make_unique<SubCore>(params, i, next_attempts_[static_cast<std::size_t>(i)], group_));
    if (!constants_.is_perfect()) sub_cores_.back()->attach(constants_);
    sub_cores_.back()->attach(group_tensor_);
  }
  if (params.dependences == "scoreboard") scoreboards_.resize(residency_.warps().size());
}

void Sm::attach(Observer& observer) {
  observer_ = &observer;
  pipeline_.attach(observer);
  residency_.attach(observer);
  for (const auto& sub_core : sub_cores_) sub_core->attach(observer);
}

void Sm::begin_kernel(const Kernel& kernel, int cta_slots, std::int64_t l1_bytes, Cycle launch,
                      Cycle first_cta) {
  kernel_ = &kernel;
  if (observer_ != nullptr) {
    observer_->begin_kernel(kernel);
    observer_->launched(cta_slots, launch);
  }
  pipeline_.begin_kernel(kernel, l1_bytes);
  code_.caches().begin_kernel(kernel.end_line());
  constants_.begin_kernel(kernel.constant_line());
  residency_.begin_kernel(kernel, cta_slots);
  for (const auto& sub_core : sub_cores_) sub_core->begin_kernel(launch, first_cta);
}

void Sm::start_next_cta() {
  was_idle_ = false;
  Cta& cta = residency_.place_next();
  cta.first_completion = completions_.next_order();
  for (const int slot : cta.warps) start(residency_.warp(slot), cta.start);
}

void Sm::start(Warp& warp, Cycle now) {
  if (observer_ != nullptr) observer_->started(warp, now);
  if (!scoreboards_.empty()) scoreboards_[warp.slot] = Scoreboard{};
  warp.stall_until = now;
  warp.stall_reason = CycleReason::kNoWarp;
  sub_core_of(warp).add_warp(warp, now);
  if (!code_.is_perfect()) code_.fetch(warp, now, /*from_start=*/true);
  settle(warp, now, CycleReason::kNoWarp);
}

void Sm::receive(const memory::LineResponse& response, Cycle now) {
  if (observer_ != nullptr) [[unlikely]]
    observer_->answered(response.tag, now);
  const AnswerTag tag = AnswerTag::of(response.tag);
  if (tag.kind == AnswerKind::kCode) return code_arrived(tag.number, now);
  if (tag.kind == AnswerKind::kClusterLine) [[unlikely]]
    return receive_for_cluster(TileCopies::line_for_cta(tag, memory::ClusterFlag(response.flag)),
                               now);
  pipeline_.receive(response, now);
  for (const FlagRead& read : pipeline_.flag_reads()) {
    Warp& warp = residency_.warp(read.warp);
    if (read.is_taken)
      take_number(warp, read.value, now);
    else
      warp.flag = read.value;
  }
  pipeline_.flag_reads().clear();
  if (!fences_.empty()) settle_fences(now);
}

/// The counter from which `warp` requested a number held `count`.
void Sm::take_number(const Warp& warp, std::uint32_t count, Cycle now) {
  Cta& cta = residency_.cta_of(warp);
  cta.taken.push_back(count);
  for (const int slot : cta.warps) {
    Warp& other = residency_.warp(slot);
    if (other.hold != Hold::kNumber || other.cta_slot != warp.cta_slot) continue;
    release(other, now);
    move_on(other, now);
  }
}

/// Lines of code memory also hold constants.
void Sm::code_arrived(std::uint32_t line, Cycle now) {
  code_.caches().receive(line, now);
  if (!constants_.is_perfect()) {
    constants_.receive(line, now);
    pipeline_.constants_arrived(line, now);
    for (Warp& warp : residency_.warps()) {
      if (warp.hold != Hold::kConstant || constants_.code_line(warp.next().immediate) != line)
        continue;
      warp.hold = Hold::kNone;
      warp.stall_until = constants_.arrival(now);
      warp.stall_reason = CycleReason::kConstant;
      settle(warp, now, CycleReason::kConstant);
    }
  }
  code_.arrived(line, now,
                [this, now](Warp& warp) { settle(warp, now, CycleReason::kInstructionFetch); });
}

/// The first `received` entries of the inbox have been taken.
inline Cycle Sm::next_event(std::size_t received) const {
  Cycle next = pipeline_.next_step();
  next = std::min(next, earliest_of_four(&next_attempts_[0]));
  if (sub_cores_.size() > 4) next = std::min(next, earliest_of_four(&next_attempts_[4]));
  next = std::min(next, completions_.next());
  if (received < inbox_.size()) next = std::min(next, inbox_[received].cycle);
  if (!incoming_.empty()) [[unlikely]]
    next = std::min(next, incoming_.begin()->at);
  return std::min(next, residency_.next_start());
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
    while (residency_.next_start() <= now) start_next_cta();
    while (!incoming_.empty() && incoming_.begin()->at <= now) {
      const PeerMessage message = *incoming_.begin();
      incoming_.erase(incoming_.begin());
      receive(message, now);
    }
    while (completions_.next() <= now) complete(completions_.pop(), now);
    if (pipeline_.next_step() <= now) {
      const int freed = pipeline_.step(now);
      if (freed >= 0) sub_cores_[static_cast<std::size_t>(freed)]->wake(now);
    }
    for (std::size_t i = 0; i < sub_cores_.size(); ++i) {
      if (next_attempts_[i] > now) continue;
      SubCore& sub_core = *sub_cores_[i];
      Warp* const warp = sub_core.select(now, pipeline_.room_at(static_cast<int>(i)));
      if (warp == nullptr) continue;
      sub_core.issue(*warp, now);
      carry_out(*warp, now);
    }
    if (residency_.resident_warps() == 0) note_idle(now);
  }
  inbox_.erase(inbox_.begin(), inbox_.begin() + static_cast<std::ptrdiff_t>(received));
}

void Sm::note_idle(Cycle now) {
  if (is_idle() && !was_idle_) idle_since_ = now;
  was_idle_ = is_idle();
}

void Sm::drain(Cycle ended, Cycle done) {
  for (const auto& sub_core : sub_cores_) sub_core->drain(ended, done);
}

void Sm::charge_rest(Cycle end) {
  for (const auto& sub_core : sub_cores_) sub_core->charge_rest(end);
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

bool Sm::has_more_than_loads_under_way() const {
  if (has_writes_under_way() || !pipeline_.is_idle_but_for_lines() || !incoming_.empty() ||
      completions_.has_more_than_results())
    return true;
  return std::ranges::any_of(residency_.warps(), [this](const Warp& warp) {
    return warp.resident && (warp.copies.has_any_under_way() || warp.products.has_any_under_way() ||
                             warp.peer_writes != 0 || residency_.cta_of(warp).boxes_under_way != 0);
  });
}

std::vector<WarpWait> Sm::waits() const {
  const std::vector<const Warp*> resident = residency_.by_age();
  std::vector<WarpWait> waits;
  waits.reserve(resident.size());
  for (const Warp* warp : resident) waits.push_back(wait_of(*warp, residency_.cta_of(*warp)));
  return waits;
}

}  // namespace tcsim::sm
