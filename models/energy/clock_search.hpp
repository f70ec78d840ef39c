#pragma once

#include <limits>
#include <optional>

namespace tcsim::energy {

/// What a run at one clock draws.
struct PowerDraw {
  int clock_mhz = 0;
  double power_w = 0;
  double fixed_w = 0;     ///< of it, what has a supply of its own: DRAM and the constant part
  double constant_w = 0;  ///< of that, what is drawn whatever runs
  double tensor_mhz = 0;  ///< the clock times the share of their peak that tensor cores do
};

/// What a board keeps to.
struct LoadLimits {
  double power_w = std::numeric_limits<double>::infinity();
  double tensor_mhz = std::numeric_limits<double>::infinity();
};

/// Looks for the clock at which a run keeps to the limits of its board: the boost clock where it
/// draws no more, else one at which it draws between 98 and 100 % of one of them. Clocks are whole
/// MHz (assumption: finer than those of boards). Each step is a run, so there are few: the next
/// clock follows from the draw of the last one, then from the power of the last two, and lies
/// between those known to be too high and low enough.
class ClockSearch {
 public:
  ClockSearch(int boost_mhz, const LoadLimits& limits)
      : boost_mhz_(boost_mhz), limits_(limits), above_mhz_(boost_mhz + 1) {}

  /// The clock to run at after `draw`, at most the boost clock; nothing if that run is the answer.
  /// It then keeps to the limits, unless not even 1 MHz does.
  std::optional<int> next(const PowerDraw& draw);

 private:
  [[nodiscard]] double share_of_limits(const PowerDraw& draw) const;
  [[nodiscard]] double estimated_ratio(const PowerDraw& draw) const;
  [[nodiscard]] double ratio_of_power(const PowerDraw& draw) const;

  int boost_mhz_;
  LoadLimits limits_;
  int above_mhz_;      ///< the lowest clock known to draw more than the limits
  int below_mhz_ = 0;  ///< the highest one known not to
  int steps_ = 0;
  std::optional<PowerDraw> last_;
};

}  // namespace tcsim::energy
