#include "sim/gpu/gap_log.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "sim/gpu/students_t.hpp"

namespace tcsim::gpu {
namespace {

/// The part of the half-width still available to a run that a gap may use by its prediction: the
/// rate after it may differ. A gap of waves is mostly the last one of its length.
constexpr double kShareOfRoom = 0.75;
constexpr double kShareOfRoomForWaves = 0.9;
/// The part of the cycles up to the limit of a run that a gap may take by its prediction: it is to
/// end before the limit, at the rate behind it too.
constexpr double kShareOfLimit = 0.5;

/// Relative change of the rate over a gap of iterations beyond which the gap may have caused it:
/// the CTAs then share lines of the L2, or do not, by chance.
constexpr double kMostChange = 0.05;

/// Least instructions to come in terms of those simulated so far: if the rate behind a gap is
/// another one, all of them may have to be simulated again. One run in ten may fail so before its
/// last gaps take longer than they save (assumption).
constexpr double kLeastToCome = 0.1;

/// Least relative half-width of a run that leaves anything out: CTAs behind a gap are not quite
/// where they would have been, which changes what follows by up to this, to either side.
constexpr double kLeastWidth = 0.01;

double cycles_per_instruction(const Mark& from, const Mark& to) {
  return static_cast<double>(to.at - from.at) / (to.instructions - from.instructions);
}

/// Half-width of the mean of `means` of batches, 95 %.
double half_width_of(const std::vector<double>& means) {
  const auto count = static_cast<double>(means.size());
  const double mean = std::accumulate(means.begin(), means.end(), 0.0) / count;
  double squares = 0;
  for (const double each : means) squares += (each - mean) * (each - mean);
  return students_t(count) * std::sqrt(squares / (count - 1) / count);
}

/// By kind of counter, of its counts per instruction.
std::vector<double> half_widths_of_counters(std::span<const Mark> marks,
                                            const CounterSet& counters) {
  std::vector<std::vector<double>> sums;
  for (const Mark& mark : marks) sums.push_back(counters.by_kind(mark.counters));
  std::vector<double> half_widths(counters.kinds().size());
  std::vector<double> means(marks.size() - 1);
  for (std::size_t kind = 0; kind < half_widths.size(); ++kind) {
    for (std::size_t i = 0; i < means.size(); ++i)
      means[i] =
          (sums[i + 1][kind] - sums[i][kind]) / (marks[i + 1].instructions - marks[i].instructions);
    half_widths[kind] = half_width_of(means);
  }
  return half_widths;
}

}  // namespace

void count_idle_sub_cores(Rates& rates, const CounterSet& counters) {
  for (const std::size_t counter : counters.cycles_without_warp(rates.counters)) {
    rates.counters[counter] = rates.cycles;
    if (!rates.half_widths.empty())
      rates.half_widths[counters.kind_of(counter)] += rates.half_width;
  }
}

Rates rates_between(std::span<const Mark> marks, const CounterSet& counters) {
  const std::size_t batches = marks.size() - 1;
  const auto count = static_cast<double>(batches);
  std::vector<double> means;
  for (std::size_t i = 0; i < batches && marks[i + 1].instructions > marks[i].instructions; ++i)
    means.push_back(cycles_per_instruction(marks[i], marks[i + 1]));
  Rates rates;
  rates.cycles = cycles_per_instruction(marks.front(), marks.back());
  const double instructions = marks.back().instructions - marks.front().instructions;
  if (means.size() == batches) {
    double products = 0;  // with the distance from the middle, in batches
    double squares_of_steps = 0;
    for (std::size_t i = 0; i < batches; ++i) {
      const double step = static_cast<double>(i) - (count - 1) / 2;
      products += step * means[i];
      squares_of_steps += step * step;
    }
    rates.half_width = half_width_of(means);
    rates.half_widths = half_widths_of_counters(marks, counters);
    rates.trend = products / squares_of_steps * count / instructions;
  } else {
    rates.half_width = std::numeric_limits<double>::infinity();
  }
  rates.counters.resize(marks.front().counters.size());
  std::ranges::transform(marks.back().counters, marks.front().counters, rates.counters.begin(),
                         [instructions](std::uint64_t after, std::uint64_t before) {
                           return static_cast<double>(after - before) / instructions;
                         });
  count_idle_sub_cores(rates, counters);
  return rates;
}

double GapLog::most_half_width(const Mark& now) const {
  return options_.error * static_cast<double>(now.at) * options_.instructions / now.instructions;
}

bool GapLog::is_too_wide(const Mark& now) const {
  if (options_.instructions <= 0) return false;
  const auto [of_trips, of_waves] = half_widths(static_cast<double>(now.at));
  return std::hypot(of_trips, of_waves) > most_half_width(now);
}

double GapLog::affordable(const Mark& now, const Gap& planned) const {
  const Rates& rates = planned.before;
  const auto so_far = static_cast<double>(now.at);
  const double to_limit =
      options_.max_cycles > 0
          ? kShareOfLimit * (static_cast<double>(options_.max_cycles) - so_far) / rates.cycles
          : std::numeric_limits<double>::infinity();
  if (options_.error < kLeastWidth) return 0;
  if (options_.instructions <= 0) return to_limit;
  const double to_come = options_.instructions - now.instructions;
  if (to_come < kLeastToCome * (now.instructions - instructions_)) return 0;
  const auto [of_trips, of_waves] = half_widths(so_far);
  const double now_known = std::hypot(of_trips, of_waves);
  const double share = planned.is_of_waves ? kShareOfRoomForWaves : kShareOfRoom;
  const double may_be = now_known + share * (most_half_width(now) - now_known);
  const double each = std::max(rates.half_width, planned.drift * rates.cycles) +
                      std::abs(rates.trend) * planned.ahead;
  const double carried = planned.is_of_waves ? error_of_trips(so_far) * rates.cycles : each;
  const double own = planned.is_of_waves ? each : 0;
  // The largest x for which the root of the sum of squares of of_trips + carried x and of_waves +
  // own x is may_be.
  const double squares = carried * carried + own * own;
  const double half_of_linear = of_trips * carried + of_waves * own;
  const double rest = of_trips * of_trips + of_waves * of_waves - may_be * may_be;
  if (rest >= 0) return 0;
  const double sure =
      (std::sqrt(half_of_linear * half_of_linear - squares * rest) - half_of_linear) / squares;
  return std::min(sure, to_limit);
}

CounterSet::Values GapLog::close(const Gap& gap, const std::optional<Rates>& behind,
                                 Cycle simulated) {
  const Rates& after = behind ? *behind : gap.before;
  const double cycles = (gap.before.cycles + after.cycles) / 2;
  // Nothing is known about a gap whose end was not observed, nor about iterations behind which the
  // CTAs go on at another rate: they may do so because of the gap.
  const bool is_other = !gap.is_of_waves && std::abs(gap.before.cycles - after.cycles) >
                                                kMostChange * gap.before.cycles;
  const double least = !behind || is_other ? cycles : gap.drift * cycles;
  const double half_width =
      gap.instructions * std::max({gap.before.half_width, after.half_width, least,
                                   std::abs(gap.before.cycles - after.cycles) / 2});
  closed_.push_back(
      {simulated, gap.is_of_waves, gap.instructions, gap.instructions * cycles, half_width});
  ++gaps_;
  instructions_ += gap.instructions;
  if (gap.is_of_waves) {
    cycles_of_waves_ += gap.instructions * cycles;
    half_width_of_waves_ += half_width;
  } else {
    cycles_of_trips_ += gap.instructions * cycles;
    half_width_of_trips_ += half_width;
    in_this_loop_.push_back({gap.instructions, cycles, half_width});
    // Iterations that are known to continue at one rate have no trend after the gap either.
    if (gap.before.trend != 0)
      missed_trends_ +=
          std::abs(after.trend) * gap.instructions * (gap.instructions / 2 + gap.ahead);
  }
  CounterSet::Values amounts(after.counters.size());
  std::ranges::transform(
      gap.before.counters, after.counters, amounts.begin(), [&gap](double here, double there) {
        return static_cast<std::uint64_t>(std::llround(gap.instructions * (here + there) / 2));
      });
  std::vector<double> corrected = counters_.by_kind(amounts);
  if (gap.read_bytes) counters_.put_reads(*gap.read_bytes, amounts);
  std::ranges::transform(counters_.by_kind(amounts), corrected, corrected.begin(), std::minus<>());
  add_half_widths(gap, after, behind.has_value(), corrected);
  const double dirtied = gap.instructions * (gap.before.dirtied + after.dirtied) / 2;
  counters_.put_writebacks(gap.cleaned_bytes + std::llround(dirtied), !gap.is_of_waves, amounts);
  if (gap.issued.size() == 1)
    counters_.put_total(gap.issued.front(), amounts);
  else
    for (std::size_t i = 0; i < gap.issued.size(); ++i) counters_.put(i, gap.issued[i], amounts);
  counters_.add(amounts);
  return amounts;
}

void GapLog::add_half_widths(const Gap& gap, const Rates& after, bool is_seen,
                             const std::vector<double>& corrected) {
  const auto by_kind = [this](const Rates& rates) { return counters_.by_kind(rates.counters); };
  const std::vector<double> here = by_kind(gap.before);
  const std::vector<double> there = by_kind(after);
  const auto width = [](const Rates& rates, std::size_t kind, double rate) {
    return rates.half_widths.empty() ? rate * rates.half_width / rates.cycles
                                     : rates.half_widths[kind];
  };
  std::vector<double>& sums = gap.is_of_waves ? counters_of_waves_ : counters_of_trips_;
  for (std::size_t kind = 0; kind < sums.size(); ++kind) {
    if (counters_.is_exact(kind)) continue;
    const double mean = (here[kind] + there[kind]) / 2;
    const double of_rates =
        gap.instructions *
        std::max({width(gap.before, kind, here[kind]), width(after, kind, there[kind]),
                  is_seen ? gap.drift * mean : mean, std::abs(here[kind] - there[kind]) / 2});
    sums[kind] += std::max(of_rates, std::abs(corrected[kind]));
  }
}

void GapLog::end_loop(const std::optional<Rates>& at_end) {
  if (at_end)
    for (const ClosedInLoop& gap : in_this_loop_)
      half_width_of_trips_ +=
          std::max(0.0, gap.instructions * std::abs(at_end->cycles - gap.cycles) - gap.half_width);
  in_this_loop_.clear();
}

void GapLog::end_kernel(Cycle simulated) {
  for (LeftOut& gap : closed_) gap.at = std::min(gap.at, simulated);
}

double GapLog::error_of_trips(double cycles) const {
  const double others = cycles - cycles_of_waves_;
  return others > 0 ? (half_width_of_trips_ + missed_trends_) / others : 0;
}

GapLog::HalfWidths GapLog::half_widths(double cycles) const {
  return {half_width_of_trips_ + missed_trends_ + error_of_trips(cycles) * cycles_of_waves_,
          half_width_of_waves_};
}

Sampling GapLog::sampling(Cycle cycles) const {
  const auto [of_trips, of_waves] = half_widths(static_cast<double>(cycles));
  std::map<std::string, double> counters;
  for (std::size_t kind = 0; kind < counters_of_trips_.size(); ++kind)
    if (const double each = std::hypot(counters_of_trips_[kind], counters_of_waves_[kind]);
        each > 0)
      counters[counters_.kinds()[kind]] = each;
  return {gaps_,
          cycles_of_trips_ + cycles_of_waves_,
          gaps_ == 0
              ? 0
              : std::max(std::hypot(of_trips, of_waves), kLeastWidth * static_cast<double>(cycles)),
          instructions_,
          std::move(counters),
          closed_};
}

Mark GapLog::mark(Cycle simulated) const {
  Mark mark{whole_time(simulated), 0, counters_.read()};
  mark.instructions = static_cast<double>(counters_.instructions(mark.counters));
  return mark;
}

Cycle GapLog::whole_time(Cycle simulated) const {
  double left_out = 0;
  for (const LeftOut& gap : closed_)
    if (gap.at <= simulated) left_out += gap.cycles;
  return simulated + std::llround(left_out);
}

}  // namespace tcsim::gpu
