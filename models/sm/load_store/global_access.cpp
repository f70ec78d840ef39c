#include "models/sm/load_store/global_access.hpp"

#include <algorithm>
#include <bit>

namespace tcsim::sm {
namespace {

/// True where L2 answers without data.
bool is_posted(isa::Effect effect) {
  return effect == isa::Effect::kStoreGlobal || effect == isa::Effect::kReduceGlobal;
}
bool writes_global(isa::Effect effect) {
  return is_posted(effect) || effect == isa::Effect::kAtomicGlobal;
}

std::uint32_t past_cache_tag(int operation, const LineSectors& line) {
  return AnswerTag{AnswerKind::kPastCache, static_cast<std::uint32_t>(operation), line.bytes}
      .encoded();
}

bool goes_past_cache(const MemoryOperation& operation) {
  return isa::opcode_info(operation.instruction->opcode).bytes_per_lane == 16;
}
bool prefetches_line(const MemoryOperation& operation) {
  return isa::opcode_info(operation.instruction->opcode).prefetches_line;
}

memory::LineAccess written_by(isa::Effect effect) {
  switch (effect) {
    case isa::Effect::kAtomicGlobal:
      return memory::LineAccess::kAtomic;
    case isa::Effect::kReduceGlobal:
      return memory::LineAccess::kReduction;
    default:
      return memory::LineAccess::kWrite;
  }
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

}  // namespace

GlobalAccess::GlobalAccess(const SmParams& params, int sm, MemoryOperations& operations,
                           DataPath& path, MemoryCompletion& completion, MemoryCounters& counters)
    : params_(params.l1),
      sm_(static_cast<std::uint16_t>(sm)),
      hit_cycles_(params.l1.hit_latency_cycles - params.memory_queue.address_interval_cycles -
                  completion.register_cycles()),
      request_cycles_(params.l1.hit_latency_cycles / 2 -
                      params.memory_queue.address_interval_cycles),
      return_cycles_(params.l1.hit_latency_cycles - params.l1.hit_latency_cycles / 2 -
                     completion.register_cycles()),
      operations_(operations),
      path_(path),
      completion_(completion),
      counters_(counters),
      l1_(params.l1.replacement, sm),
      tags_(params.l1) {}

void GlobalAccess::issued(const MemoryOperation& operation) {
  if (writes_global(operation.instruction->effect))
    writes_.issued(operation.cta, static_cast<int>(operation.lines.size()));
}

/// All lines of a read may miss. A read with more lines than there are entries goes when all
/// entries are free. Stores wait for their answers in the same number of separate entries
/// (assumption).
Cycle GlobalAccess::room_at(const MemoryOperation& operation) const {
  const bool is_store = is_posted(operation.instruction->effect);
  const int under_way = is_store ? stores_under_way_ : lines_under_way_;
  const bool has_entries = under_way == 0 || under_way + static_cast<int>(operation.lines.size()) <=
                                                 params_.miss_entries;
  return has_entries ? tags_.free_at() : kNever;
}

memory::LineRequest& GlobalAccess::send(const LineSectors& line, memory::LineAccess access,
                                        std::uint32_t tag, Cycle at) {
  memory::LineRequest& request = requests_.emplace_back();
  request.cycle = at;
  request.address = line.line;
  request.tag = tag;
  request.sm = sm_;
  request.sectors = line.sectors;
  request.access = access;
  request.partial = line.partial;
  return request;
}

void GlobalAccess::load(int number, Cycle now) {
  MemoryOperation& operation = operations_[number];
  path_.move(std::max(operation.bytes, operation.wavefronts * kWavefrontBytes), now);
  operation.lines_left = 0;
  tags_.start(now);
  const bool past_cache = operation.instruction->opcode == isa::Opcode::kLdgStrong32;
  for (const LineSectors& line : operation.lines) {
    const Cycle at = tags_.look_up(line.line);
    if (past_cache)
      read_past_cache(number, line, at);
    else if (look_up(number, line, at))
      continue;
    ++operation.lines_left;
  }
  if (operation.lines_left != 0) return;
  completion_.write_back(operation, tags_.last() + hit_cycles_, CycleReason::kDependenceGlobal);
  operations_.give_back(number);
}

/// True on a hit. Otherwise the operation waits for the sectors that are missing, of which those
/// that are not already in flight are requested.
bool GlobalAccess::look_up(int number, const LineSectors& line, Cycle at) {
  int index = l1_.find(line.line);
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
  if (static_cast<int>(entry.waiters.size()) >= params_.miss_merges && missing != 0) {
    read_past_cache(number, line, at);  // too many operations wait for the line
    return false;
  }
  const int missed = std::popcount(missing);
  counters_.l1_hits.add(static_cast<std::uint64_t>(std::popcount(line.sectors) - missed));
  counters_.l1_misses.add(static_cast<std::uint64_t>(missed));
  if (missing == 0) return true;
  entry.waiters.push_back({number, missing});
  const auto ask = static_cast<std::uint8_t>(missing & ~entry.pending);
  if (ask != 0) {
    entry.pending |= ask;
    ++lines_under_way_;
    LineSectors asked = line;
    asked.sectors = ask;
    asked.partial = 0;
    const AnswerTag tag{AnswerKind::kLine, static_cast<std::uint32_t>(index), 0, ask};
    send(asked, memory::LineAccess::kRead, tag.encoded(), leaves_at(at)).prefetches_line =
        prefetches_line(operations_[number]);
  }
  return false;
}

void GlobalAccess::read_past_cache(int number, const LineSectors& line, Cycle at) {
  counters_.l1_bypassed.add(static_cast<std::uint64_t>(std::popcount(line.sectors)));
  ++lines_under_way_;
  memory::LineRequest& request =
      send(line, memory::LineAccess::kRead, past_cache_tag(number, line), leaves_at(at));
  const MemoryOperation& operation = operations_[number];
  if (operation.flags) request.flag = {true, line.word, 0};
  request.prefetches_line = prefetches_line(operation);
}

/// Copies of 16 bytes (cp.async.cg) pass by the L1, smaller ones (cp.async.ca) go through it.
void GlobalAccess::copy(int number, Cycle now) {
  MemoryOperation& operation = operations_[number];
  path_.block(1, now);
  operation.lines_left = 0;
  tags_.start(now);
  for (const LineSectors& line : operation.lines) {
    const Cycle at = tags_.look_up(line.line);
    if (goes_past_cache(operation))
      read_past_cache(number, line, at);
    else if (look_up(number, line, at))
      continue;
    ++operation.lines_left;
  }
  if (operation.lines_left != 0) return;
  copied(operation, now, tags_.last() + hit_cycles_);
  operations_.give_back(number);
}

void GlobalAccess::write(int number, Cycle now) {
  MemoryOperation& operation = operations_[number];
  const isa::OpcodeInfo& info = isa::opcode_info(operation.instruction->opcode);
  const memory::LineAccess access = written_by(info.effect);
  const bool returns = access == memory::LineAccess::kAtomic;
  path_.move(operation.bytes, now);
  tags_.start(now);
  for (const LineSectors& line : operation.lines) {
    const int index = l1_.find(line.line);
    if (index != L1Cache::kNoLine) {  // write-through, no allocation in L1: old sectors are dropped
      L1Cache::Line& entry = l1_.line(index);
      entry.valid = static_cast<std::uint8_t>(entry.valid & ~line.sectors);
    }
    ++(returns ? lines_under_way_ : stores_under_way_);
    const std::uint32_t tag = returns ? past_cache_tag(number, line)
                                      : AnswerTag{AnswerKind::kWrite, operation.cta}.encoded();
    memory::LineRequest& request = send(line, access, tag, leaves_at(tags_.look_up(line.line)));
    if (access == memory::LineAccess::kWrite)
      counters_.global_write_bytes.add(static_cast<std::uint64_t>(std::popcount(line.sectors)) *
                                       static_cast<std::uint64_t>(params_.sector_bytes));
    else
      request.atomic = {line.lanes, line.passes, atomic_class(info.atomic_type)};
    if (operation.flags)
      request.flag = {true, line.word, static_cast<std::int16_t>(operation.instruction->immediate)};
  }
  operation.lines_left = static_cast<int>(operation.lines.size());
  if (!returns) operations_.give_back(number);
}

void GlobalAccess::receive(const AnswerTag& tag, std::uint32_t flag, Cycle now) {
  last_answer_ = now;
  if (tag.kind == AnswerKind::kWrite) {
    --stores_under_way_;
    writes_.answered(tag.number);
    return;
  }
  --lines_under_way_;
  const auto number = static_cast<int>(tag.number);
  if (tag.kind == AnswerKind::kPastCache) {
    const MemoryOperation& operation = operations_[number];
    if (operation.flags)
      flag_reads_.push_back(
          {operation.id.warp, flag, operation.instruction->effect == isa::Effect::kAtomicGlobal});
    line_arrived(number, tag.bytes, now);
  } else {
    L1Cache::Line& line = l1_.line(number);
    line.valid |= tag.sectors;
    line.pending &= static_cast<std::uint8_t>(~tag.sectors);
    std::erase_if(line.waiters, [&](L1Cache::Line::Waiter& waiter) {
      waiter.sectors &= static_cast<std::uint8_t>(~tag.sectors);
      if (waiter.sectors == 0) line_arrived(waiter.operation, 0, now);
      return waiter.sectors == 0;
    });
  }
}

void GlobalAccess::line_arrived(int number, int bytes, Cycle now) {
  MemoryOperation& operation = operations_[number];
  const isa::Effect effect = operation.instruction->effect;
  const bool is_copy = effect == isa::Effect::kCopyGlobalToShared;
  if (is_copy && goes_past_cache(operation)) fill_shared(bytes, now);
  if (effect == isa::Effect::kAtomicGlobal) writes_.answered(operation.cta);
  if (--operation.lines_left != 0) return;
  if (is_copy)
    copied(operation, now, now);
  else
    completion_.write_back(operation, now + return_cycles_, CycleReason::kDependenceGlobal);
  operations_.give_back(number);
}

/// All data of a copy are known to be there at `ready`. Those that came through the L1 are written
/// at once.
void GlobalAccess::copied(const MemoryOperation& operation, Cycle now, Cycle ready) {
  if (!goes_past_cache(operation)) fill_shared(operation.bytes, now);
  completion_.end(operation, ready + params_.copy_to_shared_cycles, CycleReason::kCopyWait);
}

/// Arriving data of copies use shared-memory write bandwidth.
void GlobalAccess::fill_shared(int bytes, Cycle now) {
  counters_.shared_fill_bytes.add(static_cast<std::uint64_t>(bytes));
  fill_bytes_ += bytes;
  for (; fill_bytes_ >= kWavefrontBytes; fill_bytes_ -= kWavefrontBytes)
    path_.move(kWavefrontBytes, now);
}

}  // namespace tcsim::sm
