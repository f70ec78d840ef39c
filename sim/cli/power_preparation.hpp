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

/// The SM clock, MHz, at most `boost_mhz`, at which a run draws what its board may; the clock of
/// `record` if that is so already, or if no clock keeps to the limit. `record` is of that run or of
/// its start, when more SMs are busy: `busy_share` of them are in the mean of the whole.
int clock_at_limit_mhz(const report::RunRecord& record, int boost_mhz, double busy_share);

}  // namespace tcsim::cli
