#pragma once

#include "sim/config/machine.hpp"
#include "tests/support/ampere_params.hpp"

namespace tcsim::test {

/// Two GPCs of one TPC of two Ampere SMs each, with the small memory side of ampere_params.hpp.
inline config::Machine ampere_machine() {
  config::Machine machine{};
  machine.name = "test";
  machine.description = "four Ampere SMs";
  machine.chip = "none";
  machine.architecture = "ampere";
  machine.compute_capability = "8.0";
  machine.features = {"present", "present", "present", "present"};
  machine.gpu = {.sms = 4, .sms_per_tpc = 2, .sms_per_gpc = {2, 2}};
  machine.clocks = {.sm_mhz = 1410, .tensor_boost_mhz = 0, .l2_mhz = 1410, .memory_mhz = 1215};
  machine.sm = ampere_sm();
  machine.noc = ampere_noc();
  machine.tlb = perfect_tlb();
  machine.l2 = ampere_l2();
  machine.l2.slice_hash = "xor_fold";
  machine.dram = ampere_dram();
  machine.launch = {.overhead_us = 1.0,  // 1410 cycles
                    .cta_release_cycles = 40,
                    .cta_dispatch_interval_cycles = 3,
                    .cta_start_cycles = 160,
                    .cta_placement = "breadth_first"};
  return machine;
}

}  // namespace tcsim::test
