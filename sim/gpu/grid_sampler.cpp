#include "sim/gpu/grid_sampler.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tcsim::gpu {
namespace {

/// Least number of waves in a gap: at least two are read into the L2 for it.
constexpr std::int64_t kFewestWaves = 3;
/// Waves that remain after a gap besides those to measure: one in which the machine settles, and
/// the last one.
constexpr std::int64_t kWavesBehind = 2;
/// Share of the traffic to DRAM that may stay in the L2 unnoticed, and the share of its bandwidth
/// from which DRAM holds CTAs up.
constexpr double kNegligible = 0.02;
constexpr double kBusy = 0.6;
/// If there are more marks, they are thinned out.
constexpr std::size_t kMostMarks = 64;

}  // namespace

bool GridSampler::look(Cycle simulated) {
  const auto grid = scheduler_.dispatched();
  if (!grid || grid->kernel != kernel_) {
    finish(simulated);
    kernel_ = grid ? grid->kernel : nullptr;
    waves_ = {};
    next_mark_ = 0;
  }
  if (!grid || grid->slots == 0) return false;
  if (next_mark_ == 0) {
    waves_ = sm::waves_of(*grid->kernel, grid->slots);
    next_mark_ = std::max<std::int64_t>(1, waves_.ctas);
  }
  if (waves_.ctas == 0) return false;
  return grid->ended >= next_mark_ && mark(simulated, *grid);
}

void GridSampler::finish(Cycle simulated) {
  if (gap_) log_.close(*std::exchange(gap_, {}), {}, simulated);
  begin_anew();
}

bool GridSampler::mark(Cycle simulated, const CtaScheduler::Dispatched& grid) {
  next_mark_ = grid.ended + stride_ * waves_.ctas;
  marks_.push_back({log_.mark(simulated), memory_.dirty_bytes()});
  if (marks_.size() > kMostMarks) {
    thin_out(marks_);
    stride_ *= 2;
  }
  const std::size_t last = marks_.size() - 1;
  if (last < kBatches) return false;
  const std::size_t waves = std::max(kBatches, last - last / kSettlingShare);
  const std::size_t batch = std::max<std::size_t>(1, waves / kMoreBatches);
  const std::size_t first = last - waves / batch * batch;
  std::vector<Mark> window;
  for (std::size_t i = first; i <= last; i += batch) window.push_back(marks_[i].mark);
  Rates rates = rates_between(window, counters_);
  const double measured = window.back().instructions - window.front().instructions;
  rates.dirtied = (static_cast<double>(marks_[last].dirty_bytes) -
                   static_cast<double>(marks_[first].dirty_bytes)) /
                  measured;
  if (!gap_)
    return log_.is_known(rates) && !fills_l2(marks_[first], marks_[last]) &&
           make_gap(grid, rates, drift_of(window.front(), window.back()), measured,
                    static_cast<std::int64_t>(last) * stride_);
  if (!log_.tells(*gap_, rates, measured)) return false;
  log_.close(*std::exchange(gap_, {}), rates, simulated);
  begin_anew();
  return true;
}

/// True if the waves write so much that DRAM will hold them up as soon as the L2 has no room left
/// for dirty lines: the rate between the marks does not last.
bool GridSampler::fills_l2(const WaveMark& from, const WaveMark& to) const {
  if (to.dirty_bytes <= from.dirty_bytes) return false;
  const auto kept = static_cast<double>(to.dirty_bytes - from.dirty_bytes);
  const auto moved = static_cast<double>(counters_.dram_bytes(to.mark.counters) -
                                         counters_.dram_bytes(from.mark.counters));
  const double could = dram_bytes_per_cycle_ * static_cast<double>(to.mark.at - from.mark.at);
  return kept > kNegligible * (kept + moved) && kept + moved > kBusy * could;
}

