#include "sim/gpu/loop_sampler.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "sim/gpu/warming.hpp"

namespace tcsim::gpu {
namespace {

/// Fewest iterations of a window, so that variations within an iteration average out.
constexpr double kFewestTrips = 4;
constexpr double kFewestTripsAsBefore = 3;
/// Windows of this many iterations have more batches, of two or more iterations each.
constexpr double kTripsForMoreBatches = 16;
/// If there are more looks, they are thinned out.
constexpr std::size_t kMostLooks = 96;
constexpr std::size_t kMostSteps = 48;  ///< steps kept of a run
/// Least length of a gap in windows: a shorter one is quickly simulated.
constexpr double kShortestGap = 1;
/// Greatest length of a gap in windows; also at most the iterations done before: CTAs drift apart
/// only in what is simulated.
constexpr double kLongestGap = 4;
/// Relative standard deviation of the rates of SMs beyond which their CTAs drift apart: the end of
/// the last one depends on the drift, which skipped iterations do not show.
constexpr double kMostSpread = 0.05;
/// Least lag of a CTA, in iterations, that is not just its phase in the current one.
constexpr double kLeastLag = 0.4;
/// Largest half-width of an estimate from earlier runs, relative to the requested one: half of the
/// run may then be estimated.
constexpr double kWidestTold = 1.5;
/// Fewest iterations estimated from earlier runs: for shorter loops, waves are skipped.
constexpr double kFewestFromPasses = 16;

}  // namespace

std::vector<LoopSampler::Place> LoopSampler::places() const {
  std::vector<Place> all;
  for (std::size_t sm = 0; sm < sms_.size(); ++sm)
    for (const sm::LoopProgress& progress : sms_[sm]->loop_progress())
      all.push_back({sm, progress});
  return all;
}

/// True if every CTA is past the first iteration of a loop, and nothing but iterations has happened
/// since the previous look.
bool LoopSampler::goes_on(const std::vector<Place>& places) const {
  const bool are_in_loops = std::ranges::all_of(places, [](const Place& place) {
    return place.progress.left > 0 && place.progress.trips >= 1;
  });
  if (places.empty() || !are_in_loops) return false;
  if (looks_.empty()) return true;
  return std::ranges::equal(
      places, looks_.back().places, [](const Place& now, const Place& before) {
        return now.sm == before.sm && now.progress.slot == before.progress.slot &&
               now.progress.run == before.progress.run &&
               now.progress.warps == before.progress.warps &&
               now.progress.trips >= before.progress.trips;
      });
}

void LoopSampler::look(Cycle simulated) {
  if (!std::ranges::all_of(sms_, [](const auto& sm) { return sm->are_in_loops(); }))
    return begin_anew(simulated);
  std::vector<Place> now = places();
  if (!goes_on(now)) return begin_anew(simulated);
  if (!looks_.empty() && ++passed_ < stride_) return;
  note_ended(now);
  keep(simulated, std::move(now));
  try_gap(simulated);
}

void LoopSampler::begin_anew(Cycle simulated) {
  std::optional<Rates> at_end;
  bool is_as_passes = false;
  if (const auto window = this->window()) {
    at_end = rates_in(*window);
    set_trend(*at_end, point_of(*window, *at_end));
    is_as_passes = run_is_from_passes_ && agrees(*window, *at_end);
  }
  if (gap_) close_gap(is_as_passes && gap_is_from_passes_ ? gap_->before : at_end, simulated);
  // Rates estimated from earlier runs hold for the iterations of their gap, not for the last ones.
  log_.end_loop(is_as_passes ? std::optional<Rates>() : at_end);
  end_run();
  points_.clear();
  looks_.clear();
  stride_ = 1;
  passed_ = 0;
}

void LoopSampler::keep(Cycle simulated, std::vector<Place> places) {
  passed_ = 0;
  if (run_.empty()) {
    begun_ = places;
    skipped_.assign(places.size(), 0);
  }
  Mark mark = log_.mark(simulated);
  run_.push_back({simulated, mean_trips(places), mark});
  if (run_.size() > kMostSteps) thin_out(run_);
  looks_.push_back({simulated, std::move(mark), std::move(places)});
  if (looks_.size() <= kMostLooks) return;
  thin_out(looks_);
  stride_ *= 2;
}

/// Among windows of nearly the greatest length, the one whose ends have the most similar phase of
/// the CTAs in their iterations: events at one place of an iteration then count as often as
/// iterations were done.
std::optional<LoopSampler::Window> LoopSampler::window() const {
  if (looks_.empty()) return {};
  const std::size_t last = looks_.size() - 1;
  const std::size_t longest = last - last / kSettlingShare;
  const double fewest = ended_.has_enough() ? kFewestTripsAsBefore : kFewestTrips;
  std::optional<Window> best;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t length = longest; length >= kBatches && 4 * length >= 3 * longest; --length) {
    const Window window{last - length, last};
    if (trips_in(window) < fewest) break;
    const double apart = phase_difference(window);
    if (apart >= least) continue;
    best = window;
    least = apart;
  }
  return best;
}

