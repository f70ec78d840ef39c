#include "sim/timeline/path_listener.hpp"

#include <stdexcept>
#include <string>

#include "models/isa/expression.hpp"
#include "models/sm/async_operands.hpp"
#include "sim/timeline/recorder.hpp"

namespace tcsim::timeline {
namespace {

using isa::Effect;
using sm::CycleReason;

std::int64_t variable(const sm::Warp& warp, isa::Variable name) {
  return warp.bindings[static_cast<std::size_t>(name)];
}

/// The innermost loop round the next instruction of `warp`, by its number; kNoPlace outside.
int loop_of(const sm::Warp& warp) {
  const std::vector<sm::DecodedLoop>& loops = warp.program->loops;
  int found = kNoPlace;
  const int pc = warp.pc();
  for (std::size_t i = 0; i < loops.size(); ++i) {
    if (pc < loops[i].first || pc > loops[i].last) continue;
    if (found == kNoPlace || loops[i].depth > loops[static_cast<std::size_t>(found)].depth)
      found = static_cast<int>(i);
  }
  return found;
}

bool is_answered_write(Effect effect) {
  return effect == Effect::kStoreGlobal || effect == Effect::kReduceGlobal ||
         effect == Effect::kAtomicGlobal || isa::writes_tile(effect);
}

}  // namespace

std::size_t PathEvents::number_of(const sm::Kernel& kernel) {
  const auto known = std::ranges::find(kernels, &kernel);
  const auto number = static_cast<std::size_t>(known - kernels.begin());
  if (known != kernels.end()) return number;
  kernels.push_back(&kernel);
  reached.clear();
  KernelPath& path = programs.emplace_back();
  path.name = kernel.launch().name;
  for (const isa::WarpProgram& program : kernel.launch().programs) {
    path.texts.emplace_back();
    path.opcodes.emplace_back();
    for (const isa::Instruction& instruction : program.instructions) {
      path.texts.back().push_back(instruction_text(instruction));
      path.opcodes.back().push_back(instruction.opcode);
    }
  }
  return number;
}

PathRef PathEvents::latest(std::int64_t cluster, std::int64_t barrier, Cycle now) const {
  PathRef found;
  const auto known = reached.find(cluster);
  if (known == reached.end()) return found;
  for (const Reached& event : known->second)
    if (event.barrier == barrier && event.event->at < now &&
        (!found || event.event->at > found->at))
      found = event.event;
  return found;
}

void PathListener::begin_kernel(const sm::Kernel& kernel) {
  kernel_ = &kernel;
  ordinal_ = shared_.number_of(kernel);
  if (ends_.size() <= ordinal_) ends_.resize(ordinal_ + 1);
}

void PathListener::launched(int cta_slots, Cycle launch) {
  warps_.clear();
  ctas_.assign(static_cast<std::size_t>(cta_slots), {});
  sub_cores_.clear();
  ended_.clear();
  products_.clear();
  last_entered_ = latest_ = {};
  started_ = 0;
  PathNode node;
  node.at = launch;
  node.sm = sm_;
  launch_ = PathRef(shared_.nodes, shared_.nodes.add(node));
}

void PathListener::started(const sm::Warp& warp, Cycle at) {
  OfCta& cta = ctas_[warp.cta_slot];
  if (variable(warp, isa::Variable::kWarp) == 0) {
    cta = {};
    const bool is_first = started_++ < ctas_.size() || ended_.empty();
    PathRef before = launch_;
    if (!is_first) {
      before = ended_.front();
      ended_.pop_front();
    }
    PathNode place = place_of(warp);
    place.program = place.loop = kNoPlace;
    place.instruction = kNoPlace;
    cta.start = add(at, before, is_first ? PathCause::kLaunch : PathCause::kDispatch, place);
  }
  if (warp.slot >= warps_.size()) warps_.resize(warp.slot + std::size_t{1});
  warps_[warp.slot] = {};
  warps_[warp.slot].cta_slot = warp.cta_slot;
  warps_[warp.slot].last = cta.start;
}

void PathListener::issued(const sm::Warp& warp, const sm::IssueWait& wait, Cycle now) {
  const sm::DecodedInstruction& next = warp.next();
  OfWarp& own = warps_[warp.slot];
  const Wait last = last_wait(warp, wait, now);
  const PathRef event = add(now, last.before, last.cause, place_of(warp));
  own.last = latest_ = event;
  own.last_effect = next.effect;
  own.release = {};
  OfSubCore& sub_core = sub_core_of(warp);
  sub_core.last = event;
  sub_core.users[static_cast<std::size_t>(next.pipe)] = event;
  if (next.pipe == isa::Pipe::kFp64) fp64_user_ = event;
  own.recent[own.issues++ % own.recent.size()] = {event, now + next.latency};
  std::erase_if(own.operations, [now](const Operation& operation) {
    return operation.read <= now && operation.done <= now;
  });
  if (isa::is_memory(next.effect)) own.operations.push_back({.issue = now, .issued = event});
  if (next.effect >= Effect::kInitBarrier) note_asynchronous(warp, event);
  if (is_answered_write(next.effect)) ends_[ordinal_].store = ctas_[warp.cta_slot].store = event;
  if (next.effect == Effect::kExit) ctas_[warp.cta_slot].exit = event;
}

void PathListener::entered_memory(sm::IssueId instruction, const sm::MemoryEntry& entry) {
  Operation* const operation = find(instruction);
  if (operation == nullptr) return;
  OfSubCore& sub_core = sub_cores_[instruction.warp % sub_cores_.size()];
  const PathNode place = operation->issued.node();
  const Wait wait = wait_to_enter(*operation, sub_core, entry);
  const Cycle lifted = std::max({entry.address_ready, entry.turn, entry.entries_free});
  PathRef event = add(lifted, wait.before, wait.cause, place);
  // Then arriving data or operands of a wgmma have the path.
  if (lifted < entry.at) event = add(entry.at, event, PathCause::kDataPath, place);
  operation->entered = sub_core.entered = last_entered_ = event;
  operation->read = entry.sources_read;
}

PathListener::Wait PathListener::wait_to_enter(const Operation& operation,
                                               const OfSubCore& sub_core,
                                               const sm::MemoryEntry& entry) const {
  if (entry.entries_free > std::max(entry.address_ready, entry.turn))
    return {operation.issued, PathCause::kMissEntries};
  if (entry.turn > entry.address_ready) {
    const bool is_behind = last_entered_ && last_entered_->at < entry.turn;
    return {is_behind ? last_entered_ : operation.issued, PathCause::kDataPath};
  }
  const PathRef& other = sub_core.entered;
  const bool is_behind =
      other && other->at > operation.issued->at && other->at < entry.address_ready;
  return {is_behind ? other : operation.issued, PathCause::kMemoryQueue};
}

void PathListener::completed(sm::IssueId instruction, Cycle at) {
  Operation* const operation = find(instruction);
  if (operation == nullptr) return;
  operation->done = at;
  const PathNode place = operation->issued.node();
  if (!operation->entered) {
    operation->completed = add(at, operation->issued, PathCause::kDependence, place);
  } else if (answered_ > operation->entered->at) {
    operation->completed =
        add(at, add_answer(operation->entered, PathCause::kRequestPort), PathCause::kReturn, place);
  } else {
    operation->completed = add(at, operation->entered, latency_of(place), place);
  }
}

void PathListener::changes_mbarrier(sm::IssueId instruction, Cycle at) {
  for (Signal& signal : signals_) {
    if (signal.warp != instruction.warp || signal.issue != instruction.issue) continue;
    PathCause cause = signal.is_box ? PathCause::kTileCopy : PathCause::kMbarrier;
    if (signal.is_box && answered_ > signal.event->at) {
      signal.event = add_answer(signal.event, PathCause::kTileCopy);
      cause = PathCause::kReturn;
    }
    signal.event = add(at, signal.event, cause, signal.event.node());
    signal.at = at;
  }
}

void PathListener::started_product(const sm::Warp& first, const sm::ProductTurn& turn) {
  Product product{turn, first.cta_slot, {}, latest_};
  if (turn.joined > latest_->at) {  // the queue was full until a product before moved on
    for (const Product& other : products_)
      if (other.turn.end == turn.joined || other.turn.start == turn.joined)
        product.joined = other.start;
  }
  const bool waits = turn.start > turn.joined && !products_.empty();
  product.start = add(turn.start, waits ? products_.back().start : product.joined, PathCause::kPipe,
                      latest_.node());
  constexpr std::size_t kProductsKept = 32;
  products_.push_back(std::move(product));
  if (products_.size() > kProductsKept) products_.pop_front();
}

void PathListener::released(const sm::Warp& warp, Cycle now) {
  OfWarp& own = warps_[warp.slot];
  switch (own.last_effect) {
    case Effect::kBarrier:
      own.release = {latest_, PathCause::kBarrier};
      break;
    case Effect::kFence:
      own.release = {ctas_[warp.cta_slot].store, PathCause::kWrites};
      break;
    case Effect::kClusterWait:
      own.release = {shared_.latest(cluster_of(warp), PathEvents::kClusterBarrier, now),
                     PathCause::kCluster};
      break;
    case Effect::kWaitPhase:
      own.release = end_of_phase(warp, now);
      break;
    default:
      break;
  }
}

void PathListener::ended(std::uint16_t cta_slot, Cycle at) {
  const OfCta& cta = ctas_[cta_slot];
  PathRef before = cta.exit;
  for (const OfWarp& warp : warps_) {
    if (warp.cta_slot != cta_slot) continue;
    for (const Operation& operation : warp.operations)
      if (operation.completed && operation.done < at && operation.done > before->at)
        before = operation.completed;
  }
  const PathRef event = add(at, before, PathCause::kDrain, before.node());
  ended_.push_back(event);
  ends_[ordinal_].cta = event;
}

std::pair<PathRef, PathCause> PathListener::last_of(std::size_t ordinal, Cycle end) const {
  if (ordinal >= ends_.size()) return {{}, PathCause::kDrain};
  const OfKernel& kernel = ends_[ordinal];
  if (kernel.store && (!kernel.cta || kernel.cta->at < end))
    return {kernel.store, PathCause::kWrites};
  return {kernel.cta, PathCause::kDrain};
}

PathRef PathListener::add(Cycle at, const PathRef& before, PathCause cause, const PathNode& place) {
  if (before->at > at)
    throw std::logic_error("critical path: cause after its effect: " +
                           std::string(cause_name(cause)));
  PathNode node = place;
  node.at = at;
  node.before = before.index();
  node.cause = cause;
  node.sm = sm_;
  return {shared_.nodes, shared_.nodes.add(node)};
}

PathRef PathListener::add_answer(const PathRef& before, PathCause until_sent) {
  const PathNode place = before.node();
  PathRef last = before;
  const auto reach = [&](Cycle at, PathCause cause) {
    at = std::min(at, answered_);
    if (at > last->at) last = add(at, last, cause, place);
  };
  if (!answered_read_) {
    reach(answered_, PathCause::kMemorySide);
    return last;
  }
  reach(answered_read_->sent, until_sent);
  reach(answered_read_->arrived, PathCause::kNetwork);
  if (answered_read_->found == kNever) {
    reach(answered_, PathCause::kMemorySide);
    return last;
  }
  reach(answered_read_->looked_up, PathCause::kL2Queue);
  reach(answered_read_->found, PathCause::kL2Miss);
  reach(answered_read_->left, PathCause::kL2);
  reach(answered_, PathCause::kNetwork);
  return last;
}

PathNode PathListener::place_of(const sm::Warp& warp) const {
  PathNode node;
  node.warp = warp.slot;
  node.cta = isa::number_of_cta(kernel_->launch(), {variable(warp, isa::Variable::kCtaX),
                                                    variable(warp, isa::Variable::kCtaY),
                                                    variable(warp, isa::Variable::kCtaZ)});
  node.program = static_cast<std::int16_t>(program_number_of(*kernel_, warp));
  node.instruction = warp.pc();
  const int loop = loop_of(warp);
  node.loop = static_cast<std::int16_t>(loop);
  if (loop == kNoPlace) return node;
  const int depth = warp.program->loops[static_cast<std::size_t>(loop)].depth;
  node.trip = static_cast<std::int32_t>(warp.bindings[isa::loop_place(depth)]);
  return node;
}

PathListener::OfSubCore& PathListener::sub_core_of(const sm::Warp& warp) {
  if (warp.sub_core >= sub_cores_.size()) sub_cores_.resize(warp.sub_core + std::size_t{1});
  return sub_cores_[warp.sub_core];
}

PathListener::Operation* PathListener::find(sm::IssueId instruction) {
  if (instruction.warp >= warps_.size()) return nullptr;
  std::vector<Operation>& operations = warps_[instruction.warp].operations;
  const auto found = std::ranges::find(operations, instruction.issue, &Operation::issue);
  return found == operations.end() ? nullptr : &*found;
}

PathCause PathListener::latency_of(const PathNode& place) const {
  const isa::Opcode opcode =
      shared_.programs[ordinal_].opcodes[static_cast<std::size_t>(place.program)]
                                        [static_cast<std::size_t>(place.instruction)];
  const Effect effect = isa::opcode_info(opcode).effect;
  if (effect == Effect::kLoadConstant) return PathCause::kConstant;
  return isa::addresses_global(effect) ? PathCause::kL1 : PathCause::kShared;
}

void PathListener::note_asynchronous(const sm::Warp& warp, const PathRef& event) {
  const sm::DecodedInstruction& next = warp.next();
  if (next.effect == Effect::kArrive || next.effect == Effect::kArriveWithBytes ||
      next.effect == Effect::kLoadTile) {
    constexpr std::size_t kSignalsKept = 512;
    const bool is_box = next.effect == Effect::kLoadTile;
    signals_.push_back({warp.slot, warp.cta_slot, is_box, event->at, event});
    if (signals_.size() > kSignalsKept) signals_.pop_front();
  } else if (next.effect == Effect::kArriveRemote || next.effect == Effect::kLoadTileToMany ||
             next.effect == Effect::kPutTile) {
    note_reached(warp, sm::barrier_byte_of(warp, next), event);
  } else if (next.effect == Effect::kClusterArrive) {
    note_reached(warp, PathEvents::kClusterBarrier, event);
  } else if (next.effect == Effect::kWaitPhase) {
    warps_[warp.slot].waits_at = sm::barrier_byte_of(warp, next);
  }
}

void PathListener::note_reached(const sm::Warp& warp, std::int64_t barrier, const PathRef& event) {
  std::deque<PathEvents::Reached>& reached = shared_.reached[cluster_of(warp)];
  reached.push_back({barrier, event});
  if (reached.size() > PathEvents::kReachedKept) reached.pop_front();
}

std::int64_t PathListener::cluster_of(const sm::Warp& warp) const {
  const isa::KernelLaunch& launch = kernel_->launch();
  std::int64_t number = 0;
  for (std::size_t i = launch.cluster.size(); i-- > 0;)
    number = number * (launch.grid[i] / launch.cluster[i]) + warp.bindings[i] / launch.cluster[i];
  return number;
}

}  // namespace tcsim::timeline
