#include "models/functional/async_unit.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace tcsim::functional {
namespace {

using isa::Effect;

std::string at(std::int64_t address) {
  return "the mbarrier at shared offset " + std::to_string(address);
}

numerics::Refusal never_initialised(std::int64_t address) {
  return numerics::mistake(at(address) + " was never initialised");
}

template <typename Operand>
const Operand& operand_of(const Warp& warp) {
  const auto access = static_cast<std::size_t>(warp.instruction().access);
  return std::get<Operand>(warp.program->source().async[access]);
}

SharedMemory& with_clocks(SharedMemory& shared, CausalOrder& order, int rank, std::size_t warps) {
  const int count = static_cast<int>(warps);
  shared.races().use_clocks(order, rank * count, count);
  return shared;
}

}  // namespace

AsyncUnit::AsyncUnit(const isa::KernelLaunch& launch,
                     std::span<const std::span<std::uint8_t>> buffers, SharedMemory& shared,
                     std::span<Warp> warps, MatrixUnit& matrix_unit, CausalOrder& order, int rank)
    : shared_(with_clocks(shared, order, rank, warps.size())),
      order_(order),
      warps_(warps),
      tiles_(launch, buffers, shared),
      barriers_(order_),
      named_(order_),
      products_(warps, shared, matrix_unit) {}

bool AsyncUnit::is_used_by(const isa::KernelLaunch& launch) {
  return std::ranges::any_of(launch.programs, [](const isa::WarpProgram& program) {
    return std::ranges::any_of(program.instructions, [](const isa::Instruction& instruction) {
      const Effect effect = isa::opcode_info(instruction.opcode).effect;
      return effect >= Effect::kInitBarrier || isa::needs_cluster(effect) ||
             (isa::is_named_barrier(effect) && isa::named_barrier(instruction.immediate).warps > 0);
    });
  });
}

AsyncUnit::Failure AsyncUnit::execute(Warp& warp, bool& goes_on) {
  const Effect effect = isa::opcode_info(warp.instruction().opcode).effect;
  switch (effect) {
    case Effect::kBarrier:
    case Effect::kBarrierArrive:
      return meet(warp, effect == Effect::kBarrier, goes_on);
    case Effect::kLoadTile:
    case Effect::kLoadTileToMany:
    case Effect::kStoreTile:
    case Effect::kReduceTile:
    case Effect::kPutTile:
      return copy(warp, effect);
    case Effect::kPrefetchTile: {
      const std::string problem =
          tiles_.row_problem(operand_of<isa::TileOperand>(warp), warp.bindings);
      return problem.empty() ? Failure{} : numerics::mistake(problem);
    }
    case Effect::kGroupMma: {
      goes_on = products_.has_met(warp);
      if (!goes_on) return std::nullopt;
      if (auto failure = products_.issue(warp)) return failure;
      // The caller advances this warp; the others continue from here.
      const std::size_t first = static_cast<std::size_t>(warp.id) / isa::kGroupWarps;
      for (Warp& other : warps_.subspan(first * isa::kGroupWarps, isa::kGroupWarps))
        if (other.id != warp.id) ++other.next;
      return std::nullopt;
    }
    case Effect::kProxyFence:
      order_.fence(warp.agent);
      return std::nullopt;
    case Effect::kGroupArrive:
      products_.arrive(warp);
      return std::nullopt;
    case Effect::kWaitGroupMmas:
      return products_.wait(warp, warp.instruction().immediate);
    case Effect::kSetRegisters:
      return std::nullopt;
    case Effect::kClusterArrive:
      arrive_at_cluster(warp);
      return std::nullopt;
    case Effect::kClusterWait:
      return wait_for_cluster(warp, goes_on);
    default:
      return synchronize(warp, effect, goes_on);
  }
}

