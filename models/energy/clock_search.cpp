#include "models/energy/clock_search.hpp"

#include <algorithm>
#include <cmath>

#include "models/energy/event_energies.hpp"

namespace tcsim::energy {
namespace {

constexpr double kLeastShare = 0.98;    ///< least share of a limit that a run below boost draws
constexpr double kAim = 0.99;           ///< the middle between that and the limit
constexpr double kLeastExponent = 0.2;  ///< smallest exponent of power over clock that is accepted
                                        ///< from two runs
constexpr int kMostGuesses = 4;         ///< after which the interval is halved

}  // namespace

std::optional<int> ClockSearch::next(const PowerDraw& draw) {
  const int clock_mhz = draw.clock_mhz;
  const double share = share_of_limits(draw);
  const bool keeps = share <= 1;
  if (keeps) below_mhz_ = std::max(below_mhz_, clock_mhz);
  if (!keeps) above_mhz_ = std::min(above_mhz_, clock_mhz);
  const int width_mhz = above_mhz_ - below_mhz_;
  const bool is_close = clock_mhz >= boost_mhz_ || share >= kLeastShare;
  const bool is_narrow = width_mhz <= 1;
  if (keeps && (is_close || (is_narrow && clock_mhz == below_mhz_))) return std::nullopt;
  if (below_mhz_ > 0 && is_narrow) return below_mhz_;
  if (!keeps && clock_mhz <= 1) return std::nullopt;
  const int guess = static_cast<int>(
      std::clamp(clock_mhz * estimated_ratio(draw), 1.0, static_cast<double>(boost_mhz_)));
  last_ = draw;
  const bool is_between = guess > below_mhz_ && guess < above_mhz_;
  return is_between && ++guesses_ <= kMostGuesses ? guess : below_mhz_ + width_mhz / 2;
}

/// The share of the limit that `draw` is nearest to.
double ClockSearch::share_of_limits(const PowerDraw& draw) const {
  return std::max(draw.power_w / limits_.power_w, draw.tensor_mhz / limits_.tensor_mhz);
}

/// The clock at which the run should draw the target power, relative to that of `draw`. Assumes
/// that the rate of the tensor cores follows the clock.
double ClockSearch::estimated_ratio(const PowerDraw& draw) const {
  constexpr double kAny = std::numeric_limits<double>::infinity();
  const double power = limits_.power_w < kAny ? ratio_of_power(draw) : kAny;
  const double tensor = draw.tensor_mhz > 0 ? kAim * limits_.tensor_mhz / draw.tensor_mhz : kAny;
  return std::min(power, tensor);
}

double ClockSearch::ratio_of_power(const PowerDraw& draw) const {
  const double aim_w = kAim * limits_.power_w;
  if (last_ && last_->clock_mhz != draw.clock_mhz) {
    const double exponent = std::log(draw.power_w / last_->power_w) /
                            std::log(static_cast<double>(draw.clock_mhz) / last_->clock_mhz);
    if (exponent > kLeastExponent) return std::pow(aim_w / draw.power_w, 1 / exponent);
  }
  if (draw.fixed_w < std::min(aim_w, draw.power_w))
    return clock_ratio_at_limit(draw.power_w, draw.fixed_w, aim_w);
  // DRAM alone draws that much: it draws less only if the run slows down with the clock.
  if (draw.power_w <= draw.constant_w) return 1;
  return (aim_w - draw.constant_w) / (draw.power_w - draw.constant_w);
}

}  // namespace tcsim::energy