/// In fractions of an iteration, the mean over the CTAs.
double LoopSampler::phase_difference(const Window& window) const {
  const std::size_t places = looks_[window.first].places.size();
  double sum = 0;
  for (std::size_t i = 0; i < places; ++i) {
    const double trips = trips_of(i, window);
    sum += std::abs(trips - std::round(trips));
  }
  return sum / static_cast<double>(places);
}

/// Standard deviation of an SM's mean iterations per CTA, among SMs with the same number of CTAs,
/// relative to the mean of all.
double LoopSampler::spread_of_sms(const Window& window) const {
  struct OfSms {
    double count = 0;
    double sum = 0;
    double squares = 0;
  };
  std::map<std::size_t, OfSms> by_ctas;
  const std::vector<Place>& places = looks_[window.first].places;
  for (std::size_t first = 0, end = 0; first < places.size(); first = end) {
    double trips = 0;
    for (end = first; end < places.size() && places[end].sm == places[first].sm; ++end)
      trips += trips_of(end, window);
    OfSms& all = by_ctas[end - first];
    const double mean = trips / static_cast<double>(end - first);
    all.count += 1;
    all.sum += mean;
    all.squares += mean * mean;
  }
  double count = 0;
  double squares = 0;  // of the differences from the means
  for (const auto& [ctas, all] : by_ctas) {
    count += all.count;
    squares += std::max(0.0, all.squares - all.sum * all.sum / all.count);
  }
  return std::sqrt(squares / count) / trips_in(window);
}

/// Batches end where the CTAs are as close as possible to their phase at the start of the window: a
/// part of an iteration does not show its rate.
Rates LoopSampler::rates_in(const Window& window) const {
  const std::size_t length = window.last - window.first;
  const bool is_long = trips_in(window) >= kTripsForMoreBatches && length >= 2 * kMoreBatches;
  const std::size_t batches = is_long ? kMoreBatches : kBatches;
  std::vector<Mark> marks(batches + 1);
  marks.front() = looks_[window.first].mark;
  marks.back() = looks_[window.last].mark;
  for (std::size_t i = 1; i < batches; ++i) {
    std::size_t end = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t look = window.first + (4 * i - 1) * length / (4 * batches);
         look <= window.first + (4 * i + 1) * length / (4 * batches); ++look) {
      const double apart = phase_difference({window.first, look});
      if (apart >= least) continue;
      end = look;
      least = apart;
    }
    marks[i] = looks_[end].mark;
  }
  return rates_between(marks, counters_);
}

/// Iterations that the CTA at `place` did.
double LoopSampler::trips_of(std::size_t place, const Window& window) const {
  return looks_[window.last].places[place].progress.trips -
         looks_[window.first].places[place].progress.trips;
}

/// Iterations that the CTA at `place` did in this run, without those that it skipped.
double LoopSampler::simulated_trips_of(std::size_t place) const {
  return looks_.back().places[place].progress.trips - begun_[place].progress.trips -
         static_cast<double>(skipped_[place]);
}