/// A barrier for some warps behaves like an mbarrier with one phase per meeting.
AsyncUnit::Failure AsyncUnit::meet(Warp& warp, bool waits, bool& goes_on) {
  const isa::NamedBarrier named = isa::named_barrier(warp.instruction().immediate);
  if (named_.find(named.number) == nullptr) named_.init(named.number, named.warps);
  Mbarrier& barrier = *named_.find(named.number);
  if (!warp.meeting) {
    if (barrier.pending == barrier.expected) barrier.expected = barrier.pending = named.warps;
    if (barrier.expected != named.warps)
      return numerics::mistake("barrier " + std::to_string(named.number) + " of " +
                               std::to_string(named.warps) + " warps, at which others expect " +
                               std::to_string(barrier.expected));
    const int meeting = barrier.phase;
    (void)named_.arrive(barrier, warp.agent, 0);
    if (!waits) return std::nullopt;
    warp.meeting = meeting;
  }
  goes_on = barrier.phase > *warp.meeting;
  if (!goes_on) return std::nullopt;
  warp.meeting.reset();
  (void)named_.wait(barrier, warp.agent, (barrier.phase + 1) % 2);
  return std::nullopt;
}

AsyncUnit::Failure AsyncUnit::init(const Warp& warp, std::int64_t address, std::int64_t arrivals) {
  if (address < 0 || address % isa::kBarrierBytes != 0 ||
      address + isa::kBarrierBytes > shared_.size())
    return numerics::mistake("an mbarrier at shared offset " + std::to_string(address) +
                             ", allowed multiples of 8 inside its " +
                             std::to_string(shared_.size()) + " bytes");
  if (arrivals < 1 || arrivals > isa::kMostPhaseCount)
    return numerics::mistake(at(address) + " expects " + std::to_string(arrivals) +
                             " arrivals, allowed 1 to 1048575");
  const std::array<std::uint8_t, isa::kBarrierBytes> content{};
  shared_.write(warp.accessor(), address, content);
  barriers_.init(address, static_cast<int>(arrivals));
  return std::nullopt;
}

AsyncUnit::Failure AsyncUnit::synchronize(Warp& warp, Effect effect, bool& goes_on) {
  const auto& operand = operand_of<isa::BarrierOperand>(warp);
  const std::int64_t address = isa::evaluate(operand.address, warp.bindings);
  const std::int64_t value = isa::evaluate(operand.value, warp.bindings);
  if (effect == Effect::kInitBarrier) return init(warp, address, value);
  if (effect == Effect::kArriveRemote) {
    const auto other = peer(value);
    if (!other.has_value()) return other.refusal();
    return other.value()->arrive(warp, address, 0);
  }
  if (effect == Effect::kArriveAfterCopies) hand_over_copies(warp, address);
  if (effect != Effect::kWaitPhase)
    return arrive(warp, address, effect == Effect::kArriveWithBytes ? value : 0);
  Mbarrier* const barrier = barriers_.find(address);
  if (barrier == nullptr) return never_initialised(address);
  // Reading it orders the use after the initialisation, like any read.
  std::array<std::uint8_t, isa::kBarrierBytes> content{};
  shared_.read(warp.accessor(), address, content);
  if (value != 0 && value != 1)
    return numerics::mistake("waits for parity " + std::to_string(value));
  goes_on = barriers_.wait(*barrier, warp.agent, static_cast<int>(value));
  return std::nullopt;
}

/// What `warp` copies by LDGSTS has arrived when the phase of the mbarrier is complete, and is
/// known from this arrival on. The warp may still wait for its groups, which may come first.
void AsyncUnit::hand_over_copies(Warp& warp, std::int64_t address) {
  Mbarrier* const barrier = barriers_.find(address);
  if (barrier == nullptr) return;
  warp.copies.close();
  for (const std::shared_ptr<CopyGroup>& group : warp.copies.groups) {
    if (group->copies.empty()) continue;
    if (!group->told_since) group->told_since = order_.time_of(warp.agent);
    barrier->copies.emplace_back([this, group] {
      shared_.land(*group);
      return 0;
    });
  }
}

