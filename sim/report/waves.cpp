#include "sim/report/waves.hpp"

namespace tcsim::report {

Waves waves_of(std::int64_t ctas, std::int64_t slots) {
  if (slots == 0) return {};
  const std::int64_t in_last_wave = ctas % slots == 0 ? slots : ctas % slots;
  return {static_cast<double>(ctas) / static_cast<double>(slots),
          static_cast<double>(in_last_wave) / static_cast<double>(slots)};
}

}  // namespace tcsim::report
