#include "sim/gpu/cta_scheduler.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/sm/params.hpp"
#include "sim/gpu/occupancy.hpp"

namespace tcsim::gpu {
namespace {

dispatch::CtaPlacements placement_of(const config::Machine& machine) {
  return dispatch::CtaPlacements(
      machine.launch.cta_placement,
      dispatch::sm_order(machine.gpu.sms_per_tpc, machine.gpu.sms_per_gpc));
}

/// Launches whose constants have distinct places; 2 GiB would hold more.
constexpr std::uint64_t kConstantPlaces = 4096;
/// From one to the next: no power of two, so that the parameters of all lie in sets of their own.
constexpr std::uint64_t kConstantStride = isa::kConstantBytes + 4608;

/// The L1 bytes beside the smallest carve-out that holds all resident CTAs: the rest of the unified
/// memory caches data.
std::int64_t l1_bytes(const sm::SmParams& params, const isa::KernelLaunch& launch, int ctas) {
  const sm::SharedMemoryParams& shared = params.shared_memory;
  const int unit = shared.allocation_unit_bytes;
  const std::int64_t per_cta =
      launch.shared_bytes_per_cta == 0
          ? 0
          : ceil_div(launch.shared_bytes_per_cta, unit) * unit + shared.reserved_bytes_per_cta;
  for (const std::int64_t carveout : shared.carveouts_bytes) {
    if (carveout >= per_cta * ctas) return params.l1.bytes - carveout;
  }
  return 0;
}

}  // namespace

CtaScheduler::CtaScheduler(const sc_core::sc_module_name& name, const config::Machine& machine,
                           const std::vector<std::unique_ptr<SmShell>>& shells,
                           const std::vector<std::unique_ptr<sm::Sm>>& sms,
                           memory::ClusterTable& clusters,
                           const sc_core::sc_signal<Cycle>& boundary)
    : sc_core::sc_module(name),
      machine_(machine),
      shells_(shells),
      sms_(sms),
      clusters_(clusters),
      boundary_(boundary),
      gpc_of_sm_(memory::make_topology(machine.gpu.sms_per_tpc, machine.gpu.sms_per_gpc).gpc_of_sm),
      timing_(sm::timing_table(machine.sm)),
      placement_(placement_of(machine)),
      code_map_(machine.sm.instruction_fetch) {
  SC_METHOD(schedule);
  sensitive << boundary_;
  dont_initialize();
}

Cycle CtaScheduler::overhead_cycles(const config::Machine& machine) {
  return static_cast<Cycle>(std::llround(machine.launch.overhead_us * machine.clocks.sm_mhz));
}

void CtaScheduler::enqueue(const std::vector<std::vector<isa::KernelLaunch>>& streams, Cycle at) {
  streams_.clear();
  constant_lines_.clear();
  launches_ = 0;
  spans_.clear();
  places_.assign(sms_.size(), Place{});
  placement_ = placement_of(machine_);
  releases_ = {};
  ctas_done_ = 0;
  ctas_total_ = 0;
  uses_clusters_ = false;
  finished_ = true;
  for (const std::vector<isa::KernelLaunch>& launches : streams) {
    Stream stream;
    stream.last_end = at;
    for (const isa::KernelLaunch& launch : launches) {
      constant_lines_.push_back(next_constant_line());
      stream.kernels.push_back(std::make_unique<sm::Kernel>(
          launch, machine_.sm, timing_, code_map_.place(launch), constant_lines_.back()));
      ctas_total_ += launch.cta_count();
      uses_clusters_ = uses_clusters_ || isa::uses_clusters(launch);
    }
    finished_ = finished_ && launches.empty();
    streams_.push_back(std::move(stream));
  }
}

/// Every launch has its own constants, stored one after the other in their part of code memory. The
/// part is reused when it is full and in the next run, since a line's address determines which SMs
/// are near its home. So runs of the same launches differ only in what caches hold.
std::uint32_t CtaScheduler::next_constant_line() {
  if (machine_.sm.instruction_fetch.l0_bytes == 0) return 0;  // constants are always present
  const auto line_bytes = static_cast<std::uint64_t>(machine_.sm.instruction_fetch.line_bytes);
  const std::uint64_t lines_per_launch = ceil_div(kConstantStride, line_bytes);
  const std::uint64_t first = (memory::kConstantMemory - memory::kCodeMemory) / line_bytes;
  return static_cast<std::uint32_t>(first + launches_++ % kConstantPlaces * lines_per_launch);
}

void CtaScheduler::counters_reset() {
  for (Place& place : places_) place.instructions_before = place.mmas_before = 0;
}

bool CtaScheduler::is_waiting(Cycle now) const {
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    const Stream& stream = streams_[i];
    if (!stream.grid) {
      if (stream.next < stream.kernels.size()) return false;
      continue;
    }
    const Grid& grid = *stream.grid;
    if (grid.last_dispatch + machine_.launch.cta_start_cycles >= now) return false;
    if (!grid.has_more()) continue;
    const bool has_place = std::ranges::any_of(places_, &Place::is_free) ||
                           !sms_for_cluster(static_cast<int>(i)).empty();
    if (has_place || grid.ready > now || !releases_.empty()) return false;
  }
  return true;
}

