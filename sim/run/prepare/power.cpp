#include "sim/run/prepare/power.hpp"

#include "models/energy/event_energies.hpp"

namespace tcsim::run {

report::PowerInputs power_inputs(const config::Machine& machine, std::string_view dtype,
                                 const PowerConditions& conditions) {
  const double activity = conditions.constant_data ? energy::kConstantData : energy::kRandomData;
  report::PowerInputs inputs;
  inputs.energies = energy::event_energies(machine.energy, dtype, activity, conditions.clock_ratio);
  inputs.constant_w = machine.energy.constant_w;
  inputs.limit_w = machine.energy.limit_w;
  inputs.tensor_mhz = machine.energy.tensor_mhz;
  inputs.data = conditions.constant_data ? "constant" : "random";
  return inputs;
}

energy::PowerDraw power_draw(const report::RunRecord& record, double busy_share) {
  const double seconds = record.metric("time_us").value_or(0.0) / 1e6;
  const double constant_w = record.inputs.power->constant_w;
  const double power_w =
      constant_w + busy_share * (record.metric("power_w").value_or(0.0) - constant_w);
  const double dram_w =
      seconds > 0 ? busy_share * record.metric("dram_energy_j").value_or(0.0) / seconds : 0;
  const double tensor_share = busy_share * record.metric("issue_fraction").value_or(0.0);
  return {record.inputs.clock_mhz, power_w, constant_w + dram_w, constant_w,
          tensor_share * record.inputs.clock_mhz};
}

}  // namespace tcsim::run
