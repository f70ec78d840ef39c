#pragma once

#include <string>
#include <vector>

#include "models/dram/params.hpp"
#include "models/memory/params.hpp"
#include "models/sm/params.hpp"

namespace tcsim::config {

struct ChipParams {
  int sms;
  int sms_per_tpc;
  std::vector<int> sms_per_gpc;        ///< one entry per GPC; adds up to `sms`
};

struct ClockParams {
  int sm_mhz;                          ///< boost
  int l2_mhz;                          ///< L2 and network
  int memory_mhz;                      ///< two data beats per clock
};

struct LaunchParams {
  double overhead_us;                  ///< from the launch reaching the GPU to the first CTA, plus the end of the grid
  int cta_start_cycles;                ///< free slot to first instruction of the next CTA, SM cycles
  std::string cta_placement;           ///< breadth_first, depth_first
};

/// A machine as the file describes it; every figure carries its source there.
struct Machine {
  std::string name;
  std::string description;
  std::string chip;
  std::string architecture;            ///< pascal, volta, turing, ampere, hopper: selects kernels and arithmetic
  std::string compute_capability;
  ChipParams gpu;
  ClockParams clocks;
  sm::SmParams sm;
  memory::NocParams noc;
  memory::L2Params l2;
  dram::DramParams dram;
  LaunchParams launch;
};

}  // namespace tcsim::config
