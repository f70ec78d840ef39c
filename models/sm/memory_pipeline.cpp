#include "models/sm/memory_pipeline.hpp"

#include <algorithm>
#include <bit>

namespace tcsim::sm {
namespace {

constexpr int kStoreDataCyclesPerRegister =
    2;  // HUE25: 64-bit stores free their sources 2 cycles later, 128-bit 6

MemoryQueue queue_of(const MemoryQueueParams& params) {
  return {params.entries + 1, params.address_interval_cycles};  // the extra entry is the dispatch
                                                                // latch (HUE25)
}

int sectors_of(const MemoryOperation& operation) {
  int sectors = 0;
  for (const LineSectors& line : operation.lines) sectors += std::popcount(line.sectors);
  return sectors;
}

}  // namespace

MemoryPipeline::MemoryPipeline(const SmParams& params, int sm, ConstantCache& constants,
                               CompletionQueue& told, PeerPort& port, stats::Group& parent)
    : source_read_(std::max(
          1, params.memory_queue.source_read_cycles - params.memory_queue.address_interval_cycles)),
      group_("memory_pipeline", parent),
      counters_(group_),
      told_(told),
      queues_(static_cast<std::size_t>(params.sub_cores), queue_of(params.memory_queue)),
      path_(params.l1.bytes_per_cycle, std::max(1, params.group_tensor.load_interval_cycles),
            counters_.pipeline_busy_cycles),
      completion_(params, told),
      shared_(params, path_, completion_, counters_),
      global_(params, sm, operations_, path_, completion_, counters_),
      cluster_(params, operations_, shared_, path_, completion_, told, port),
      constants_(params, constants, operations_, path_, completion_),
      tiles_(params, sm, path_, port, told, counters_) {}

void MemoryPipeline::begin_kernel(const Kernel& kernel, std::int64_t l1_bytes) {
  kernel_ = &kernel;
  global_.begin_kernel(l1_bytes);
}

void MemoryPipeline::attach(Observer& observer) {
  observer_ = &observer;
  entries_free_.assign(queues_.size(), 0);
  completion_.attach(observer);
  tiles_.attach(observer);
}

void MemoryPipeline::accept(const IssuedAccess& access, int sub_core) {
  const int number = operations_.take();
  MemoryOperation& operation = operations_[number];
  operation.instruction = &access.instruction;
  operation.id = access.id;
  operation.cta = access.cta;
  operation.sources_read = access.sources_read;
  operation.done = access.done;
  operation.written = access.written;
  operation.sub_core = sub_core;
  operation.lanes = std::popcount(access.lanes);
  operation.bytes = operation.lanes * access.addresses.access.bytes_per_lane;
  operation.flags = access.addresses.access.flags;
  resolve(operation, access);
  global_.issued(operation);
  MemoryQueue& queue = queues_[static_cast<std::size_t>(sub_core)];
  const bool was_empty = queue.is_empty();
  queue.push(number, access.id.issue);
  if (was_empty) update_next_step();
}

/// What the lanes touch: lines of global memory, words of constants, wavefronts of shared memory.
void MemoryPipeline::resolve(MemoryOperation& operation, const IssuedAccess& access) const {
  const LaneAddresses& addresses = access.addresses;
  const isa::Effect effect = access.instruction.effect;
  if (isa::addresses_global(effect)) {
    operation.wavefronts = kernel_->patterns().global_lines(
        addresses.access, addresses.base, addresses.offsets, access.lanes, effect, operation.lines);
    return;
  }
  operation.lines.clear();
  if (effect == isa::Effect::kLoadConstant)
    return ConstantAccess::resolve(operation, addresses, access.lanes);
  if (isa::addresses_cluster(effect)) return resolve_peers(operation, access);
  operation.wavefronts =
      kernel_->patterns().shared_wavefronts(addresses.access, addresses.base, addresses.offsets,
                                            access.lanes, effect, operation.minimum_wavefronts);
  operation.wavefront_bytes = kernel_->patterns().wavefront_bytes(addresses.access);
}

/// One part for each CTA that the lanes name.
void MemoryPipeline::resolve_peers(MemoryOperation& operation, const IssuedAccess& access) const {
  const LaneAddresses& addresses = access.addresses;
  const isa::OpcodeInfo& info = isa::opcode_info(access.instruction.opcode);
  const bool reads = info.dst_registers > 0;
  const int operands = info.src_registers[2] > 0 ? 2 : 1;
  operation.cluster = access.cluster;
  operation.rank = access.rank;
  operation.peers.clear();
  std::uint32_t left = access.lanes;
  const auto rank_of_lane = [&](int lane) {
    return isa::rank_of(addresses.access.shared_swizzle.apply(addresses.of_lane(lane)));
  };
  while (left != 0) {
    const std::int64_t rank = rank_of_lane(std::countr_zero(left));
    std::uint32_t lanes = 0;
    for (int lane = std::countr_zero(left); lane < kLanes; ++lane)
      if ((left >> lane & 1) != 0 && rank_of_lane(lane) == rank) lanes |= std::uint32_t{1} << lane;
    left &= ~lanes;
    const int bytes = std::popcount(lanes) * info.bytes_per_lane;
    int minimum = 0;
    const int wavefronts = kernel_->patterns().shared_wavefronts(
        addresses.access, addresses.base, addresses.offsets, lanes, info.effect, minimum);
    PeerPart& part = operation.peers.emplace_back();
    part.rank = static_cast<int>(std::clamp<std::int64_t>(rank, -1, isa::kMostClusterCtas));
    part.write_bytes = isa::carries_data(info.effect) ? operands * bytes : 0;
    part.access.effect = info.effect;
    part.access.lanes = static_cast<std::uint8_t>(std::popcount(lanes));
    part.access.wavefronts = static_cast<std::uint16_t>(wavefronts);
    part.access.minimum_wavefronts = static_cast<std::uint16_t>(minimum);
    part.access.wavefront_bytes =
        static_cast<std::uint16_t>(kernel_->patterns().wavefront_bytes(addresses.access));
    part.access.read_bytes = static_cast<std::uint16_t>(reads ? bytes : 0);
  }
}

/// When the L1, or the port to other SMs, can accept `operation`.
Cycle MemoryPipeline::entry_at(const MemoryOperation& operation) const {
  if (isa::addresses_cluster(operation.instruction->effect)) [[unlikely]]
    return cluster_.room_at();
  return operation.lines.empty() ? 0 : global_.room_at(operation);
}

void MemoryPipeline::update_next_step() {
  next_step_ = kNever;
  waits_for_data_ = false;
  for (const MemoryQueue& queue : queues_) {
    if (queue.is_empty()) continue;
    const Cycle entry = entry_at(operations_[queue.front()]);
    waits_for_data_ |= entry == kNever;
    next_step_ = std::min(next_step_, std::max({queue.head_ready(), path_.turn_at(), entry}));
  }
  if (cluster_.has_waiting()) next_step_ = std::min(next_step_, path_.turn_at());
}

int MemoryPipeline::step(Cycle now) {
  int freed = -1;
  const std::size_t others = queues_.size();
  for (std::size_t i = 0; i <= others && path_.turn_at() <= now; ++i) {
    const std::size_t sub_core = (turn_ + i) % (others + 1);
    if (sub_core == others) {
      if (!cluster_.has_waiting()) continue;
      cluster_.serve(now);
      turn_ = 0;
      break;
    }
    MemoryQueue& queue = queues_[sub_core];
    if (queue.head_ready() > now) continue;
    const int number = queue.front();
    if (entry_at(operations_[number]) > now) continue;
    if (queue.is_full()) freed = static_cast<int>(sub_core);
    const Cycle address_ready = queue.head_ready();
    queue.pop(now, now + source_read_);
    turn_ = sub_core + 1;
    enter(number, address_ready, now);
    if (observer_ != nullptr) [[unlikely]]
      passed_at_ = path_.turn_at();
    break;
  }
  update_next_step();
  return freed;
}

void MemoryPipeline::enter(int number, Cycle address_ready, Cycle now) {
  const MemoryOperation& operation = operations_[number];
  tell_of_sources(operation, address_ready, now);
  switch (operation.instruction->effect) {
    case isa::Effect::kLoadGlobal:
      return global_.load(number, now);
    case isa::Effect::kCopyGlobalToShared:
      return global_.copy(number, now);
    case isa::Effect::kStoreGlobal:
    case isa::Effect::kAtomicGlobal:
    case isa::Effect::kReduceGlobal:
      return global_.write(number, now);
    case isa::Effect::kLoadConstant:
      return constants_.enter(number, now);
    case isa::Effect::kLoadCluster:
    case isa::Effect::kStoreCluster:
    case isa::Effect::kAtomicCluster:
      return cluster_.enter(number, now);
    default:
      shared_.enter(operation, now);
      operations_.give_back(number);
  }
}

void MemoryPipeline::tell_of_sources(const MemoryOperation& operation, Cycle address_ready,
                                     Cycle now) {
  const DecodedInstruction& instruction = *operation.instruction;
  const int extra = isa::carries_data(instruction.effect)
                        ? kStoreDataCyclesPerRegister * (instruction.data_registers - 1)
                        : 0;
  const Cycle read = now + source_read_ + extra;
  if (observer_ != nullptr) [[unlikely]]
    tell_of_entry(operation, read, address_ready, now);
  told_.push(
      read, operation.sources_read,
      operation.lines.empty() ? CycleReason::kDependenceShared : CycleReason::kDependenceGlobal);
}

void MemoryPipeline::tell_of_entry(const MemoryOperation& operation, Cycle sources_read,
                                   Cycle address_ready, Cycle now) {
  const isa::Effect effect = operation.instruction->effect;
  const bool is_shared = isa::addresses_shared(effect) && operation.lines.empty();
  observer_->entered_memory(
      operation.id,
      {now, sources_read, address_ready, std::max(passed_at_, entry_at(operation)),
       entries_free_[static_cast<std::size_t>(operation.sub_core)], sectors_of(operation),
       is_shared ? operation.wavefronts - operation.minimum_wavefronts : 0});
}

/// Notes the queues whose heads have no room in the L1 before the answer at `now`. The last answer
/// before which a head has none is the one that makes its room.
void MemoryPipeline::note_waits_for_entries(Cycle now) {
  for (std::size_t i = 0; i < queues_.size(); ++i)
    if (!queues_[i].is_empty() && entry_at(operations_[queues_[i].front()]) == kNever)
      entries_free_[i] = now;
}

void MemoryPipeline::receive(const memory::LineResponse& response, Cycle now) {
  if (observer_ != nullptr && waits_for_data_) [[unlikely]]
    note_waits_for_entries(now);
  const AnswerTag tag = AnswerTag::of(response.tag);
  if (tag.kind == AnswerKind::kTile) [[unlikely]]
    tiles_.receive(tag, now);
  else
    global_.receive(tag, response.flag, now);
  if (waits_for_data_)
    update_next_step();
  else
    next_step_ = std::max(next_step_, path_.turn_at());  // the data may occupy the path
}

}  // namespace tcsim::sm
