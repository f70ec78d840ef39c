#include "sim/report/waves.hpp"

#include <fmt/format.h>

#include <cmath>

namespace tcsim::report {

Waves waves_of(std::int64_t ctas, std::int64_t slots) {
  if (slots == 0) return {};
  const std::int64_t in_last_wave = ctas % slots == 0 ? slots : ctas % slots;
  return {static_cast<double>(ctas) / static_cast<double>(slots),
          static_cast<double>(in_last_wave) / static_cast<double>(slots)};
}

WavesText text_of(const Waves& waves) {
  constexpr double kPercent = 100;
  const double fill_percent = kPercent * waves.last_wave_fill;
  const bool is_small = fill_percent > 0 && fill_percent < 1;
  const int decimals = is_small ? static_cast<int>(std::ceil(-std::log10(fill_percent))) : 0;
  const double scale = std::pow(10.0, decimals);
  const double shown_percent = std::round(fill_percent * scale) / scale;
  const double full_waves = std::round(waves.count - waves.last_wave_fill);
  return {fmt::format("{:.{}f}", full_waves + shown_percent / kPercent, decimals + 2),
          fmt::format("{:.{}f}", shown_percent, decimals)};
}

}  // namespace tcsim::report
