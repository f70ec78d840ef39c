#pragma once

#include <optional>
#include <string_view>

namespace tcsim::validate {

/// Which lines the L2 holds when a measured kernel starts.
enum class L2State : std::uint8_t {
  kCold,
  kWarm,   ///< the same kernel ran before
  kTurns,  ///< kernels with other copies of operand B ran before
};

/// How the times of one source were taken. The time to compare with is
/// max(kernel + gap_us, floor_us), kernel without the machine's launch overhead.
struct SourceTraits {
  std::string_view id;
  /// Between two kernels as the source measures, microseconds; nothing: the machine's launch
  /// overhead.
  std::optional<double> gap_us;
  double floor_us;  ///< no measured time is shorter: the host cannot launch faster
  L2State l2;       ///< where the row does not say
  /// Kernels that take longer ran at the clock that the board's power limit allows, microseconds;
  /// shorter ones ended before the limit could act.
  double power_limited_above_us;
};

/// The traits of `id`; of an unknown source: kernels back to back, warm L2, no floor.
SourceTraits traits_of(std::string_view id);

/// The gap of AIC_ATT where the attention kernel is simulated and nothing else of a call,
/// microseconds, for `op` as in Measurement.
double gap_around_attention(std::string_view op);

}  // namespace tcsim::validate
