#pragma once

namespace tcsim::energy {

/// Energies of one machine at the boost clock. `control` is what an event always takes, `data` is
/// what random data add and constant data do not. The machine file gives sources next to the
/// values.
struct EnergyParams {
  double limit_w;  ///< most power that the board may draw
  /// The largest product of SM clock and share of tensor-core peak that is reached, whatever the
  /// data; 0: no limit.
  double tensor_mhz;
  double voltage_exponent;            ///< exponent of the clock in the voltage of SMs and L2
  double constant_w;                  ///< drawn whatever runs
  double tensor_control_pj_per_flop;  ///< FP16 and BF16
  double tensor_data_pj_per_flop;
  double vector_pj_per_flop;     ///< FP32 on CUDA cores, including issue
  double l1_control_pj_per_bit;  ///< L1 and shared memory
  double l1_data_pj_per_bit;
  double l2_control_pj_per_bit;
  double l2_data_pj_per_bit;
  double dram_control_pj_per_bit;
  double dram_data_pj_per_bit;
};

}  // namespace tcsim::energy
