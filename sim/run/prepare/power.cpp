#include "sim/run/prepare/power.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/energy/event_energies.hpp"
#include "sim/library/load.hpp"
#include "sim/report/network_totals.hpp"
#include "sim/run/request_fields.hpp"

namespace tcsim::run {
namespace {

/// `overrides` with this clock of the SMs in the place of the one they name.
std::vector<std::string> with_clock(std::vector<std::string> overrides, int clock_mhz) {
  constexpr std::string_view kKey = "clocks.sm_mhz=";
  std::erase_if(overrides, [&](const std::string& text) { return text.starts_with(kKey); });
  overrides.push_back(fmt::format("{}{}", kKey, clock_mhz));
  return overrides;
}

}  // namespace

report::PowerInputs power_inputs(const config::Machine& machine, std::string_view dtype,
                                 bool constant_data) {
  const double activity = constant_data ? energy::kConstantData : energy::kRandomData;
  const double clock_ratio = static_cast<double>(machine.clocks.sm_mhz) / machine.clocks.boost();
  report::PowerInputs inputs;
  inputs.energies = energy::event_energies(machine.energy, dtype, activity, clock_ratio);
  inputs.constant_w = machine.energy.constant_w;
  inputs.limit_w = machine.energy.limit_w;
  inputs.tensor_mhz = machine.energy.tensor_mhz;
  inputs.boost_mhz = machine.clocks.boost();
  inputs.data = constant_data ? "constant" : "random";
  return inputs;
}

energy::LoadLimits load_limits(ClockPolicy policy, const config::Machine& machine) {
  energy::LoadLimits limits;
  if (policy == ClockPolicy::kBoost) return limits;
  if (policy == ClockPolicy::kPower) {
    limits.power_w = machine.energy.limit_w;
    if (limits.power_w <= machine.energy.constant_w)
      throw RequestError(
          fmt::format("{} power: no clock meets energy.limit_w = {} W, because energy.constant_w = "
                      "{} W is drawn independent of what runs",
                      word_of("clock"), machine.energy.limit_w, machine.energy.constant_w));
  }
  if (machine.energy.tensor_mhz > 0) limits.tensor_mhz = machine.energy.tensor_mhz;
  return limits;
}

config::MachineFile machine_at(const RunRequest& request, const config::MachineFile& boost,
                               int clock_mhz) {
  config::MachineFile machine = library::read_machine(
      request.machines.front(), with_clock(request.overrides, clock_mhz), request.libraries);
  machine.machine.clocks.boost_mhz = boost.machine.clocks.sm_mhz;
  return machine;
}

energy::PowerDraw power_draw(const report::RunRecord& record, double busy_share) {
  const double seconds = record.metric("time_us").value_or(0.0) / 1e6;
  const double constant_w = record.inputs.power->constant_w;
  const double power_w =
      constant_w + busy_share * (record.metric("power_w").value_or(0.0) - constant_w);
  const double dram_w =
      seconds > 0 ? busy_share * record.metric("dram_energy_j").value_or(0.0) / seconds : 0;
  return {record.inputs.clock_mhz, power_w, constant_w + dram_w, constant_w,
          busy_share * record.tensor_share() * record.inputs.clock_mhz};
}

energy::PowerDraw power_draw(const report::NetworkRun& run, double constant_w) {
  const report::NetworkTotals totals = report::totals_of(run);
  const double seconds = totals.time_us / 1e6;
  if (seconds <= 0) return {};
  return {static_cast<int>(totals.clock_mhz), totals.power_w(),
          constant_w + totals.dram_energy_j / seconds, constant_w,
          totals.clock_mhz * totals.tensor_peak_us / totals.time_us};
}

}  // namespace tcsim::run
