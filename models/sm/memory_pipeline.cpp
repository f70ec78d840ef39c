#include "models/sm/memory_pipeline.hpp"

#include <algorithm>
#include <bit>

namespace tcsim::sm {
namespace {

constexpr int kWavefrontBytes = 128;
constexpr int kRegisterBytes = 4 * kLanes;
constexpr int kStoreDataCyclesPerRegister =
    2;  // HUE25: 64-bit stores free their sources 2 cycles later, 128-bit 6

// A read's tag says where its data go: a line of the cache, or an operation that went past it and
// how many bytes its lanes take from the line (at most 16 for each of 32 lanes).
constexpr std::uint32_t kPastCache = std::uint32_t{1} << 31;
constexpr int kOperationShift = 10;

/// True where L2 answers without data.
bool is_posted(isa::Effect effect) {
  return effect == isa::Effect::kStoreGlobal || effect == isa::Effect::kReduceGlobal;
}
bool writes_global(isa::Effect effect) {
  return is_posted(effect) || effect == isa::Effect::kAtomicGlobal;
}

std::uint32_t past_cache_tag(int operation, const LineSectors& line) {
  return kPastCache | (static_cast<std::uint32_t>(operation) << kOperationShift) | line.bytes;
}

memory::AtomicClass atomic_class(isa::AtomicType type) {
  switch (type) {
    case isa::AtomicType::kU64:
      return memory::AtomicClass::kInteger64;
    case isa::AtomicType::kF32:
    case isa::AtomicType::kF16x2:
      return memory::AtomicClass::kFloat;
    default:
      return memory::AtomicClass::kInteger32;
  }
}

/// When the tag stage looks up the lines of an instruction, in order of address: aligned neighbours
/// in one cycle.
class Lookups {
 public:
  Lookups(Cycle start, int group_bits) : at_(start - 1), group_bits_(group_bits) {}

  Cycle next(const LineSectors& line) {
    const std::uint64_t group = line.line >> group_bits_;
    if (group != group_) ++at_;
    group_ = group;
    return at_;
  }
  Cycle last() const { return at_; }