/// The same, the mean of all CTAs.
double LoopSampler::trips_in(const Window& window) const {
  return mean_trips(looks_[window.last].places) - mean_trips(looks_[window.first].places);
}

double LoopSampler::mean_trips(const std::vector<Place>& places) {
  double trips = 0;
  for (const Place& place : places) trips += place.progress.trips;
  return trips / static_cast<double>(places.size());
}

double LoopSampler::instructions_in(const Window& window) const {
  return looks_[window.last].mark.instructions - looks_[window.first].mark.instructions;
}

/// Afterwards the looks after the gap have the time that they would have without it.
void LoopSampler::close_gap(const std::optional<Rates>& behind, Cycle simulated) {
  const Cycle before = log_.whole_time(simulated);
  const CounterSet::Values amounts = log_.close(*std::exchange(gap_, {}), behind, simulated);
  const auto set_behind = [&](Mark& mark) {
    mark.at += log_.whole_time(simulated) - before;
    std::ranges::transform(mark.counters, amounts, mark.counters.begin(), std::plus<>());
    mark.instructions = static_cast<double>(counters_.instructions(mark.counters));
  };
  for (Look& look : looks_) set_behind(look.mark);
  for (LoopStep& step : run_)
    if (step.simulated > gap_begin_) set_behind(step.mark);
}

void LoopSampler::try_gap(Cycle simulated) {
  const std::optional<Window> window = this->window();
  if (!window) return;
  Rates rates = rates_in(*window);
  const Point here = point_of(*window, rates);
  set_trend(rates, here);
  const double measured = instructions_in(*window);
  const bool is_as_before = agrees(*window, rates);
  const double trips = trips_in(*window);
  if (!is_as_before && trips < kFewestTrips) return;
  if (gap_ && gap_is_from_passes_ && is_as_before) close_gap(gap_->before, simulated);
  if (gap_ && !log_.tells(*gap_, rates, measured)) return;
  if (gap_) close_gap(rates, simulated);
  if (spread_of_sms(*window) > kMostSpread) return;
  // What another window needs, including its settling, must remain after the gap.
  constexpr double kWindowsBehind = 1.0 + 1.0 / (kSettlingShare - 1);
  double windows = std::numeric_limits<double>::infinity();
  double done = windows;  // in windows
  double ahead = 0;       // iterations of all CTAs
  for (std::size_t i = 0; i < looks_.back().places.size(); ++i) {
    const sm::LoopProgress& progress = looks_.back().places[i].progress;
    const auto left = static_cast<double>(progress.left);
    const double its_trips = trips_of(i, *window);
    ahead += left;
    windows = std::min(windows, (left - 2) / its_trips - kWindowsBehind);
    done = std::min(done, progress.trips / its_trips);
  }
  const double from = mean_trips(looks_.back().places);
  const bool is_known = trips >= kFewestTrips && log_.is_known(rates);
  const bool goes_on = is_known && ended_.goes_on(rates.cycles, from - trips, from,
                                                  from + windows * trips, options_.tolerance());
  std::optional<Rates> from_passes;
  if (is_as_before && windows * trips >= kFewestFromPasses)
    from_passes = rates_from_passes(windows * trips);
  if (from_passes && goes_on && rates.half_width <= from_passes->half_width) from_passes.reset();
  if (!from_passes) {
    if (!is_known) return;
    if (goes_on)
      rates.trend = 0;
    else  // What evolves with the iterations does not advance in a gap, and lags by as much after
          // it.
      windows =
          std::min({windows, done, kLongestGap,
                    options_.tolerance() * rates.cycles / (std::abs(rates.trend) * measured)});
  }
  const double all_trips = trips * static_cast<double>(looks_.back().places.size());
  Gap planned;
  planned.before = from_passes ? *from_passes : rates;
  if (from_passes || goes_on) planned.drift = kDriftOnceSeen;
  planned.ahead = ahead / all_trips * measured;
  windows = std::min(windows, log_.affordable(looks_.back().mark, planned) / measured);
  const std::vector<std::int64_t> left_out = trips_to_leave_out(*window, windows);
  if (windows < kShortestGap || left_out.empty()) return;
  points_.push_back(here);
  gap_is_from_passes_ = from_passes.has_value();
  run_is_from_passes_ |= gap_is_from_passes_;
  make_gap(*window, std::move(planned), left_out);
}

