#pragma once

namespace tcsim::energy {

/// Energies of one machine at the boost clock: `control` is what an event always takes, `data` what
/// random data add and constant data do not. Sources stand beside the values in the machine file.
struct EnergyParams {
  double limit_w;  ///< that the board may draw
  /// The most that the SM clock times the share of their peak that tensor cores do comes to,
  /// whatever the data; 0: no limit.
  double tensor_mhz;
  double voltage_exponent;            ///< of the clock, in the voltage of SMs and L2
  double constant_w;                  ///< drawn whatever runs
  double tensor_control_pj_per_flop;  ///< FP16 and BF16
  double tensor_data_pj_per_flop;
  double vector_pj_per_flop;     ///< FP32 on CUDA cores, issue included
  double l1_control_pj_per_bit;  ///< L1 and shared memory
  double l1_data_pj_per_bit;
  double l2_control_pj_per_bit;
  double l2_data_pj_per_bit;
  double dram_control_pj_per_bit;
  double dram_data_pj_per_bit;
};

}  // namespace tcsim::energy