/// `warp`, of this CTA or another one, arrives, and the phase expects `bytes` more bytes.
AsyncUnit::Failure AsyncUnit::arrive(const Warp& warp, std::int64_t address, std::int64_t bytes) {
  Mbarrier* const barrier = barriers_.find(address);
  if (barrier == nullptr) return never_initialised(address);
  std::array<std::uint8_t, isa::kBarrierBytes> content{};
  shared_.read(warp.accessor(), address, content);
  if (bytes < 0 || bytes > isa::kMostPhaseCount)
    return numerics::mistake(at(address) + " expects " + std::to_string(bytes) +
                             " bytes, allowed 0 to 1048575");
  if (!barriers_.arrive(*barrier, warp.agent, bytes))
    return numerics::mistake("arrives at " + at(address) + " in " + barrier->missing());
  return std::nullopt;
}

/// The unit of the CTA of rank `rank`, whose shared memory exists as long as the CTA runs.
numerics::Result<AsyncUnit*> AsyncUnit::peer(std::int64_t rank) {
  if (const auto shared = cluster_memory_->of(rank); !shared.has_value()) return shared.refusal();
  return peers_[static_cast<std::size_t>(rank)];
}

void AsyncUnit::arrive_at_cluster(const Warp& warp) {
  ClusterBarrier& barrier = *cluster_barrier_;
  order_.release(warp.agent, barrier.arrived);
  ++barrier.arrivals[static_cast<std::size_t>(warp.agent)];
  if (--barrier.pending == 0) complete_cluster_phase();
}

/// `warp` exits and is no longer waited for.
void AsyncUnit::leave_cluster(const Warp& warp) {
  if (cluster_barrier_ == nullptr) return;
  ClusterBarrier& barrier = *cluster_barrier_;
  --barrier.warps;
  const bool has_arrived = barrier.arrivals[static_cast<std::size_t>(warp.agent)] > barrier.phase;
  if (!has_arrived && --barrier.pending == 0) complete_cluster_phase();
}

void AsyncUnit::complete_cluster_phase() {
  ClusterBarrier& barrier = *cluster_barrier_;
  barrier.pending = barrier.warps;
  ++barrier.phase;
  barrier.complete.join(barrier.arrived);
  barrier.arrived = {};
}

/// `warp` goes on if the phase in which it has arrived is complete.
AsyncUnit::Failure AsyncUnit::wait_for_cluster(const Warp& warp, bool& goes_on) {
  ClusterBarrier& barrier = *cluster_barrier_;
  const auto agent = static_cast<std::size_t>(warp.agent);
  const int arrivals = barrier.arrivals[agent];
  if (arrivals == barrier.waited_for[agent])
    return numerics::mistake(
        "waits at the barrier of its cluster without an arrival there since its last wait");
  goes_on = barrier.phase >= arrivals;
  if (!goes_on) return std::nullopt;
  barrier.waited_for[agent] = arrivals;
  order_.acquire(warp.agent, barrier.complete);
  return std::nullopt;
}

AsyncUnit::Failure AsyncUnit::copy(Warp& warp, Effect effect) {
  const auto& operand = operand_of<isa::TileOperand>(warp);
  const auto resolved = tiles_.resolve(operand, warp.bindings, warp.accessor());
  if (!resolved.has_value()) return resolved.refusal();
  const TileCopy& copy = resolved.value();
  if (isa::writes_tile(effect)) {
    shared_.races().open_read(copy.issuer, order_.clock_of(warp.agent), copy.shared_offset,
                              copy.box.bytes());
    warp.copies.uncommitted.boxes.push_back(copy);
    warp.copies.uncommitted.boxes.back().is_added = effect == Effect::kReduceTile;
    return std::nullopt;
  }
  const std::int64_t address = isa::evaluate(operand.barrier, warp.bindings);
  if (effect == Effect::kLoadTile) return load(copy, address);
  if (effect == Effect::kPutTile) return put(copy, address);
  const std::int64_t ranks = isa::evaluate(operand.ranks, warp.bindings);
  if (ranks <= 0 || ranks >> peers_.size() != 0)
    return numerics::mistake("goes to ranks " + std::to_string(ranks) + " of a cluster of " +
                             std::to_string(peers_.size()) + " CTAs; use one bit for each CTA");
  for (std::size_t rank = 0; rank < peers_.size(); ++rank) {
    if ((ranks >> rank & 1) == 0) continue;
    const auto other = peer(static_cast<std::int64_t>(rank));
    if (!other.has_value()) return other.refusal();
    if (auto failure = other.value()->load(copy, address)) return failure;
  }
  return std::nullopt;
}

