#include "sim/gpu/loop_sampler.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace tcsim::gpu {
namespace {

/// Between two looks: a trip of a loop round MMAs takes some hundred cycles.
constexpr Cycle kLookCycles = 512;
constexpr std::size_t kBatches = 4;
constexpr double kFewestTrips = 1.5;  ///< of a batch
/// Of a window and the time before it in which the machine settles, that time.
constexpr std::size_t kSettlingShare = 3;
/// Looks that are kept at most: more are thinned out.
constexpr std::size_t kMostLooks = 96;
/// 0.975 quantile of Student's t with three degrees of freedom.
constexpr double kStudentT3 = 3.182446;
/// A gap takes at least so many windows: less is soon simulated.
constexpr double kShortestGap = 2;

/// Lines read lately, so that what many CTAs read at one time is carried out once.
class LatelyRead {
 public:
  /// True if an SM of `partition` has read `sectors` of `line` lately; from now on one has.
  bool has(std::uint64_t line, std::uint8_t sectors, int partition) {
    constexpr std::uint64_t kGoldenRatio = 0x9e3779b97f4a7c15;
    constexpr int kSectorBits = 8;
    const std::uint64_t wanted =
        (line + static_cast<std::uint64_t>(partition)) << kSectorBits | sectors;
    std::uint64_t& entry = entries_[(wanted * kGoldenRatio) >> (64 - kBits)];
    return std::exchange(entry, wanted) == wanted;
  }

 private:
  static constexpr int kBits = 15;
  std::vector<std::uint64_t> entries_ =
      std::vector<std::uint64_t>(std::size_t{1} << kBits, ~std::uint64_t{0});
};

}  // namespace

LoopSampler::LoopSampler(const SamplingOptions& options, Cycle origin,
                         const std::vector<std::unique_ptr<sm::Sm>>& sms,
                         memory::MemorySystem& memory, const stats::Group& root)
    : options_(options), origin_(origin), sms_(sms), memory_(memory), due_(origin + kLookCycles) {
  collect(root);
}

void LoopSampler::collect(const stats::Group& group) {
  std::vector<std::size_t> cycles;
  for (stats::Counter* const counter : group.counters()) {
    if (counter->name().starts_with("cycles_")) cycles.push_back(counters_.size());
    if (counter->name() == "warp_instructions") instructions_.push_back(counters_.size());
    counters_.push_back(counter);
  }
  if (!cycles.empty()) cycles_of_sub_cores_.push_back(std::move(cycles));
  for (const stats::Group* const child : group.children()) collect(*child);
}

LoopSampler::Look LoopSampler::take_look() const {
  Look look;
  look.at = due_;
  for (std::size_t sm = 0; sm < sms_.size(); ++sm)
    for (const sm::LoopProgress& progress : sms_[sm]->loop_progress())
      look.places.push_back({sm, progress});
  look.counters.resize(counters_.size());
  std::ranges::transform(counters_, look.counters.begin(), &stats::Counter::value);
  return look;
}

/// Warp instructions between looks `first` and `last`.
double LoopSampler::instructions_between(std::size_t first, std::size_t last) const {
  std::uint64_t sum = 0;
  for (const std::size_t i : instructions_)
    sum += looks_[last].counters[i] - looks_[first].counters[i];
  return static_cast<double>(sum);
}

/// True if at `look` every CTA is in a loop, and nothing but trips went by since the look before.
bool LoopSampler::goes_on(const Look& look) const {
  const bool are_in_loops = std::ranges::all_of(look.places, [](const Place& place) {
    return place.progress.left > 0 && place.progress.trips >= 1;
  });
  if (look.places.empty() || !are_in_loops ||
      std::ranges::any_of(sms_, [](const auto& sm) { return sm->has_pending_ctas(); }))
    return false;
  if (looks_.empty()) return true;
  return std::ranges::equal(
      look.places, looks_.back().places, [](const Place& now, const Place& before) {
        return now.sm == before.sm && now.progress.slot == before.progress.slot &&
               now.progress.start == before.progress.start &&
               now.progress.trips > before.progress.trips;
      });
}

