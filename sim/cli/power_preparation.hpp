#pragma once

#include <string>

#include "sim/config/machine.hpp"
#include "sim/config/peak.hpp"
#include "sim/report/run_record.hpp"

namespace tcsim::cli {

/// Under which conditions a run draws power.
struct PowerConditions {
  bool constant_data = false;  ///< operands do not toggle
  double clock_ratio = 1;      ///< SM clock over the boost clock
};

/// What the energy of a GEMM on `machine` is made of. `peak` is that of its unit and type.
report::PowerInputs power_inputs(const config::Machine& machine, const config::PeakRate& peak,
                                 const PowerConditions& conditions);

/// The SM clock, MHz, at which the run of `record` keeps to the power limit of its board; the clock
/// it ran at if it does so already.
int clock_at_limit_mhz(const report::RunRecord& record);

}  // namespace tcsim::cli
