#include "sim/gpu/grid_sampler.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "models/sm/grid_jump.hpp"
#include "sim/gpu/warming.hpp"

namespace tcsim::gpu {
namespace {

/// A gap takes at least so many waves.
constexpr std::int64_t kFewestWaves = 4;
/// Waves that stay behind a gap: one in which the machine settles, kBatches to measure, the last.
constexpr std::int64_t kWavesBehind = 1 + kBatches + 1;

}  // namespace

bool GridSampler::look(Cycle simulated) {
  const auto grid = scheduler_.dispatched();
  if (!grid || grid->kernel != kernel_) {
    finish(simulated);
    kernel_ = grid ? grid->kernel : nullptr;
    has_equal_ctas_ = grid && sm::has_equal_ctas(*grid->kernel);
    next_mark_ = 0;
  }
  if (!grid || !has_equal_ctas_ || grid->slots == 0) return false;
  if (next_mark_ == 0) next_mark_ = grid->slots;
  return grid->ended >= next_mark_ && mark(simulated, *grid);
}

void GridSampler::finish(Cycle simulated) {
  if (gap_) close_gap({}, simulated);
  marks_.clear();
}

bool GridSampler::mark(Cycle simulated, const CtaScheduler::Dispatched& grid) {
  next_mark_ = grid.ended + grid.slots;
  marks_.push_back({log_.whole_time(simulated), static_cast<double>(grid.ended), counters_.read()});
  if (marks_.size() <= kBatches) return false;
  if (!gap_) return try_gap(grid);
  close_gap(rates_between(marks_), simulated);
  marks_.clear();
  return true;
}

bool GridSampler::try_gap(const CtaScheduler::Dispatched& grid) {
  const Rates rates = rates_between(std::span(marks_).last(kBatches + 1));
  if (rates.half_width > options_.tolerance * rates.cycles) return false;
  const auto ahead = static_cast<double>(grid.ctas - grid.next - kWavesBehind * grid.slots);
  const auto waves = static_cast<std::int64_t>(
      std::floor(options_.longest_gap * ahead / static_cast<double>(grid.slots)));
  if (waves < kFewestWaves) return false;
  const std::int64_t ctas = waves * grid.slots;
  warm(grid, grid.next + ctas - 2 * grid.slots);
  for (const auto& sm : sms_) sm->renumber(ctas);
  scheduler_.leave_out(ctas);
  const sm::IssuedWork one = sm::work_of_cta(*grid.kernel);
  Gap gap{static_cast<double>(ctas), static_cast<double>(ctas * one.instructions), rates, {}};
  gap.issued.push_back({ctas * one.instructions, ctas * one.mmas, ctas * one.macs});
  gap_ = std::move(gap);
  marks_.clear();
  next_mark_ = grid.ended + ctas + grid.slots;
  return true;
}

/// Reads the wave of CTAs from `first` on, slot by slot on the SMs in turn.
void GridSampler::warm(const CtaScheduler::Dispatched& grid, std::int64_t first) {
  std::vector<sm::CtaReads> wave;
  for (std::int64_t cta = std::max<std::int64_t>(first, 0); cta < first + grid.slots; ++cta)
    wave.emplace_back(*grid.kernel, cta);
  L2Warming warming(memory_);
  std::int64_t trips = 0;
  for (const sm::CtaReads& cta : wave) trips = std::max(trips, cta.most_trips());
  for (std::int64_t trip = 0; trip < trips; ++trip)
    for (std::size_t i = 0; i < wave.size(); ++i)
      wave[i].read(trip, warming.reads_of(static_cast<int>(i % sms_.size())));
}

void GridSampler::close_gap(const std::optional<Rates>& behind, Cycle simulated) {
  log_.close(*std::exchange(gap_, {}), behind, simulated);
}

}  // namespace tcsim::gpu