/// Loads the box into the shared memory of this CTA.
AsyncUnit::Failure AsyncUnit::load(const TileCopy& copy, std::int64_t address) {
  Mbarrier* const barrier = barriers_.find(address);
  if (barrier == nullptr) return never_initialised(address);
  RaceDetector& races = shared_.races();
  races.read_until(copy.issuer, barrier->agent, barrier->phase + 1, address, isa::kBarrierBytes);
  races.open_write(copy.issuer, barrier->agent, barrier->phase, copy.shared_offset,
                   copy.box.bytes());
  barrier->copies.emplace_back([this, copy] { return tiles_.land(copy); });
  return std::nullopt;
}

/// Copies contiguous bytes from the shared memory of this CTA to that of the CTA that holds the
/// mbarrier at `address`.
AsyncUnit::Failure AsyncUnit::put(const TileCopy& copy, std::int64_t address) {
  const auto other = peer(isa::rank_of(copy.box.offset));
  if (!other.has_value()) return other.refusal();
  AsyncUnit& to = *other.value();
  const std::int64_t place = isa::byte_of(copy.box.offset);
  if (std::string problem = TileUnit::place_problem(copy.box, place, to.shared_.size());
      !problem.empty())
    return numerics::mistake(std::move(problem));
  Mbarrier* const barrier = to.barriers_.find(address);
  if (barrier == nullptr) return never_initialised(address);
  const int bytes = copy.box.bytes();
  const int agent = barrier->agent;
  const int end = barrier->phase + 1;
  RaceDetector& read = shared_.races();
  RaceDetector& written = to.shared_.races();
  read.open_read(copy.issuer, order_.clock_of(copy.issuer.warp), copy.shared_offset, bytes);
  read.expect_end(copy.issuer, agent, end, copy.shared_offset);
  written.read_until(copy.issuer, agent, end, address, isa::kBarrierBytes);
  written.open_write(copy.issuer, agent, barrier->phase, place, bytes);
  written.expect_end(copy.issuer, agent, end, place);
  barrier->copies.emplace_back([this, &to, copy, place, bytes, agent, end] {
    const auto count = static_cast<std::size_t>(bytes);
    std::ranges::copy(shared_.bytes(copy.shared_offset, count),
                      to.shared_.bytes(place, count).begin());
    to.shared_.races().close_write(place, bytes);
    shared_.races().close_read(copy.issuer, agent, end, copy.shared_offset, bytes);
    return bytes;
  });
  return std::nullopt;
}

void AsyncUnit::store(std::span<const TileCopy> boxes) {
  for (const TileCopy& box : boxes) tiles_.store(box);
}

std::string AsyncUnit::wait_text(const Warp& warp) {
  const std::string who = "warp " + std::to_string(warp.id) + " waits at " +
                          isa::address_text(static_cast<int>(warp.next));
  if (isa::is_group_mma(warp.instruction().opcode))
    return who + " for the other warps of its warpgroup";
  if (isa::opcode_info(warp.instruction().opcode).effect == Effect::kClusterWait)
    return who + " at the barrier of its cluster, which lacks " +
           std::to_string(cluster_barrier_->pending) + " of " +
           std::to_string(cluster_barrier_->warps) + " warps";
  if (warp.meeting) {
    const int number = isa::named_barrier(warp.instruction().immediate).number;
    return who + " at barrier " + std::to_string(number) + ", which is in " +
           named_.find(number)->missing();
  }
  const auto& operand = operand_of<isa::BarrierOperand>(warp);
  const std::int64_t address = isa::evaluate(operand.address, warp.bindings);
  const Mbarrier* const barrier = barriers_.find(address);
  return who + " for parity " + std::to_string(isa::evaluate(operand.value, warp.bindings)) +
         " of " + at(address) + ", which is in " + barrier->missing();
}

}  // namespace tcsim::functional
