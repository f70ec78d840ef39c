#include "sim/cli/power_preparation.hpp"

#include <algorithm>
#include <cmath>

#include "models/energy/event_energies.hpp"

namespace tcsim::cli {

report::PowerInputs power_inputs(const config::Machine& machine, const config::PeakRate& peak,
                                 const PowerConditions& conditions) {
  constexpr double kOperationsPerMac = 2.0;
  const double activity = conditions.constant_data ? energy::kConstantData : energy::kRandomData;
  report::PowerInputs inputs;
  inputs.energies =
      energy::event_energies(machine.energy, peak.dtype, activity, conditions.clock_ratio);
  inputs.constant_w = machine.energy.constant_w;
  inputs.limit_w = machine.energy.limit_w;
  inputs.data = conditions.constant_data ? "constant" : "random";
  inputs.tensor_flop_per_slot =
      kOperationsPerMac * peak.macs_per_cycle_per_sm / machine.sm.sub_cores;
  return inputs;
}

int clock_at_limit_mhz(const report::RunRecord& record, int boost_mhz, double busy_share) {
  // About 1 % of the clock (assumption: a board steps it no finer).
  constexpr double kTolerance = 0.02;
  const int clock_mhz = record.inputs.clock_mhz;
  const double seconds = record.metric("time_us").value_or(0.0) / 1e6;
  if (seconds <= 0) return clock_mhz;
  const double constant_w = record.inputs.power->constant_w;
  const double limit_w = record.inputs.power->limit_w;
  const double power_w =
      constant_w + busy_share * (record.metric("power_w").value_or(0.0) - constant_w);
  if (std::abs(power_w - limit_w) <= kTolerance * limit_w) return clock_mhz;
  // DRAM and the constant part have supplies of their own; a limit below them cannot be met.
  const double fixed_w =
      constant_w + busy_share * record.metric("dram_energy_j").value_or(0.0) / seconds;
  if (fixed_w >= std::min(limit_w, power_w)) return clock_mhz;
  const double ratio = energy::clock_ratio_at_limit(power_w, fixed_w, limit_w);
  return std::min(boost_mhz, static_cast<int>(clock_mhz * ratio));
}

}  // namespace tcsim::cli