void LoopSampler::look() {
  Look now = take_look();
  due_ += kLookCycles;
  if (!goes_on(now)) {
    if (gap_) close_gap(measured());
    return begin_anew();
  }
  if (!looks_.empty() && ++passed_ < stride_) return;
  keep(std::move(now));
  try_gap();
}

void LoopSampler::keep(Look look) {
  passed_ = 0;
  looks_.push_back(std::move(look));
  if (looks_.size() <= kMostLooks) return;
  for (std::size_t i = 0; 2 * i < looks_.size(); ++i) std::swap(looks_[i], looks_[2 * i]);
  looks_.resize((looks_.size() + 1) / 2);
  stride_ *= 2;
}

/// Trips that the CTA at `place` did from look `first` to look `last`.
double LoopSampler::trips_of(std::size_t place, std::size_t first, std::size_t last) const {
  return looks_[last].places[place].progress.trips - looks_[first].places[place].progress.trips;
}

/// The same of all CTAs, in the mean.
double LoopSampler::trips_between(std::size_t first, std::size_t last) const {
  double trips = 0;
  for (std::size_t i = 0; i < looks_[first].places.size(); ++i) trips += trips_of(i, first, last);
  return trips / static_cast<double>(looks_[first].places.size());
}

/// Looks [first, last] are the four batches behind the settling.
std::optional<LoopSampler::Window> LoopSampler::window() const {
  if (looks_.empty()) return {};
  const std::size_t last = looks_.size() - 1;
  const std::size_t batch = (last - last / kSettlingShare) / kBatches;
  const Window window{last - kBatches * batch, last, batch};
  if (batch == 0 || trips_between(window.first, last) < kFewestTrips * kBatches) return {};
  return window;
}

/// The rates of the window, if it is long enough.
std::optional<LoopSampler::Rates> LoopSampler::measured() const {
  const std::optional<Window> window = this->window();
  if (!window) return {};
  std::array<double, kBatches> means{};
  for (std::size_t i = 0; i < kBatches; ++i) {
    const std::size_t from = window->first + i * window->batch;
    const std::size_t to = from + window->batch;
    means[i] =
        static_cast<double>(looks_[to].at - looks_[from].at) / instructions_between(from, to);
  }
  const Look& from = looks_[window->first];
  const Look& to = looks_[window->last];
  const double instructions = instructions_between(window->first, window->last);
  Rates rates;
  rates.cycles = static_cast<double>(to.at - from.at) / instructions;
  const double mean = std::accumulate(means.begin(), means.end(), 0.0) / kBatches;
  double squares = 0;
  for (const double each : means) squares += (each - mean) * (each - mean);
  rates.half_width = kStudentT3 * std::sqrt(squares / (kBatches - 1) / kBatches);
  rates.counters.resize(counters_.size());
  std::ranges::transform(to.counters, from.counters, rates.counters.begin(),
                         [instructions](std::uint64_t after, std::uint64_t before) {
                           return static_cast<double>(after - before) / instructions;
                         });
  return rates;
}

/// `after`: the rates behind the gap, if they could be measured.
void LoopSampler::close_gap(const std::optional<Rates>& after) {
  const Gap gap = *std::exchange(gap_, std::nullopt);
  const Rates& behind = after ? *after : gap.before;
  const double cycles = (gap.before.cycles + behind.cycles) / 2;
  const double half_width = std::max({gap.before.half_width, behind.half_width,
                                      std::abs(gap.before.cycles - behind.cycles) / 2,
                                      after ? 0 : options_.tolerance * cycles});
  closed_.push_back({due_ - kLookCycles - origin_, gap.instructions, gap.instructions * cycles,
                     gap.instructions * half_width});
  std::vector<double> amounts(counters_.size());
  std::ranges::transform(gap.before.counters, behind.counters, amounts.begin(),
                         [&gap](double before, double after_it) {
                           return gap.instructions * (before + after_it) / 2;
                         });
  add_to_counters(amounts);
}

