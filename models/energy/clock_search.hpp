#pragma once

#include <limits>
#include <optional>

namespace tcsim::energy {

/// The power that a run draws at one clock.
struct PowerDraw {
  int clock_mhz = 0;
  double power_w = 0;
  double fixed_w = 0;     ///< part of it with a separate supply: DRAM and the constant part
  double constant_w = 0;  ///< part of fixed_w that is drawn whatever runs
  double tensor_mhz = 0;  ///< the clock times the share of their peak that the tensor cores reach
};

/// The limits that a board keeps.
struct LoadLimits {
  double power_w = std::numeric_limits<double>::infinity();
  double tensor_mhz = std::numeric_limits<double>::infinity();
};

/// Finds the clock at which a run keeps the limits of its board. This is the boost clock if the run
/// draws no more there; otherwise a clock at which it draws between 98 and 100 % of one of the
/// limits, or just below one at which its power jumps across them. Clocks are whole MHz
/// (assumption: finer than those of boards). Each step is a run, so there are few. The next clock
/// follows from the draw of the last run, then from the power of the last two, and lies between the
/// clocks known to be too high and low enough. These guesses end a search whose power follows a
/// law; where they do not, the interval is halved.
class ClockSearch {
 public:
  ClockSearch(int boost_mhz, const LoadLimits& limits)
      : boost_mhz_(boost_mhz), limits_(limits), above_mhz_(boost_mhz + 1) {}

  /// The clock to run at after `draw`, at most the boost clock; empty if that run is the answer.
  /// The answer keeps the limits, unless not even 1 MHz does.
  std::optional<int> next(const PowerDraw& draw);

 private:
  [[nodiscard]] double share_of_limits(const PowerDraw& draw) const;
  [[nodiscard]] double estimated_ratio(const PowerDraw& draw) const;
  [[nodiscard]] double ratio_of_power(const PowerDraw& draw) const;

  int boost_mhz_;
  LoadLimits limits_;
  int above_mhz_;      ///< the lowest clock known to draw more than the limits
  int below_mhz_ = 0;  ///< the highest clock known not to
  int guesses_ = 0;
  std::optional<PowerDraw> last_;
};

}  // namespace tcsim::energy