 private:
  Cycle at_;
  int group_bits_;
  std::uint64_t group_ = ~std::uint64_t{0};
};

}  // namespace

MemoryCounters::MemoryCounters(stats::Group& group)
    : shared_wavefronts(
          group, "shared_wavefronts", "wavefront",
          "128-byte wavefronts of shared-memory instructions, bank conflicts included."),
      shared_conflict_wavefronts(
          group, "shared_conflict_wavefronts", "wavefront",
          "Wavefronts beyond those that the bytes need: cost of bank conflicts."),
      shared_fill_bytes(group, "shared_fill_bytes", "B",
                        "Bytes that LDGSTS wrote into shared memory."),
      l1_hits(group, "l1_hits", "sector", "Sectors that loads found in L1."),
      l1_misses(group, "l1_misses", "sector",
                "Sectors that loads did not find in L1, those under way included."),
      l1_bypassed(group, "l1_bypassed", "sector",
                  "Sectors read past L1: 16-byte LDGSTS, or no line free."),
      shared_atomic_lanes(group, "shared_atomic_lanes", "lane",
                          "Lanes of atomics on shared memory."),
      global_write_bytes(group, "global_write_bytes", "B",
                         "Bytes of sectors written through to L2."),
      pipeline_busy_cycles(
          group, "memory_pipeline_busy_cycles", "cycle",
          "Cycles of the SM's 128-byte data path taken by wavefronts, loads, stores and fills.") {}

MemoryPipeline::MemoryPipeline(const SmParams& params, int sm, ConstantCache& constants,
                               stats::Group& parent)
    : params_(params),
      sm_(sm),
      queue_capacity_(params.memory_queue.entries + 1),  // plus the dispatch latch (HUE25)
      lookup_bits_(
          std::bit_width(static_cast<unsigned>(params.l1.line_bytes * params.l1.lines_per_lookup)) -
          1),
      source_read_(std::max(
          1, params.memory_queue.source_read_cycles - params.memory_queue.address_interval_cycles)),
      group_("memory_pipeline", parent),
      counters_(group_),
      constants_(constants),
      l1_(params.l1.replacement, sm),
      queues_(static_cast<std::size_t>(params.sub_cores), Queue(queue_capacity_)),
      return_free_(static_cast<std::size_t>(params.sub_cores)),
      warp_writes_(static_cast<std::size_t>(params.residency.max_warps)) {}

void MemoryPipeline::begin_kernel(const Kernel& kernel, std::int64_t l1_bytes) {
  kernel_ = &kernel;
  l1_.configure(l1_bytes, params_.l1.line_bytes, params_.l1.ways);
}

int MemoryPipeline::new_operation() {
  ++operations_busy_;
  if (free_operation_ < 0) {
    operations_.emplace_back();
    return static_cast<int>(operations_.size()) - 1;
  }
  const int number = free_operation_;
  free_operation_ = operations_[static_cast<std::size_t>(number)].next_free;
  return number;
}

void MemoryPipeline::free_operation(int number) {
  --operations_busy_;
  operations_[static_cast<std::size_t>(number)].next_free = free_operation_;
  free_operation_ = number;
}

/// An instruction holds its entry until its sources are read, also while the pipeline already works
/// on it.
Cycle MemoryPipeline::room_at(int sub_core) const {
  const Queue& queue = queues_[static_cast<std::size_t>(sub_core)];
  if (queue.size >= queue_capacity_) return kNever;
  return queue.release(queue_capacity_ - 1 - queue.size);
}

void MemoryPipeline::accept(Warp& warp, int sub_core, std::uint32_t lanes, Cycle now) {
  const int number = new_operation();
  Operation& operation = operations_[static_cast<std::size_t>(number)];
  const DecodedInstruction& instruction = warp.next();
  const DecodedAccess& access =
      warp.recorded ? warp.recorded->access()
                    : warp.program->accesses[static_cast<std::size_t>(instruction.access)];
  operation.warp = &warp;
  operation.instruction = &instruction;
  operation.sub_core = sub_core;
  operation.issued = now;
  operation.copy_group = warp.copy_group;
  operation.lanes = std::popcount(lanes);
  operation.bytes = operation.lanes * access.bytes_per_lane;
  const std::int64_t* fixed =
      warp.recorded ? warp.recorded->addresses()
                    : &warp.fixed_values[2 * static_cast<std::size_t>(instruction.access)];
  const auto uniform = [&warp](const SplitExpression& expression, std::int64_t fixed_value) {
    for (const isa::Term& term : expression.looping) {
      fixed_value += isa::evaluate(term, warp.bindings[static_cast<std::size_t>(term.variable)]);
    }
    return fixed_value;
  };
  LaneValues room;
  const auto offsets = [&warp, &room](const SplitExpression& expression) -> const LaneValues& {
    return Kernel::lane_values(*warp.program, expression, warp.fixed_values.data(), warp.bindings,
                               room);
  };
  switch (instruction.effect) {
    case isa::Effect::kLoadGlobal:
    case isa::Effect::kStoreGlobal:
    case isa::Effect::kAtomicGlobal:
    case isa::Effect::kReduceGlobal:
    case isa::Effect::kCopyGlobalToShared:
      operation.wavefronts = kernel_->global_lines(access, uniform(access.global, fixed[0]),
                                                   offsets(access.global), lanes, operation.lines);
      break;
    case isa::Effect::kLoadConstant:
      operation.lines.clear();
      set_constants(operation, access.shared_swizzle, uniform(access.shared, fixed[1]),
                    offsets(access.shared), lanes);
      break;
    default:
      operation.lines.clear();
      operation.wavefronts = kernel_->shared_wavefronts(
          access, uniform(access.shared, fixed[1]), offsets(access.shared), lanes,
          instruction.effect == isa::Effect::kAtomicShared, operation.minimum_wavefronts);
  }
  operation.flags = access.flags;
  if (writes_global(instruction.effect))
    warp_writes_[warp.slot] += static_cast<int>(operation.lines.size());
  Queue& queue = queues_[static_cast<std::size_t>(sub_core)];
  queue.push(number);
  if (queue.size == 1) {
    set_head_ready(queue);
    update_next_step();
  }
}

/// One word per cycle leaves the cache, to all lanes that want it.
void MemoryPipeline::set_constants(Operation& operation, const isa::Swizzle& swizzle,
                                   std::int64_t base, const LaneValues& offsets,
                                   std::uint32_t lanes) {
  operation.constants.clear();
  for (std::size_t lane = 0; lane < kLanes; ++lane)
    if ((lanes >> lane & 1) != 0)
      operation.constants.push_back(swizzle.apply(base + offsets[lane]));
  std::ranges::sort(operation.constants);
  operation.constants.erase(std::unique(operation.constants.begin(), operation.constants.end()),
                            operation.constants.end());
  operation.wavefronts = static_cast<int>(operation.constants.size());
}

/// The address unit works on one instruction at a time and holds it until the pipeline takes it.
void MemoryPipeline::set_head_ready(Queue& queue) const {
  if (queue.size == 0) {
    queue.head_ready = kNever;
    return;
  }
  const Cycle issued = operations_[static_cast<std::size_t>(queue.front())].issued;
  queue.head_ready =
      std::max(std::max(issued, queue.last_ready) + params_.memory_queue.address_interval_cycles,
               queue.last_accept + 1);
  queue.last_ready = queue.head_ready;
}

void MemoryPipeline::update_next_step() {
  next_step_ = kNever;
  for (const Queue& queue : queues_) {
    if (queue.size == 0) continue;
    const Operation& head = operations_[static_cast<std::size_t>(queue.front())];
    Cycle at = std::max(queue.head_ready, pipe_free_);
    if (!head.lines.empty()) {
      at = std::max(at, tag_free_);
      if (!has_miss_entries(head)) continue;  // `receive` asks again
    }
    next_step_ = std::min(next_step_, at);
  }
}

/// All lines of a read may miss. One that has more of them than there are entries goes when all
/// entries are free. Stores wait for their answers in as many entries of their own (assumption).
bool MemoryPipeline::has_miss_entries(const Operation& operation) const {
  const bool is_store = is_posted(operation.instruction->effect);
  const int under_way = is_store ? stores_under_way_ : lines_under_way_;
  return under_way == 0 ||
         under_way + static_cast<int>(operation.lines.size()) <= params_.l1.miss_entries;
}

bool MemoryPipeline::can_enter(const Operation& operation, Cycle now) const {
  return operation.lines.empty() || (tag_free_ <= now && has_miss_entries(operation));
}

int MemoryPipeline::step(Cycle now) {
  if (pipe_free_ <= now) {
    for (std::size_t i = 0; i < queues_.size(); ++i) {
      const std::size_t sub_core = (turn_ + i) % queues_.size();
      Queue& queue = queues_[sub_core];
      if (queue.head_ready > now) continue;
      const int number = queue.front();
      if (!can_enter(operations_[static_cast<std::size_t>(number)], now)) continue;
      const bool was_full = queue.size == queue_capacity_;
      queue.pop(now + source_read_);
      queue.last_accept = now;
      set_head_ready(queue);
      turn_ = sub_core + 1;
      enter(number, now);
      update_next_step();
      return was_full ? static_cast<int>(sub_core) : -1;
    }
  }
  update_next_step();
  return -1;
}

void MemoryPipeline::enter(int number, Cycle now) {
  const Operation& operation = operations_[static_cast<std::size_t>(number)];
  const DecodedInstruction& instruction = *operation.instruction;
  const int extra = isa::carries_data(instruction.effect)
                        ? kStoreDataCyclesPerRegister * (instruction.data_registers - 1)
                        : 0;
  if (observer_ != nullptr) {
    observer_->entered_memory(*operation.warp, operation.issued, now + source_read_ + extra, now);
  }
  if (instruction.read_counter != isa::ControlBits::kNoCounter) {
    add_event({now + source_read_ + extra, 0, operation.warp, &instruction,
               MemoryEvent::Kind::kSourcesRead, instruction.read_counter, 0,
               operation.lines.empty() ? CycleReason::kDependenceShared
                                       : CycleReason::kDependenceGlobal});
  }
  switch (instruction.effect) {
    case isa::Effect::kLoadGlobal:
      return enter_load(number, now);
    case isa::Effect::kCopyGlobalToShared:
      return enter_copy(number, now);
    case isa::Effect::kStoreGlobal:
    case isa::Effect::kAtomicGlobal:
    case isa::Effect::kReduceGlobal:
      return enter_store(number, now);
    case isa::Effect::kLoadConstant:
      return enter_constant_load(number, now);
    default:
      enter_shared(operation, now);
      free_operation(number);
  }
}

/// Takes the data path for `bytes` from `now` on.
void MemoryPipeline::occupy(int bytes, Cycle now) {
  const Cycle cycles = std::max(1, ceil_div(bytes, params_.l1.bytes_per_cycle));
  pipe_free_ = std::max(pipe_free_, now) + cycles;
  counters_.pipeline_busy_cycles.add(static_cast<std::uint64_t>(cycles));
}

void MemoryPipeline::enter_shared(const Operation& operation, Cycle now) {
  const int conflicts = operation.wavefronts - operation.minimum_wavefronts;
  const bool is_atomic = operation.instruction->effect == isa::Effect::kAtomicShared;
  const int passes = is_atomic ? operation.wavefronts * params_.shared_memory.atomic_pass_cycles
                               : operation.wavefronts;
  occupy(passes * kWavefrontBytes, now);
  if (operation.instruction->effect == isa::Effect::kStoreShared)
    pipe_free_ += params_.shared_memory.store_extra_cycles;
  if (is_atomic) counters_.shared_atomic_lanes.add(static_cast<std::uint64_t>(operation.lanes));
  counters_.shared_wavefronts.add(static_cast<std::uint64_t>(operation.wavefronts));
  counters_.shared_conflict_wavefronts.add(static_cast<std::uint64_t>(conflicts));
  if (operation.instruction->dst_registers == 0) return;
  const int return_cycles =
      ceil_div(kRegisterBytes, params_.memory_queue.load_return_bytes_per_cycle);
  const int inside =
      params_.shared_memory.load_latency_cycles - params_.memory_queue.address_interval_cycles -
      return_cycles +
      (is_atomic ? passes - 1 : conflicts * params_.shared_memory.conflict_extra_cycles);
  finish_load(operation, now + inside, CycleReason::kDependenceShared);
}

/// Sends the data of a load that are ready at `data_at` through the sub-core's return path.
void MemoryPipeline::finish_load(const Operation& operation, Cycle data_at, CycleReason reason) {
  const DecodedInstruction& instruction = *operation.instruction;
  Cycle& free = return_free_[static_cast<std::size_t>(operation.sub_core)];
  free = std::max(free, data_at) + ceil_div(instruction.dst_registers * kRegisterBytes,
                                            params_.memory_queue.load_return_bytes_per_cycle);
  if (observer_ != nullptr) observer_->completed(*operation.warp, operation.issued, free);
  if (instruction.write_counter == isa::ControlBits::kNoCounter) return;
  add_event({free, 0, operation.warp, &instruction, MemoryEvent::Kind::kLoaded,
             instruction.write_counter, 0, reason});
}

memory::LineRequest& MemoryPipeline::send(const LineSectors& line, memory::LineAccess access,
                                          std::uint32_t tag, Cycle at) {
  memory::LineRequest& request = requests_.emplace_back();
  request.cycle = at;
  request.address = line.line;
  request.tag = tag;
  request.sm = static_cast<std::uint16_t>(sm_);
  request.sectors = line.sectors;
  request.access = access;
  request.partial = line.partial;
  return request;
}

void MemoryPipeline::enter_load(int number, Cycle now) {
  Operation& operation = operations_[static_cast<std::size_t>(number)];
  occupy(std::max(operation.bytes, operation.wavefronts * kWavefrontBytes), now);
  operation.lines_left = 0;
  Lookups lookups(now, lookup_bits_);
  const bool past_cache = operation.instruction->opcode == isa::Opcode::kLdgStrong32;
  for (const LineSectors& line : operation.lines) {
    if (past_cache)
      read_past_cache(number, line, lookups.next(line));
    else if (look_up(number, line, lookups.next(line)))
      continue;
    ++operation.lines_left;
  }
  tag_free_ = lookups.last() + 1;
  if (operation.lines_left != 0) return;
  const int return_cycles =
      ceil_div(kRegisterBytes, params_.memory_queue.load_return_bytes_per_cycle);
  const int inside =
      params_.l1.hit_latency_cycles - params_.memory_queue.address_interval_cycles - return_cycles;
  finish_load(operation, lookups.last() + inside, CycleReason::kDependenceGlobal);
  free_operation(number);
}

/// True on a hit; otherwise the operation waits for the line, which is asked for unless it is under
/// way.
bool MemoryPipeline::look_up(int number, const LineSectors& line, Cycle at) {
  int index = l1_.find(line.line);
  const auto sectors = static_cast<std::uint64_t>(std::popcount(line.sectors));
  if (index != L1Cache::kNoLine)
    l1_.use(index);
  else
    index = l1_.allocate(line.line);
  if (index == L1Cache::kNoLine) {
    read_past_cache(number, line, at);
    return false;
  }
  L1Cache::Line& entry = l1_.line(index);
  const auto missing = static_cast<std::uint8_t>(line.sectors & ~entry.valid);
  const auto missed = static_cast<std::uint64_t>(std::popcount(missing));
  counters_.l1_hits.add(sectors - missed);
  counters_.l1_misses.add(missed);
  if (missing == 0) return true;
  const auto ask = static_cast<std::uint8_t>(missing & ~entry.pending);
  if (entry.pending != 0 &&
      (ask != 0 || static_cast<int>(entry.waiters.size()) >= params_.l1.miss_merges)) {
    // Other sectors of a line under way, or too many waiting on it: a request of its own, past the
    // cache.
    read_past_cache(number, line, at);
    return false;
  }
  entry.waiters.push_back(number);
  if (ask != 0) {
    entry.pending = ask;
    ++lines_under_way_;
    LineSectors asked = line;
    asked.sectors = ask;
    asked.partial = 0;
    send(asked, memory::LineAccess::kRead, static_cast<std::uint32_t>(index), leaves_at(at));
  }
  return false;
}

/// When the request of a look-up at `at` leaves the SM.
Cycle MemoryPipeline::leaves_at(Cycle at) const {
  return at + params_.l1.hit_latency_cycles / 2 - params_.memory_queue.address_interval_cycles;
}

void MemoryPipeline::read_past_cache(int number, const LineSectors& line, Cycle at) {
  counters_.l1_bypassed.add(static_cast<std::uint64_t>(std::popcount(line.sectors)));
  ++lines_under_way_;
  memory::LineRequest& request =
      send(line, memory::LineAccess::kRead, past_cache_tag(number, line), leaves_at(at));
  const Operation& operation = operations_[static_cast<std::size_t>(number)];
  if (operation.flags) request.flag = {true, line.word, 0};
  request.prefetches_line = isa::opcode_info(operation.instruction->opcode).prefetches_line;
}

void MemoryPipeline::enter_copy(int number, Cycle now) {
  Operation& operation = operations_[static_cast<std::size_t>(number)];
  pipe_free_ = now + 1;
  operation.lines_left = static_cast<int>(operation.lines.size());
  Lookups lookups(now, lookup_bits_);
  for (const LineSectors& line : operation.lines) read_past_cache(number, line, lookups.next(line));
  tag_free_ = lookups.last() + 1;
}

/// Stores, and atomics, which go past the L1 in the same way.
void MemoryPipeline::enter_store(int number, Cycle now) {
  Operation& operation = operations_[static_cast<std::size_t>(number)];
  const isa::OpcodeInfo& info = isa::opcode_info(operation.instruction->opcode);
  const bool returns = info.effect == isa::Effect::kAtomicGlobal;
  const memory::LineAccess access = returns ? memory::LineAccess::kAtomic
                                    : info.effect == isa::Effect::kReduceGlobal
                                        ? memory::LineAccess::kReduction
                                        : memory::LineAccess::kWrite;
  occupy(operation.bytes, now);
  Lookups lookups(now, lookup_bits_);
  for (const LineSectors& line : operation.lines) {
    const int index = l1_.find(line.line);
    if (index != L1Cache::kNoLine) {  // write-through, no write into L1: the old sectors go
      L1Cache::Line& entry = l1_.line(index);
      entry.valid = static_cast<std::uint8_t>(entry.valid & ~line.sectors);
    }
    if (!returns)
      ++stores_under_way_;
    else
      ++lines_under_way_;
    const std::uint32_t tag = returns ? past_cache_tag(number, line) : operation.warp->slot;
    memory::LineRequest& request = send(line, access, tag, leaves_at(lookups.next(line)));
    if (access == memory::LineAccess::kWrite)
      counters_.global_write_bytes.add(static_cast<std::uint64_t>(std::popcount(line.sectors)) *
                                       static_cast<std::uint64_t>(params_.l1.sector_bytes));
    else
      request.atomic = {line.lanes, line.passes, atomic_class(info.atomic_type)};
    if (operation.flags)
      request.flag = {true, line.word, static_cast<std::int16_t>(operation.instruction->immediate)};
  }
  tag_free_ = lookups.last() + 1;
  operation.lines_left = static_cast<int>(operation.lines.size());
  if (!returns) free_operation(number);
}

void MemoryPipeline::enter_constant_load(int number, Cycle now) {
  pipe_free_ = std::max(pipe_free_, now) + operations_[static_cast<std::size_t>(number)].wavefronts;
  if (!finish_constant_load(number, now)) constant_waiters_.push_back(number);
}

/// False if some constants are on their way from L2.
bool MemoryPipeline::finish_constant_load(int number, Cycle now) {
  const Operation& operation = operations_[static_cast<std::size_t>(number)];
  Cycle ready = now;
  for (const std::int64_t offset : operation.constants)
    if (!constants_.is_perfect()) ready = std::max(ready, constants_.load(offset, now));
  if (ready == kNever) return false;
  const int return_cycles =
      ceil_div(kRegisterBytes, params_.memory_queue.load_return_bytes_per_cycle);
  const int inside = params_.constant_cache.load_latency_cycles -
                     params_.memory_queue.address_interval_cycles - return_cycles +
                     operation.wavefronts - 1;
  finish_load(operation, ready + inside, CycleReason::kConstant);
  free_operation(number);
  return true;
}

void MemoryPipeline::constants_arrived(Cycle now) {
  std::erase_if(constant_waiters_,
                [this, now](int number) { return finish_constant_load(number, now); });
}

void MemoryPipeline::receive(const memory::LineResponse& response, Cycle now) {
  if (memory::is_write_done(response.tag)) {
    --stores_under_way_;
    write_answered(response.tag & ~memory::kWriteDone);
    last_store_done_ = now;
    update_next_step();
    return;
  }
  --lines_under_way_;
  if ((response.tag & kPastCache) != 0) {
    const auto number = static_cast<int>((response.tag & ~kPastCache) >> kOperationShift);
    const Operation& operation = operations_[static_cast<std::size_t>(number)];
    if (operation.flags) operation.warp->flag = response.flag;
    line_arrived(number, static_cast<int>(response.tag & ((1U << kOperationShift) - 1)), now);
  } else {
    L1Cache::Line& line = l1_.line(static_cast<int>(response.tag));
    line.valid |= line.pending;
    line.pending = 0;
    for (const int number : line.waiters) line_arrived(number, 0, now);
    line.waiters.clear();
  }
  update_next_step();
}

void MemoryPipeline::line_arrived(int number, int bytes, Cycle now) {
  Operation& operation = operations_[static_cast<std::size_t>(number)];
  const bool is_copy = operation.instruction->effect == isa::Effect::kCopyGlobalToShared;
  if (is_copy) {  // the data take shared-memory write bandwidth as they arrive
    counters_.shared_fill_bytes.add(static_cast<std::uint64_t>(bytes));
    fill_bytes_ += bytes;
    for (; fill_bytes_ >= kWavefrontBytes; fill_bytes_ -= kWavefrontBytes)
      occupy(kWavefrontBytes, now);
  }
  if (operation.instruction->effect == isa::Effect::kAtomicGlobal)
    write_answered(operation.warp->slot);
  if (--operation.lines_left != 0) return;
  if (is_copy) {
    const Cycle copied = now + params_.l1.copy_to_shared_cycles;
    if (observer_ != nullptr) observer_->completed(*operation.warp, operation.issued, copied);
    add_event({copied, 0, operation.warp, operation.instruction, MemoryEvent::Kind::kCopied, 0,
               operation.copy_group, CycleReason::kCopyWait});
  } else {
    const int return_cycles =
        ceil_div(kRegisterBytes, params_.memory_queue.load_return_bytes_per_cycle);
    const int inside =
        params_.l1.hit_latency_cycles - params_.l1.hit_latency_cycles / 2 - return_cycles;
    finish_load(operation, now + inside, CycleReason::kDependenceGlobal);
  }
  free_operation(number);
}

void MemoryPipeline::add_event(MemoryEvent event) {
  event.order = order_++;
  events_.push_back(event);
}

}  // namespace tcsim::sm