/// True if the CTAs go through the iterations of `window` as earlier ones did.
bool LoopSampler::agrees(const Window& window, const Rates& rates) const {
  return ended_.agrees(rates, mean_trips(looks_[window.first].places),
                       mean_trips(looks_[window.last].places), options_.tolerance());
}

/// The estimate of earlier runs for the next `trips` iterations, if it is precise enough; the share
/// of the whole run that a gap may use is limited elsewhere.
std::optional<Rates> LoopSampler::rates_from_passes(double trips) const {
  const double from = mean_trips(looks_.back().places);
  const double to_come = options_.instructions - looks_.back().mark.instructions;
  const double further = std::max(1.0, to_come / ended_.instructions_of_run());
  std::optional<Rates> rates = ended_.rates(from, from + trips, further);
  if (rates && rates->half_width > kWidestTold * options_.error * rates->cycles) rates.reset();
  if (!rates) return rates;
  rates->half_widths = ended_.half_widths_of_counters(from, from + trips, further, counters_);
  count_idle_sub_cores(*rates, counters_);
  return rates;
}

/// For each CTA, the iterations to skip instead of `windows` windows, so that what it skipped in
/// this run is in proportion to what was simulated of it; the same number for all if CTAs may wait
/// for each other. Empty if that is nothing. CTAs take turns at pipes and lines of the L2: a lag
/// behind CTAs on SMs with as many CTAs that is no more than a difference of phase is no difference
/// of rates.
std::vector<std::int64_t> LoopSampler::trips_to_leave_out(const Window& window,
                                                          double windows) const {
  const std::vector<Place>& places = looks_.back().places;
  std::int64_t period = 1;
  std::int64_t least_left = std::numeric_limits<std::int64_t>::max();
  for (const Place& place : places) {
    period = std::lcm(period, place.progress.period);
    least_left = std::min(least_left, place.progress.left);
  }
  const double trips = trips_in(window);
  const auto in_mean = static_cast<std::int64_t>(std::floor(windows * trips));
  if (period > 1) {
    const std::int64_t each = std::min(in_mean, least_left) / period * period;
    if (each <= 0) return {};
    return std::vector(places.size(), each);
  }
  std::vector<std::size_t> ctas(sms_.size());  // of an SM
  for (const Place& place : places) ++ctas[place.sm];
  struct Sum {
    double trips = 0;
    double count = 0;
  };
  std::map<std::size_t, Sum> by_ctas;
  double simulated = 0;                                              // iterations of all CTAs
  auto skipped = static_cast<double>(in_mean * std::ssize(places));  // with those of this gap
  for (std::size_t i = 0; i < places.size(); ++i) {
    Sum& sum = by_ctas[ctas[places[i].sm]];
    sum.trips += simulated_trips_of(i);
    ++sum.count;
    simulated += simulated_trips_of(i);
    skipped += static_cast<double>(skipped_[i]);
  }
  std::vector<std::int64_t> all;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Sum& sum = by_ctas[ctas[places[i].sm]];
    const double mean = sum.trips / sum.count;
    const double its = simulated_trips_of(i);
    const double rate = std::abs(its - mean) < kLeastLag ? mean : its;
    const std::int64_t due = std::llround(skipped / simulated * rate) - skipped_[i];
    all.push_back(std::clamp<std::int64_t>(due, 0, places[i].progress.left));
  }
  return all;
}

LoopSampler::Point LoopSampler::point_of(const Window& window, const Rates& rates) const {
  const Cycle middle = (looks_[window.first].simulated + looks_[window.last].simulated) / 2;
  return {static_cast<double>(middle), rates.cycles};
}

