#include "tests/support/targets.hpp"

#include "tests/support/features.hpp"
#include "tests/support/libraries.hpp"

namespace tcsim::kernels::testing {

// microarchitecture.md 2: SMs, MACs, residency limits, shared memory. Bandwidths in bytes per SM
// cycle are rounded.
Target v100() {
  return {.architecture = "volta",
          .features = test::volta_features(),
          .sms = 80,
          .macs_per_cycle_per_sm = 512,
          .shared_bytes_per_sm = 96 * 1024,
          .shared_bytes_per_cta = 96 * 1024,
          .l2_bytes_per_cycle = 2048,
          .dram_bytes_per_cycle = 587,
          .l2_bytes = 6 << 20,
          .launch_cycles = 2400,
          .libraries = test::libraries_named("volta")};
}

Target t4() {
  return {.architecture = "turing",
          .features = test::turing_features(),
          .sms = 40,
          .macs_per_cycle_per_sm = 512,
          .shared_bytes_per_sm = 64 * 1024,
          .shared_bytes_per_cta = 64 * 1024,
          .max_warps_per_sm = 32,
          .max_ctas_per_sm = 16,
          .l2_bytes_per_cycle = 1024,
          .dram_bytes_per_cycle = 201,
          .l2_bytes = 4 << 20,
          .launch_cycles = 2400,
          .libraries = test::libraries_named("turing")};
}

Target a100() {
  return {.architecture = "ampere",
          .features = test::ampere_features(),
          .sms = 108,
          .macs_per_cycle_per_sm = 1024,
          .shared_bytes_per_sm = 164 * 1024,
          .shared_bytes_per_cta = 163 * 1024,
          .shared_reserved_per_cta = 1024,
          .l2_bytes_per_cycle = 5120,
          .dram_bytes_per_cycle = 1103,
          .sm_write_bytes_per_cycle = 16,
          .l2_bytes = 40 << 20,
          .launch_cycles = 2200,
          .libraries = test::libraries_named("ampere")};
}

Target p100() {
  return {.architecture = "pascal",
          .sms = 56,
          .sub_cores = 2,
          .macs_per_cycle_per_sm = 64,
          .shared_bytes_per_sm = 64 * 1024,
          .shared_bytes_per_cta = 48 * 1024,
          .l2_bytes_per_cycle = 1792,
          .dram_bytes_per_cycle = 495,
          .l2_bytes = 4 << 20,
          .launch_cycles = 2400,
          .libraries = test::libraries_named("pascal")};
}

}  // namespace tcsim::kernels::testing
