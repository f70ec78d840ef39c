#pragma once

#include <string_view>

#include "models/energy/clock_search.hpp"
#include "sim/config/load.hpp"
#include "sim/config/machine.hpp"
#include "sim/report/network_report.hpp"
#include "sim/report/run_record.hpp"
#include "sim/run/request.hpp"

namespace tcsim::run {

/// What the energy of a run on operands of type `dtype` ("fp16", ...), which do not toggle if they
/// are `constant_data`, on `machine` is made of.
report::PowerInputs power_inputs(const config::Machine& machine, std::string_view dtype,
                                 bool constant_data);

/// What `machine` keeps to at the clock that `policy` looks for. Throws RequestError where no clock
/// keeps to it.
energy::LoadLimits load_limits(ClockPolicy policy, const config::Machine& machine);

/// `boost`, the machine of `request`, with another clock of its SMs. Throws as read_machine does.
config::MachineFile machine_at(const RunRequest& request, const config::MachineFile& boost,
                               int clock_mhz);

/// What the run of `record` draws; if that is its start, when more SMs are busy, the whole of it:
/// `busy_share` of them are in the mean.
energy::PowerDraw power_draw(const report::RunRecord& record, double busy_share);

/// What `run` draws in the mean over its steps, of which `constant_w` whatever runs.
energy::PowerDraw power_draw(const report::NetworkRun& run, double constant_w);

}  // namespace tcsim::run