std::vector<CtaScheduler::Unplaced> CtaScheduler::unplaced() const {
  std::vector<Unplaced> found;
  for (const Stream& stream : streams_) {
    if (!stream.grid || !stream.grid->has_more()) continue;
    const Grid& grid = *stream.grid;
    const isa::KernelLaunch& launch = grid.kernel->launch();
    found.push_back({launch.name, grid.next_cta, launch.cta_count() - 1, grid.ctas_per_sm,
                     spans_[grid.span].occupancy_limit});
  }
  return found;
}

std::optional<CtaScheduler::Dispatched> CtaScheduler::dispatched() const {
  if (streams_.size() != 1 || !streams_.front().grid) return {};
  const Grid& grid = *streams_.front().grid;
  const auto sms = std::ranges::count(places_, 0, &Place::owner);
  const std::int64_t ctas = grid.kernel->launch().cta_count();
  return Dispatched{grid.kernel, ctas, grid.next_cta, ctas - grid.ctas_left,
                    sms * grid.ctas_per_sm};
}

void CtaScheduler::leave_out(std::int64_t ctas) {
  Grid& grid = *streams_.front().grid;
  grid.next_cta += ctas;
  grid.ctas_left -= ctas;
  ctas_done_ += ctas;
  const std::int64_t sms = dispatched()->slots / grid.ctas_per_sm;
  std::int64_t sm = 0;
  for (Place& place : places_) {
    if (place.owner != 0) continue;
    place.ctas += ctas * (sm + 1) / sms - ctas * sm / sms;
    ++sm;
  }
}

void CtaScheduler::count_gaps(std::size_t span, const std::function<void()>& close_gaps) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> before;
  for (const auto& sm : sms_) before.emplace_back(sm->warp_instructions(), sm->mma_instructions());
  close_gaps();
  for (std::size_t sm = 0; sm < sms_.size(); ++sm) {
    const std::uint64_t instructions = sms_[sm]->warp_instructions() - before[sm].first;
    const std::uint64_t mmas = sms_[sm]->mma_instructions() - before[sm].second;
    if (instructions == 0) continue;
    spans_[span].warp_instructions += instructions;
    spans_[span].mma_instructions += mmas;
    places_[sm].instructions_before += instructions;
    places_[sm].mmas_before += mmas;
  }
}

void CtaScheduler::schedule() {
  const Cycle now = boundary_.read();
  if (finished_) return;
  collect_ended();
  bool is_done = true;
  for (int stream = 0; stream < static_cast<int>(streams_.size()); ++stream) {
    give_back_idle_sms(stream, now);
    end_if_done(stream);
    launch_next(stream);
    is_done = is_done && !streams_[static_cast<std::size_t>(stream)].grid;
  }
  finished_ = is_done;
  if (!finished_) dispatch(now + machine_.launch.cta_release_cycles);
}

void CtaScheduler::collect_ended() {
  ended_.clear();
  for (std::size_t sm = 0; sm < shells_.size(); ++sm) {
    taken_.clear();
    shells_[sm]->ended_ctas.take(taken_);
    for (const Cycle at : taken_) ended_.emplace_back(at, sm);
  }
  left_.clear();
  for (const auto& shell : shells_) shell->left_clusters.take(left_);
  for (const std::uint16_t cluster : left_)
    if (--ctas_of_cluster_[cluster] == 0) clusters_.remove(cluster);
  for (const auto& [at, sm] : ended_) {
    Place& place = places_[sm];
    --streams_[static_cast<std::size_t>(place.owner)].grid->ctas_left;
    ++ctas_done_;
    place.last_cta_end = std::max(place.last_cta_end, at);
    releases_.push({at + machine_.launch.cta_release_cycles, Change::kSlot, sm});
  }
}

