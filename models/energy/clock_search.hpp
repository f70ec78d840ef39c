#pragma once

#include <optional>

namespace tcsim::energy {

/// What a run at one clock draws.
struct PowerDraw {
  int clock_mhz = 0;
  double power_w = 0;
  double fixed_w = 0;     ///< of it, what has a supply of its own: DRAM and the constant part
  double constant_w = 0;  ///< of that, what is drawn whatever runs
};

/// Looks for the clock at which a run keeps to its board's power limit: the boost clock where that
/// draws no more, else one at which it draws between 98 and 100 % of it. Clocks are whole MHz
/// (assumption: finer than those of boards). Each step is a run, so there are few: the next clock
/// follows from the power of the last one, then from that of the last two, and lies between those
/// known to be too high and low enough.
class ClockSearch {
 public:
  ClockSearch(int boost_mhz, double limit_w)
      : boost_mhz_(boost_mhz), limit_w_(limit_w), above_mhz_(boost_mhz + 1) {}

  /// The clock to run at after `draw`, at most the boost clock; nothing if that run is the answer.
  /// It then draws at most the limit, unless even 1 MHz draws more.
  std::optional<int> next(const PowerDraw& draw);

 private:
  [[nodiscard]] double estimated_ratio(const PowerDraw& draw) const;

  int boost_mhz_;
  double limit_w_;
  int above_mhz_;      ///< the lowest clock known to draw more than the limit
  int below_mhz_ = 0;  ///< the highest one known not to
  int steps_ = 0;
  std::optional<PowerDraw> last_;
};

}  // namespace tcsim::energy