/// Earlier looks count as if the amounts had always been there.
void LoopSampler::add_to_counters(const std::vector<double>& amounts) {
  for (std::size_t i = 0; i < counters_.size(); ++i) {
    const auto amount = static_cast<std::uint64_t>(std::llround(amounts[i]));
    counters_[i]->add(amount);
    for (Look& look : looks_) look.counters[i] += amount;
  }
}

void LoopSampler::try_gap() {
  const std::optional<Rates> rates = measured();
  if (!rates) return;
  if (gap_) close_gap(rates);
  if (rates->half_width > options_.tolerance * rates->cycles) return;
  const Window window = *this->window();
  // Behind the gap stays what another window needs, and what it needs to settle.
  constexpr double kWindowsBehind = 1.0 + 1.0 / (kSettlingShare - 1);
  double windows = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < looks_[window.last].places.size(); ++i) {
    const auto left = static_cast<double>(looks_[window.last].places[i].progress.left);
    const double trips = trips_of(i, window.first, window.last);
    windows = std::min(
        {windows, options_.longest_gap * left / trips, (left - 2) / trips - kWindowsBehind});
  }
  if (windows < kShortestGap) return;
  const double trips = trips_between(window.first, window.last);
  make_gap(*rates, std::floor(windows * trips) / trips);
}

/// Every CTA leaves out what it did in `windows` windows.
void LoopSampler::make_gap(const Rates& before, double windows) {
  const Window window = *this->window();
  std::vector<std::pair<std::size_t, sm::LoopJump>> jumps;
  for (std::size_t i = 0; i < looks_[window.last].places.size(); ++i) {
    const Place& place = looks_[window.last].places[i];
    if (jumps.empty() || jumps.back().first != place.sm)
      jumps.emplace_back(place.sm, sms_[place.sm]->jump());
    const double trips = trips_of(i, window.first, window.last);
    jumps.back().second.leave_out(
        place.progress.slot,
        std::min<std::int64_t>(std::llround(windows * trips), place.progress.left));
  }
  std::int64_t most = 0;
  double instructions = 0;
  for (const auto& [sm, jump] : jumps) {
    most = std::max(most, jump.most_trips());
    instructions += static_cast<double>(jump.instructions());
  }
  LatelyRead lately;
  for (std::int64_t trip = 0; trip < most; ++trip) {
    for (auto& [sm, jump] : jumps) {
      const int reader = static_cast<int>(sm);
      const int partition = memory_.partition_of(reader);
      jump.read(trip, [&](const std::vector<sm::LineSectors>& lines) {
        for (const sm::LineSectors& line : lines)
          if (!lately.has(line.line, line.sectors, partition))
            memory_.warm(line.line, line.sectors, reader);
      });
    }
  }
  for (auto& [sm, jump] : jumps) jump.carry_out();
  gap_ = Gap{instructions, before};
  begin_anew();
}

void LoopSampler::begin_anew() {
  looks_.clear();
  stride_ = 1;
  passed_ = 0;
}

void LoopSampler::finish() {
  if (gap_) close_gap(measured());
}

Cycle LoopSampler::whole_time(Cycle simulated) const {
  double left_out = 0;
  for (const ClosedGap& gap : closed_)
    if (gap.at <= simulated) left_out += gap.cycles;
  return simulated + std::llround(left_out);
}

void LoopSampler::complete_cycles(Cycle cycles) const {
  for (const std::vector<std::size_t>& kinds : cycles_of_sub_cores_) {
    std::uint64_t sum = 0;
    stats::Counter* largest = counters_[kinds.front()];
    for (const std::size_t kind : kinds) {
      sum += counters_[kind]->value();
      if (counters_[kind]->value() > largest->value()) largest = counters_[kind];
    }
    const std::uint64_t rest = largest->value() + static_cast<std::uint64_t>(cycles) - sum;
    largest->reset();
    largest->add(rest);
  }
}

Sampling LoopSampler::sampling() const {
  Sampling sum;
  for (const ClosedGap& gap : closed_) {
    ++sum.gaps;
    sum.cycles_left_out += gap.cycles;
    sum.half_width_cycles += gap.half_width;
    sum.instructions_left_out += gap.instructions;
  }
  return sum;
}

}  // namespace tcsim::gpu
