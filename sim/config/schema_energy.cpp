#include "sim/config/schema_tables.hpp"

namespace tcsim::config {

std::vector<Key> energy_keys() {
  return {
      {TC_KEY(energy.limit_w), "W", 1, 1e5, "", "power",
       "Power that the board may draw; `--clock power` keeps to it."},
      {TC_KEY(energy.tensor_mhz), "MHz", 0, 1e5, "", "power",
       "Limit on the SM clock times the share of their peak at which tensor cores work, for any "
       "data; `--clock load` and `power` keep to it. 0: no limit.",
       "0"},
      {TC_KEY(energy.voltage_exponent), "", 0, 1, "", "energy",
       "The voltage of SMs and L2 scales with the clock to this power, their energies with the "
       "clock to twice this power.",
       "1"},
      {TC_KEY(energy.constant_w), "W", 0, 1e5, "", "energy",
       "Power drawn independent of what runs."},
      {TC_KEY(energy.tensor_control_pj_per_flop), "pJ/flop", 0, 1e5, "", "energy",
       "One FP16 or BF16 FLOP on a tensor core, independent of the data."},
      {TC_KEY(energy.tensor_data_pj_per_flop), "pJ/flop", 0, 1e5, "", "energy",
       "What random data add to it."},
      {TC_KEY(energy.vector_pj_per_flop), "pJ/flop", 0, 1e5, "", "energy",
       "One FP32 FLOP on CUDA cores, including issue."},
      {TC_KEY(energy.l1_control_pj_per_bit), "pJ/bit", 0, 1e5, "", "energy",
       "One bit through L1 or shared memory, independent of the data."},
      {TC_KEY(energy.l1_data_pj_per_bit), "pJ/bit", 0, 1e5, "", "energy",
       "What random data add to it."},
      {TC_KEY(energy.l2_control_pj_per_bit), "pJ/bit", 0, 1e5, "", "energy",
       "One bit between L2 and an SM, independent of the data."},
      {TC_KEY(energy.l2_data_pj_per_bit), "pJ/bit", 0, 1e5, "", "energy",
       "What random data add to it."},
      {TC_KEY(energy.dram_control_pj_per_bit), "pJ/bit", 0, 1e5, "", "energy",
       "One bit between DRAM and L2, independent of the data."},
      {TC_KEY(energy.dram_data_pj_per_bit), "pJ/bit", 0, 1e5, "", "energy",
       "What random data add to it."},
  };
}

}  // namespace tcsim::config
