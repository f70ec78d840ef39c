#pragma once

#include <cstdint>
#include <string>

namespace tcsim::report {

/// How a grid fills the chip: `slots` CTAs run at once, so the grid takes ctas / slots waves.
struct Waves {
  double count = 0.0;           ///< full waves plus the part of the last one
  double last_wave_fill = 0.0;  ///< share of the slots that the last wave uses, in (0, 1]
};

/// Requires ctas > 0. Without slots (the kernel never ran) both parts are 0.
Waves waves_of(std::int64_t ctas, std::int64_t slots);

/// Both parts as people read them, rounded alike: to a whole percent of a wave, or to the first
/// digit of a share below that.
struct WavesText {
  std::string count;              ///< "1.25"
  std::string last_wave_percent;  ///< "25"
};

WavesText text_of(const Waves& waves);

}  // namespace tcsim::report
