#include "models/functional/global_order.hpp"

#include <algorithm>
#include <utility>

namespace tcsim::functional {
namespace {

using isa::Effect;

/// Bytes per lane of the narrowest LDG and STG of a buffer; 0 if there is none.
struct Widths {
  std::size_t load = 0;
  std::size_t store = 0;
};

void narrow(std::size_t& width, std::size_t bytes) {
  width = width == 0 ? bytes : std::min(width, bytes);
}

std::vector<Widths> widths_of(const isa::KernelLaunch& launch) {
  std::vector<Widths> widths(launch.buffers.size());
  for (const isa::WarpProgram& program : launch.programs)
    for (const isa::Instruction& instruction : program.instructions) {
      const isa::OpcodeInfo& info = isa::opcode_info(instruction.opcode);
      if (info.effect != Effect::kLoadGlobal && info.effect != Effect::kStoreGlobal) continue;
      const int buffer = program.accesses[static_cast<std::size_t>(instruction.access)].buffer;
      Widths& of = widths[static_cast<std::size_t>(buffer)];
      narrow(info.effect == Effect::kLoadGlobal ? of.load : of.store, info.bytes_per_lane);
    }
  return widths;
}

}  // namespace

bool GlobalOrder::is_needed_by(const isa::KernelLaunch& launch) {
  return std::ranges::any_of(launch.programs, [](const isa::WarpProgram& program) {
    return std::ranges::any_of(program.loops,
                               [](const isa::Loop& loop) { return loop.until.has_value(); });
  });
}

GlobalOrder::GlobalOrder(const isa::KernelLaunch& launch) : buffers_(launch.buffers.size()) {
  const std::vector<Widths> widths = widths_of(launch);
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    buffers_[i].has_flags = launch.buffers[i].flags;
    if (buffers_[i].has_flags || widths[i].load == 0 || widths[i].store == 0) continue;
    buffers_[i].grain = std::min(widths[i].load, widths[i].store);
    buffers_[i].stores.resize(launch.buffers[i].bytes / buffers_[i].grain);
  }
}

void GlobalOrder::begin_cluster(std::int64_t number, CausalOrder& order) {
  cluster_ = number;
  order_ = &order;
  fenced_.assign(static_cast<std::size_t>(order.warps()), {});
  acquired_.clear();
}

void GlobalOrder::fence(int agent) {
  Clock& fenced = fenced_[static_cast<std::size_t>(agent)];
  fenced = {};
  order_->release(agent, fenced);
}

void GlobalOrder::add(Knowledge& to, const Knowledge& from) {
  for (const auto& [cluster, known] : from) {
    Known& of_cluster = to[cluster];
    of_cluster.seen.join(known.seen);
    of_cluster.fenced.join(known.fenced);
  }
}

GlobalOrder::Knowledge GlobalOrder::acquired_by(int agent) const {
  Knowledge knowledge;
  for (const Acquired& acquired : acquired_)
    if (order_->clock_of(agent).has_seen(acquired.agent, 1)) add(knowledge, acquired.knowledge);
  return knowledge;
}

void GlobalOrder::raise(int agent, const FlagPlace& flag, std::int32_t by) {
  if (!buffers_[static_cast<std::size_t>(flag.buffer)].has_flags) return;
  if (by <= 0) {
    releases_.erase(flag);
    return;
  }
  Knowledge knowledge = acquired_by(agent);
  Clock seen;
  order_->release(agent, seen);
  add(knowledge, {{cluster_, {seen, fenced_[static_cast<std::size_t>(agent)]}}});
  releases_[flag].push_back({std::move(knowledge), by});
}

/// The waiting warp has seen as many raises as the flag needs, in the order of the clusters.
void GlobalOrder::acquire(int agent, const FlagPlace& flag, std::int64_t until) {
  Acquired acquired{order_->add_agent(), {}};
  for (const Release& release : releases_[flag]) {
    if (until <= 0) break;
    until -= release.by;
    add(acquired.knowledge, release.knowledge);
  }
  order_->see(agent, acquired.agent, 1);
  acquired_.push_back(std::move(acquired));
}

void GlobalOrder::store(const Accessor& who, std::int64_t cta, int buffer, std::int64_t offset,
                        std::size_t bytes) {
  Watched& watched = buffers_[static_cast<std::size_t>(buffer)];
  if (watched.grain == 0) return;
  const std::size_t first = static_cast<std::size_t>(offset) / watched.grain;
  for (std::size_t i = 0; i < bytes / watched.grain; ++i) {
    check(watched.stores[first + i], who, cta, offset, watched.grain);
    watched.stores[first + i] = {cluster_, who, order_->time_of(who.warp)};
  }
}

void GlobalOrder::load(const Accessor& who, std::int64_t cta, int buffer, std::int64_t offset,
                       std::size_t bytes) {
  const Watched& watched = buffers_[static_cast<std::size_t>(buffer)];
  if (watched.grain == 0) return;
  const std::size_t first = static_cast<std::size_t>(offset) / watched.grain;
  for (std::size_t i = 0; i < bytes / watched.grain; ++i)
    check(watched.stores[first + i], who, cta, offset, watched.grain);
}

void GlobalOrder::check(const Store& store, const Accessor& who, std::int64_t cta,
                        std::int64_t offset, std::size_t bytes) {
  if (store.cluster == kNever || store.cluster == cluster_) return;
  RaceKind kind = RaceKind::kGlobalBeforeFlag;
  for (const Acquired& acquired : acquired_) {
    if (!order_->clock_of(who.warp).has_seen(acquired.agent, 1)) continue;
    const auto known = acquired.knowledge.find(store.cluster);
    if (known == acquired.knowledge.end()) continue;
    if (known->second.fenced.has_seen(store.who.warp, store.time)) return;
    if (known->second.seen.has_seen(store.who.warp, store.time))
      kind = RaceKind::kGlobalWithoutFence;
  }
  const auto key = std::tuple(kind, cta, store.who, who);
  const auto [entry, is_new] = known_.try_emplace(key, races_.size());
  if (is_new) races_.push_back({kind, cta, store.who, who, offset, 0});
  races_[entry->second].bytes += static_cast<std::int64_t>(bytes);
}

}  // namespace tcsim::functional