/// How far the rate between the marks drifts in a gap.
double GridSampler::drift_of(const Mark& from, const Mark& to) const {
  const auto moved =
      static_cast<double>(counters_.dram_bytes(to.counters) - counters_.dram_bytes(from.counters));
  const double could = dram_bytes_per_cycle_ * static_cast<double>(to.at - from.at);
  return moved > kBusy * could ? kDriftHeldUp : kDriftOnceSeen;
}

void GridSampler::begin_anew() {
  marks_.clear();
  stride_ = 1;
}

/// `waves` were needed to measure `rates`: the same number remains after the gap.
bool GridSampler::make_gap(const CtaScheduler::Dispatched& grid, const Rates& rates, double drift,
                           double measured, std::int64_t waves) {
  Gap gap;
  gap.window = measured;
  gap.before = rates;
  gap.drift = drift;
  gap.is_of_waves = true;
  const std::int64_t ahead = (waves_.end - grid.next) / waves_.ctas - (waves + kWavesBehind);
  if (ahead < kFewestWaves) return false;
  const sm::IssuedWork one = sm::work_of_wave(*grid.kernel, waves_);
  const auto left_out = static_cast<std::int64_t>(
      std::min(static_cast<double>(ahead), std::floor(log_.affordable(marks_.back().mark, gap) /
                                                      static_cast<double>(one.instructions))));
  if (left_out < kFewestWaves) return false;
  const std::int64_t ctas = left_out * waves_.ctas;
  for (const auto& sm : sms_) sm->renumber(ctas);
  try {
    warm(grid, ctas);
  } catch (const WarmingStopped&) {
    for (const auto& sm : sms_) sm->renumber(-ctas);
    throw;
  }
  scheduler_.leave_out(ctas);
  gap.instructions = static_cast<double>(left_out * one.instructions);
  gap.cleaned_bytes = static_cast<std::int64_t>(marks_.back().dirty_bytes) -
                      static_cast<std::int64_t>(memory_.dirty_bytes());
  gap.issued.push_back({left_out * one.instructions, left_out * one.mmas, left_out * one.macs});
  gap_ = std::move(gap);
  begin_anew();
  next_mark_ = grid.ended + ctas + waves_.ctas;
  return true;
}

/// Performs the reads and writes of the last of the `ctas` CTAs before the resident ones, as many
/// waves as refill the L2, and then what the resident ones have read.
void GridSampler::warm(const CtaScheduler::Dispatched& grid, std::int64_t ctas) {
  const std::int64_t end = grid.next + ctas - grid.slots;
  L2Warming warming(memory_, keep_going_);
  warm_wave(grid, end - ctas, warming);
  const std::int64_t waves = std::clamp<std::int64_t>(warming.to_refill(), 1, ctas / grid.slots);
  for (std::int64_t wave = waves; wave > 0; --wave)
    warm_wave(grid, end - wave * grid.slots, warming);
  std::int64_t done = 0;
  for (const auto& sm : sms_) done = std::max(done, sm->most_trips_done());
  warming.read_trips(done + 1, [&](std::int64_t trip) {
    for (std::size_t i = 0; i < sms_.size(); ++i)
      sms_[i]->read_again(trip, warming.reads_of(static_cast<int>(i)));
  });
}

/// Performs the reads and writes of the wave of CTAs from `first` on, one on each SM in turn.
void GridSampler::warm_wave(const CtaScheduler::Dispatched& grid, std::int64_t first,
                            L2Warming& warming) {
  std::vector<sm::CtaAccesses> wave;
  for (std::int64_t cta = std::max<std::int64_t>(first, 0); cta < first + grid.slots; ++cta)
    wave.emplace_back(*grid.kernel, cta);
  std::int64_t trips = 1;
  for (const sm::CtaAccesses& cta : wave) trips = std::max(trips, cta.most_trips());
  warming.read_trips(trips, [&](std::int64_t trip) {
    for (std::size_t i = 0; i < wave.size(); ++i)
      wave[i].read(trip, warming.reads_of(static_cast<int>(i % sms_.size())));
  });
  for (sm::CtaAccesses& cta : wave) cta.write(warming.stores());
}

}  // namespace tcsim::gpu
