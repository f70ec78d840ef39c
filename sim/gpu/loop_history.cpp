#include "sim/gpu/loop_history.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <utility>

#include "sim/gpu/students_t.hpp"

namespace tcsim::gpu {
namespace {

constexpr std::size_t kMostRuns = 8;
/// Relative difference in rate beyond which a run is taken to do something else.
constexpr double kOther = 0.1;
/// Relative half-width beyond which it is unknown whether a window agrees with others.
constexpr double kMostUnsure = 0.05;
/// Iterations beyond the last step up to which values are extrapolated, or the distance to the
/// previous step: runs end between two steps.
constexpr double kBeyond = 2;

/// Amounts since the first step of a run.
struct Amounts {
  double cycles = 0;
  double instructions = 0;
  std::vector<double> counters;
};

/// The amounts when `run` had completed `trips` iterations, interpolated from the two steps around;
/// shortly after the last step, extrapolated over the same distance before it; empty elsewhere.
std::optional<Amounts> amounts_at(const std::vector<LoopStep>& run, double trips) {
  const double last = run.back().trips;
  const double beyond = std::max(kBeyond, last - run[run.size() - 2].trips);
  if (trips < run.front().trips || trips > last + beyond) return {};
  const auto after = std::ranges::lower_bound(run, std::min(trips, last), {}, &LoopStep::trips);
  const auto before = std::ranges::lower_bound(
      run.begin(), after, trips > last ? last - beyond : trips, {}, &LoopStep::trips);
  const LoopStep& from = before == run.begin() ? *before : *std::prev(before);
  const Mark& first = run.front().mark;
  const double part =
      from.trips < after->trips ? (trips - from.trips) / (after->trips - from.trips) : 0;
  const auto between = [part](double here, double there) { return here + part * (there - here); };
  Amounts amounts;
  amounts.cycles = between(static_cast<double>(from.mark.at - first.at),
                           static_cast<double>(after->mark.at - first.at));
  amounts.instructions = between(from.mark.instructions - first.instructions,
                                 after->mark.instructions - first.instructions);
  amounts.counters.resize(first.counters.size());
  for (std::size_t i = 0; i < first.counters.size(); ++i)
    amounts.counters[i] = between(static_cast<double>(from.mark.counters[i] - first.counters[i]),
                                  static_cast<double>(after->mark.counters[i] - first.counters[i]));
  return amounts;
}

/// Rates per warp instruction between two iteration numbers.
std::optional<Rates> rates_of(const std::vector<LoopStep>& run, double from, double to) {
  const std::optional<Amounts> before = amounts_at(run, from);
  const std::optional<Amounts> behind = amounts_at(run, to);
  if (!before || !behind || behind->instructions <= before->instructions) return {};
  const double instructions = behind->instructions - before->instructions;
  Rates rates;
  rates.cycles = (behind->cycles - before->cycles) / instructions;
  rates.counters.resize(before->counters.size());
  std::ranges::transform(
      behind->counters, before->counters, rates.counters.begin(),
      [instructions](double there, double here) { return (there - here) / instructions; });
  return rates;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Student's t for the mean of `further` more runs, given the `values` of two runs or more.
double half_width_of_mean(const std::vector<double>& values, double further) {
  const double mean = mean_of(values);
  const auto count = static_cast<double>(values.size());
  double squares = 0;
  for (const double each : values) squares += (each - mean) * (each - mean);
  return students_t(count) * std::sqrt(squares / (count - 1) * (1 / further + 1 / count));
}

}  // namespace

void LoopHistory::add(std::vector<LoopStep> steps) {
  if (steps.size() < 2) return;
  if (!std::exchange(has_begun_, true)) {
    first_ = std::move(steps);
    return;
  }
  const Mark& first = steps.front().mark;
  const Mark& last = steps.back().mark;
  const double cycles =
      static_cast<double>(last.at - first.at) / (last.instructions - first.instructions);
  if (const auto others = rates(steps.front().trips, steps.back().trips, 1);
      others &&
      std::abs(cycles - others->cycles) > std::max(kOther * others->cycles, others->half_width))
    runs_.clear();
  if (runs_.size() == kMostRuns) runs_.erase(runs_.begin());
  runs_.push_back(std::move(steps));
}

double LoopHistory::instructions_of_run() const {
  return runs_.back().back().mark.instructions - runs_.back().front().mark.instructions;
}

std::vector<Rates> LoopHistory::rates_of_runs(double from, double to) const {
  std::vector<Rates> all;
  if (!has_begun_) return all;
  for (const std::vector<LoopStep>& run : runs_)
    if (std::optional<Rates> here = rates_of(run, from, to)) all.push_back(*std::move(here));
  return all;
}

std::optional<Rates> LoopHistory::rates(double from, double to, double further) const {
  const std::vector<Rates> of_runs = rates_of_runs(from, to);
  if (of_runs.size() < kFewest) return {};
  Rates rates;
  rates.counters.resize(of_runs.front().counters.size());
  std::vector<double> cycles;
  for (const Rates& run : of_runs) {
    cycles.push_back(run.cycles);
    std::ranges::transform(run.counters, rates.counters, rates.counters.begin(), std::plus<>());
  }
  const auto count = static_cast<double>(of_runs.size());
  for (double& counter : rates.counters) counter /= count;
  rates.cycles = mean_of(cycles);
  rates.half_width = half_width_of_mean(cycles, further);
  return rates;
}

std::vector<double> LoopHistory::half_widths_of_counters(double from, double to, double further,
                                                         const CounterSet& counters) const {
  std::vector<std::vector<double>> of_runs;
  for (const Rates& run : rates_of_runs(from, to))
    of_runs.push_back(counters.by_kind(run.counters));
  std::vector<double> half_widths(counters.kinds().size());
  std::vector<double> of_kind(of_runs.size());
  for (std::size_t kind = 0; kind < half_widths.size(); ++kind) {
    for (std::size_t run = 0; run < of_runs.size(); ++run) of_kind[run] = of_runs[run][kind];
    half_widths[kind] = half_width_of_mean(of_kind, further);
  }
  return half_widths;
}

bool LoopHistory::agrees(const Rates& window, double from, double to, double tolerance) const {
  const std::optional<Rates> before = rates(from, to, 1);
  if (!before) return false;
  const double apart = std::abs(window.cycles - before->cycles);
  return apart <= std::max(tolerance * before->cycles, before->half_width) ||
         (apart <= window.half_width && window.half_width <= kMostUnsure * before->cycles);
}

bool LoopHistory::goes_on(double here, double since, double from, double to,
                          double tolerance) const {
  const std::vector<LoopStep>& run = runs_.empty() ? first_ : runs_.back();
  if (run.empty()) return false;
  const std::optional<Rates> there = rates_of(run, from, to);
  if (!there) return false;
  const auto is_near = [&](double cycles) {
    return std::abs(there->cycles - cycles) <= tolerance * cycles;
  };
  const std::optional<Rates> before = rates_of(run, since, from);
  return is_near(here) || (before && is_near(before->cycles));
}

}  // namespace tcsim::gpu