/// Sets the trend by least squares over the windows in this run through the loop, the last one
/// `here`, instead of the trend within the last window.
void LoopSampler::set_trend(Rates& rates, const Point& here) const {
  if (points_.empty()) return;
  const auto count = static_cast<double>(points_.size() + 1);
  Point mean = here;
  for (const Point& each : points_) {
    mean.simulated += each.simulated;
    mean.rate += each.rate;
  }
  mean.simulated /= count;
  mean.rate /= count;
  double products = (here.simulated - mean.simulated) * (here.rate - mean.rate);
  double squares = (here.simulated - mean.simulated) * (here.simulated - mean.simulated);
  for (const Point& each : points_) {
    products += (each.simulated - mean.simulated) * (each.rate - mean.rate);
    squares += (each.simulated - mean.simulated) * (each.simulated - mean.simulated);
  }
  rates.trend = products / squares * rates.cycles;
}

/// Keeps this run for later ones, unless it was itself estimated from earlier ones.
void LoopSampler::end_run() {
  if (!run_is_from_passes_ && !looks_.empty() &&
      run_.back().trips - run_.front().trips >= kFewestTrips) {
    ending_.push_back(std::move(run_));
    these_ = looks_.back().places;
  }
  run_.clear();
  run_is_from_passes_ = false;
}

/// Adds runs through the loop whose CTAs have all ended to the history.
void LoopSampler::note_ended(const std::vector<Place>& now) {
  if (ending_.empty()) return;
  const auto key = [](const Place& place) { return std::pair(place.sm, place.progress.slot); };
  const bool have_ended = std::ranges::all_of(now, [&](const Place& place) {
    const auto then = std::ranges::lower_bound(these_, key(place), {}, key);
    return then == these_.end() || key(*then) != key(place) ||
           then->progress.run < place.progress.run;
  });
  if (!have_ended) return;
  for (std::vector<LoopStep>& run : ending_) ended_.add(std::move(run));
  ending_.clear();
}

/// Makes the planned gap, in which each CTA skips the given number of iterations.
void LoopSampler::make_gap(const Window& window, Gap gap,
                           const std::vector<std::int64_t>& trips_left_out) {
  std::vector<std::pair<std::size_t, sm::LoopJump>> jumps;
  double left_out = 0;  // iterations of all CTAs
  double ahead = 0;
  for (std::size_t i = 0; i < looks_.back().places.size(); ++i) {
    const Place& place = looks_.back().places[i];
    if (jumps.empty() || jumps.back().first != place.sm)
      jumps.emplace_back(place.sm, sms_[place.sm]->jump());
    const std::int64_t trips = trips_left_out[i];
    jumps.back().second.leave_out(place.progress.slot, trips);
    skipped_[i] += trips;
    left_out += static_cast<double>(trips);
    ahead += static_cast<double>(place.progress.left - trips);
  }
  std::int64_t most = 0;
  for (const auto& [sm, jump] : jumps) most = std::max(most, jump.most_trips());
  const std::uint64_t dirty = memory_.dirty_bytes();
  L2Warming warming(memory_, keep_going_);
  const double sectors = warming.read_trips(most, [&](std::int64_t trip) {
    for (auto& [sm, jump] : jumps) jump.read(trip, most, warming.reads_of(static_cast<int>(sm)));
  });
  gap.read_bytes = sectors * memory_.sector_bytes();
  gap.cleaned_bytes = static_cast<std::int64_t>(dirty - memory_.dirty_bytes());
  gap.issued.resize(static_cast<std::size_t>(sms_.front()->sub_cores()) * sms_.size());
  for (auto& [sm, jump] : jumps) {
    jump.carry_out();
    std::ranges::copy(jump.issued(),
                      gap.issued.begin() + static_cast<std::ptrdiff_t>(sm * jump.issued().size()));
  }
  for (const sm::IssuedWork& issued : gap.issued)
    gap.instructions += static_cast<double>(issued.instructions);
  gap.ahead = gap.instructions * ahead / left_out;
  gap.window = instructions_in(window);
  gap_begin_ = looks_.back().simulated;
  looks_.clear();
  stride_ = 1;
  passed_ = 0;
  gap_ = std::move(gap);
}

}  // namespace tcsim::gpu
