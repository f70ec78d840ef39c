#pragma once

#include <string_view>

#include "models/energy/params.hpp"

namespace tcsim::energy {

/// How much the operands toggle: 0 for zeros and constants, 1 for random bits.
inline constexpr double kConstantData = 0.0;
inline constexpr double kRandomData = 1.0;

/// Energies of single events under given conditions.
struct EventEnergies {
  double tensor_pj_per_flop = 0;
  double vector_pj_per_flop = 0;
  double l1_pj_per_byte = 0;
  double l2_pj_per_byte = 0;
  double dram_pj_per_byte = 0;
};

/// Energies for operands of type `dtype` (fp16, bf16, tf32, e4m3, e5m2, fp8 for either of these,
/// int8, int32, fp32, fp64) that toggle by `activity`, with SMs and L2 at `clock_ratio` times the
/// boost clock. The energies of SMs and L2 fall with the square of the voltage; DRAM has a separate
/// supply. Throws std::invalid_argument for another type.
EventEnergies event_energies(const EnergyParams& params, std::string_view dtype, double activity,
                             double clock_ratio);

/// The ratio of clocks at which a run that draws `power_w` would draw `limit_w`: `fixed_w` of it
/// stays constant, the rest follows the cube of the clock, as if the voltage follows the clock.
/// Requires fixed_w < limit_w and fixed_w < power_w.
double clock_ratio_at_limit(double power_w, double fixed_w, double limit_w);

}  // namespace tcsim::energy