/// An SM is returned as of a cycle that does not depend on when this call notices it: every earlier
/// call had a horizon before that cycle.
void CtaScheduler::give_back_idle_sms(int stream, Cycle now) {
  std::optional<Grid>& grid = streams_[static_cast<std::size_t>(stream)].grid;
  if (!grid || grid->has_more() || grid->last_dispatch > now) return;
  KernelSpan& span = spans_[grid->span];
  for (std::size_t sm = 0; sm < places_.size(); ++sm) {
    Place& place = places_[sm];
    if (place.owner != stream || !sms_[sm]->is_idle())
      continue;  // not idle: running, or accesses
                 // are not answered yet
    place.owner = kNobody;
    const Cycle done = std::max(place.last_cta_end, sms_[sm]->last_answer());
    if (place.ctas > 0) sms_[sm]->drain(place.last_cta_end, done);
    if (done > grid->end) {
      grid->end = done;
      span.last_sm = static_cast<int>(sm);
    } else if (done == grid->end) {
      span.last_sm = std::min(span.last_sm, static_cast<int>(sm));
    }
    place.idle_from = std::max(done, sms_[sm]->idle_since());
    count_ctas_of(place, *grid);
    span.warp_instructions += sms_[sm]->warp_instructions() - place.instructions_before;
    span.mma_instructions += sms_[sm]->mma_instructions() - place.mmas_before;
    releases_.push(
        {std::max(place.idle_from, grid->last_dispatch) + machine_.launch.cta_release_cycles,
         Change::kWhole, sm});
  }
}

/// `grid` is returning `place`. An SM that received no CTA counts as having had none from the
/// start.
void CtaScheduler::count_ctas_of(const Place& place, Grid& grid) {
  CtaSpread& spread = spans_[grid.span].spread;
  const Cycle done = place.ctas > 0 ? place.last_cta_end : grid.launched;
  spread.fewest = spread.done.empty() ? place.ctas : std::min(spread.fewest, place.ctas);
  spread.most = std::max(spread.most, place.ctas);
  spread.done.push_back(done);
}

void CtaScheduler::end_if_done(int stream) {
  Stream& self = streams_[static_cast<std::size_t>(stream)];
  if (!self.grid || self.grid->ctas_left > 0 || owns_any(stream)) return;
  self.last_end = self.grid->end;
  spans_[self.grid->span].end = self.last_end;
  self.grid.reset();
}

bool CtaScheduler::owns_any(int stream) const {
  return std::ranges::find(places_, stream, &Place::owner) != places_.end();
}

void CtaScheduler::launch_next(int stream) {
  Stream& self = streams_[static_cast<std::size_t>(stream)];
  if (self.grid || self.next == self.kernels.size()) return;
  const sm::Kernel& kernel = *self.kernels[self.next++];
  const isa::KernelLaunch& launch = kernel.launch();
  const Occupancy fit = occupancy(machine_, launch);
  Grid grid;
  grid.kernel = &kernel;
  grid.span = spans_.size();
  grid.ctas_per_sm = fit.ctas_per_sm;
  grid.l1_bytes = l1_bytes(machine_.sm, launch, fit.ctas_per_sm);
  grid.launched = grid.end = self.last_end;
  grid.ready = self.last_end + overhead_cycles(machine_) - machine_.launch.cta_start_cycles;
  grid.ctas_left = launch.cta_count();
  self.grid = grid;
  spans_.push_back({launch.name,
                    self.last_end,
                    0,
                    launch.cta_count(),
                    fit.ctas_per_sm,
                    fit.limit,
                    launch.cluster_size(),
                    resident_ctas(machine_, launch),
                    0,
                    0,
                    {}});
  spans_.back().stream = stream;
}

/// Streams with CTAs to dispatch, ordered by the launch of their kernels.
std::vector<int> CtaScheduler::by_launch() const {
  std::vector<int> waiting;
  for (std::size_t i = 0; i < streams_.size(); ++i)
    if (streams_[i].grid && streams_[i].grid->has_more()) waiting.push_back(static_cast<int>(i));
  std::ranges::stable_sort(waiting, {}, [this](int stream) {
    return streams_[static_cast<std::size_t>(stream)].grid->launched;
  });
  return waiting;
}

/// Dispatches CTAs up to `horizon`: all slots and SMs that become free before that are known.
void CtaScheduler::dispatch(Cycle horizon) {
  std::vector<int> waiting = by_launch();
  while (!waiting.empty() && next_dispatch_ < horizon) {
    settle(next_dispatch_);
    std::vector<std::size_t> sms;
    int chosen = kNobody;
    for (std::size_t i = 0; i < waiting.size() && sms.empty(); ++i) {
      chosen = waiting[i];
      if (streams_[static_cast<std::size_t>(chosen)].grid->ready > next_dispatch_) continue;
      take_free_sms(chosen);
      sms = sms_for_cluster(chosen);
    }
    if (sms.empty()) {  // nothing free: the next change decides
      const Cycle next = next_change(waiting);
      if (next >= horizon) return;
      next_dispatch_ = next;
      continue;
    }
    place_cluster(chosen, sms);
    if (!streams_[static_cast<std::size_t>(chosen)].grid->has_more()) waiting = by_launch();
  }
}

