#include "sim/gpu/cta_scheduler.hpp"

#include <algorithm>
#include <cmath>

#include "models/sm/params.hpp"

namespace tcsim::gpu {
namespace {

/// One SM of each TPC first, then the others (GIL21, measured on Turing); depth first fills SM
/// after SM.
std::vector<std::size_t> placement_order(const config::Machine& machine) {
  std::vector<std::size_t> order;
  for (int rank = 0; rank < machine.gpu.sms_per_tpc; ++rank) {
    for (int sm = rank; sm < machine.gpu.sms; sm += machine.gpu.sms_per_tpc)
      order.push_back(static_cast<std::size_t>(sm));
  }
  return order;
}

/// Launches whose constants lie side by side; 2 GiB have room for more.
constexpr std::uint64_t kConstantPlaces = 4096;

/// The smallest carve-out that holds all resident CTAs; the rest of the unified memory caches data.
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

std::array<std::int64_t, 3> grid_position(const isa::KernelLaunch& launch, std::int64_t cta) {
  return {cta % launch.grid[0], cta / launch.grid[0] % launch.grid[1],
          cta / (launch.grid[0] * launch.grid[1])};
}

}  // namespace

CtaScheduler::CtaScheduler(const sc_core::sc_module_name& name, const config::Machine& machine,
                           const std::vector<std::unique_ptr<SmShell>>& shells,
                           const std::vector<std::unique_ptr<sm::Sm>>& sms,
                           const sc_core::sc_signal<Cycle>& boundary)
    : sc_core::sc_module(name),
      machine_(machine),
      shells_(shells),
      sms_(sms),
      boundary_(boundary),
      timing_(sm::timing_table(machine.sm)),
      placement_(placement_order(machine)),
      code_map_(machine.sm.instruction_fetch) {
  SC_METHOD(schedule);
  sensitive << boundary_;
  dont_initialize();
}

Cycle CtaScheduler::overhead_cycles(const config::Machine& machine) {
  return static_cast<Cycle>(std::llround(machine.launch.overhead_us * machine.clocks.sm_mhz));
}

void CtaScheduler::enqueue(const std::vector<isa::KernelLaunch>& launches, Cycle at) {
  kernels_.clear();
  constant_lines_.clear();
  spans_.clear();
  running_ = 0;
  ctas_done_ = 0;
  ctas_total_ = 0;
  last_end_ = at;
  for (const isa::KernelLaunch& launch : launches) {
    constant_lines_.push_back(next_constant_line());
    kernels_.push_back(std::make_unique<sm::Kernel>(
        launch, machine_.sm, timing_, code_map_.place(launch), constant_lines_.back()));
    ctas_total_ += launch.cta_count();
  }
  finished_ = kernels_.empty();
}

/// Every launch has its own constants, one after the other in their part of code memory, which is
/// used again when it is full.
std::uint32_t CtaScheduler::next_constant_line() {
  if (machine_.sm.instruction_fetch.l0_bytes == 0) return 0;  // constants are always there
  const auto line_bytes = static_cast<std::uint64_t>(machine_.sm.instruction_fetch.line_bytes);
  const std::uint64_t lines_per_launch = isa::kConstantBytes / line_bytes;
  const std::uint64_t first = (memory::kConstantMemory - memory::kCodeMemory) / line_bytes;
  return static_cast<std::uint32_t>(first + launches_++ % kConstantPlaces * lines_per_launch);
}

void CtaScheduler::schedule() {
  const Cycle now = boundary_.read();
  if (finished_) return;
  collect_ended();
  if (launched_ && ctas_left_ == 0) {
    const bool idle =
        std::all_of(sms_.begin(), sms_.end(), [](const auto& sm) { return sm->is_idle(); });
    if (!idle) return;  // stores are not answered yet
    for (const auto& sm : sms_) last_end_ = std::max(last_end_, sm->last_store_done());
    close_span();
    launched_ = false;
    finished_ = ++running_ == kernels_.size();
  }
  if (finished_) return;
  if (!launched_) launch_next(last_end_);
  dispatch(now + machine_.launch.cta_release_cycles);
}

void CtaScheduler::collect_ended() {
  ended_.clear();
  for (std::size_t sm = 0; sm < shells_.size(); ++sm) {
    taken_.clear();
    shells_[sm]->ended_ctas.take(taken_);
    for (const Cycle at : taken_) ended_.emplace_back(at, sm);
  }
  std::sort(ended_.begin(), ended_.end());
  for (const auto& [at, sm] : ended_) {
    --ctas_left_;
    ++ctas_done_;
    last_end_ = std::max(last_end_, at);
    released_.emplace_back(at + machine_.launch.cta_release_cycles, sm);
  }
}

void CtaScheduler::launch_next(Cycle at) {
  const sm::Kernel& kernel = *kernels_[running_];
  const isa::KernelLaunch& launch = kernel.launch();
  const Occupancy fit = occupancy(machine_, launch);
  const Cycle first_cta = at + overhead_cycles(machine_);
  const std::int64_t cached = l1_bytes(machine_.sm, launch, fit.ctas_per_sm);
  for (const auto& shell : shells_)
    shell->commands.post({&kernel, fit.ctas_per_sm, cached, {}, first_cta, at});
  spans_.push_back({launch.name, at, 0, launch.cta_count(), fit.ctas_per_sm, fit.limit, 0, 0, {}});
  instructions_before_ = 0;
  mmas_before_ = 0;
  for (const auto& sm : sms_) {
    instructions_before_ += sm->warp_instructions();
    mmas_before_ += sm->mma_instructions();
  }
  launched_ = true;
  next_cta_ = 0;
  ctas_left_ = launch.cta_count();
  released_.clear();
  room_.assign(sms_.size(), fit.ctas_per_sm);
  next_dispatch_ = first_cta - machine_.launch.cta_start_cycles;
}

/// Dispatches CTAs up to `horizon`: every slot that becomes free before it is known.
void CtaScheduler::dispatch(Cycle horizon) {
  const isa::KernelLaunch& launch = kernels_[running_]->launch();
  while (next_cta_ < launch.cta_count()) {
    std::size_t sm = preferred_sm();
    if (sm == sms_.size()) {  // nothing free: the next slot decides
      if (released_.empty()) return;
      next_dispatch_ = std::max(next_dispatch_, released_.front().first);
    }
    if (next_dispatch_ >= horizon) return;
    while (!released_.empty() && released_.front().first <= next_dispatch_) {
      ++room_[released_.front().second];
      released_.pop_front();
    }
    sm = preferred_sm();
    --room_[sm];
    SmCommand command;
    command.cta = grid_position(launch, next_cta_++);
    command.at = next_dispatch_ + machine_.launch.cta_start_cycles;
    shells_[sm]->commands.post(command);
    next_dispatch_ += machine_.launch.cta_dispatch_interval_cycles;
  }
}

/// The SM for the next CTA, or their number if none has room.
std::size_t CtaScheduler::preferred_sm() const {
  const bool breadth_first = machine_.launch.cta_placement == "breadth_first";
  std::size_t best = sms_.size();
  for (const std::size_t sm : placement_) {
    if (room_[sm] == 0) continue;
    if (best == sms_.size() || (breadth_first && room_[sm] > room_[best])) best = sm;
    if (!breadth_first) break;
  }
  return best;
}

void CtaScheduler::close_span() {
  KernelSpan& span = spans_.back();
  span.end = last_end_;
  for (const auto& sm : sms_) {
    span.warp_instructions += sm->warp_instructions();
    span.mma_instructions += sm->mma_instructions();
  }
  span.warp_instructions -= instructions_before_;
  span.mma_instructions -= mmas_before_;
}

}  // namespace tcsim::gpu