Cycle CtaScheduler::next_change(const std::vector<int>& waiting) const {
  Cycle next = releases_.empty() ? std::numeric_limits<Cycle>::max() : releases_.top().at;
  for (const int stream : waiting) {
    const Cycle ready = streams_[static_cast<std::size_t>(stream)].grid->ready;
    if (ready > next_dispatch_) next = std::min(next, ready);
  }
  return next;
}

void CtaScheduler::settle(Cycle until) {
  while (!releases_.empty() && releases_.top().at <= until) {
    Place& place = places_[releases_.top().sm];
    if (releases_.top().change == Change::kSlot)
      ++place.room;
    else
      place.is_free = true;
    releases_.pop();
  }
}

void CtaScheduler::take_free_sms(int stream) {
  const Grid& grid = *streams_[static_cast<std::size_t>(stream)].grid;
  for (std::size_t sm = 0; sm < places_.size(); ++sm) {
    Place& place = places_[sm];
    if (!place.is_free) continue;
    place.is_free = false;
    place.owner = stream;
    place.ctas = 0;
    place.room = grid.ctas_per_sm;
    place.instructions_before = sms_[sm]->warp_instructions();
    place.mmas_before = sms_[sm]->mma_instructions();
    shells_[sm]->commands.post({grid.kernel,
                                grid.ctas_per_sm,
                                grid.l1_bytes,
                                {},
                                grid.ready + machine_.launch.cta_start_cycles,
                                std::max(grid.launched, place.idle_from)});
  }
}

/// Places the CTAs of the next cluster on `sms`, one on each.
void CtaScheduler::place_cluster(int stream, const std::vector<std::size_t>& sms) {
  Grid& grid = *streams_[static_cast<std::size_t>(stream)].grid;
  const isa::KernelLaunch& launch = grid.kernel->launch();
  const std::int64_t cluster = grid.next_cta / launch.cluster_size();
  std::uint16_t number = memory::ClusterTable::kNone;
  if (isa::uses_clusters(launch)) {
    number = clusters_.add({sms.begin(), sms.end()});
    if (number >= ctas_of_cluster_.size()) ctas_of_cluster_.resize(std::size_t{number} + 1);
    ctas_of_cluster_[number] = launch.cluster_size();
  }
  const auto ctas = static_cast<Cycle>(sms.size());
  grid.last_dispatch = next_dispatch_ + (ctas - 1) * machine_.launch.cta_dispatch_interval_cycles;
  for (std::size_t rank = 0; rank < sms.size(); ++rank) {
    const std::size_t sm = sms[rank];
    --places_[sm].room;
    ++places_[sm].ctas;
    placement_.visit([sm](auto& policy) { policy.placed(sm); });
    SmCommand command;
    command.cta = {isa::cta_of_cluster(launch, cluster, static_cast<int>(rank)), number,
                   static_cast<std::uint8_t>(rank)};
    command.at = grid.last_dispatch + machine_.launch.cta_start_cycles;
    shells_[sm]->commands.post(command);
    ++grid.next_cta;
  }
  next_dispatch_ = grid.last_dispatch + machine_.launch.cta_dispatch_interval_cycles;
}

/// The SMs for the CTAs of the next cluster of the stream's kernel, by rank; empty if there is no
/// room for all.
std::vector<std::size_t> CtaScheduler::sms_for_cluster(int stream) const {
  const auto size = static_cast<std::size_t>(
      streams_[static_cast<std::size_t>(stream)].grid->kernel->launch().cluster_size());
  std::vector<std::size_t> with_room(size > 1 ? 1 + std::ranges::max(gpc_of_sm_) : 0);
  if (size > 1)
    for (std::size_t sm = 0; sm < places_.size(); ++sm)
      if (room_on(stream, sm) > 0) ++with_room[static_cast<std::size_t>(gpc_of_sm_[sm])];
  const auto room = [&](std::size_t sm) {
    const bool has_all = size == 1 || with_room[static_cast<std::size_t>(gpc_of_sm_[sm])] >= size;
    return has_all ? room_on(stream, sm) : 0;
  };
  const std::optional<std::size_t> first =
      placement_.visit([&](const auto& policy) { return policy.pick(room); });
  if (!first) return {};
  if (size == 1) return {*first};
  std::vector<std::size_t> sms;
  for (std::size_t sm = 0; sm < places_.size(); ++sm)
    if (gpc_of_sm_[sm] == gpc_of_sm_[*first] && room_on(stream, sm) > 0) sms.push_back(sm);
  std::ranges::stable_sort(sms, std::greater<>(),
                           [&](std::size_t sm) { return room_on(stream, sm); });
  sms.resize(size);
  return sms;
}

}  // namespace tcsim::gpu
