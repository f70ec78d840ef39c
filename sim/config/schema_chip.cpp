#include "models/dispatch/cta_placement/cta_placements.hpp"
#include "sim/config/schema_tables.hpp"

namespace tcsim::config {

std::vector<Key> chip_keys() {
  return {
      {TC_KEY(name), "", 0, 0, "", "", "Name of the machine in reports."},
      {TC_KEY(description), "", 0, 0, "", "", "One line about the machine."},
      {TC_KEY(chip), "", 0, 0, "", "",
       "Name of the die; it selects the areas of tcsim machine area."},
      {TC_KEY(architecture), "", 0, 0, "pascal|volta|turing|ampere|hopper", "kernels",
       "Generation: selects the arithmetic of the tensor cores, unless numerics.base does."},
      {TC_KEY(compute_capability), "", 0, 0, "", "checks",
       "Version of the instruction set; recorded traces of another one are refused."},
      {TC_KEY(features.packed_half), "", 0, 0, "present|absent", "kernels",
       "HADD2.F32 and HFMA2 with the operands of Volta and later, for FP16 on CUDA cores."},
      {TC_KEY(features.uniform_datapath), "", 0, 0, "present|absent", "kernels",
       "Uniform registers: kernels compute addresses of a warp once."},
      {TC_KEY(features.packed_conversion), "", 0, 0, "present|absent", "kernels",
       "F2FP and F2IP: two FP32 numbers to FP16, BF16 or INT8 in one register; I2FP. BF16 results "
       "need it."},
      {TC_KEY(features.async_copy), "", 0, 0, "present|absent", "kernels",
       "LDGSTS: tiles are copied to shared memory without passing through registers, in stages."},
      {TC_KEY(libraries), "", 0, 0, "", "kernels",
       "Libraries whose kernels run, as names or files (relative to the folder of the machine's "
       "file); a kernel comes from the first that has it."},
      {TC_KEY(descriptive.board), "", 0, 0, "", "", "Form of the board."},
      {TC_KEY(descriptive.memory_type), "", 0, 0, "", "", "Kind of memory."},
      {TC_KEY(descriptive.memory_gb), "GB", 0.001, 1e6, "", "checks",
       "Capacity of the memory, GB of 2^30 bytes; runs that need more are refused."},
      {TC_KEY(descriptive.tdp_w), "W", 1, 1e5, "", "", "Stated power limit of the board."},
      {TC_KEY(descriptive.process_nm), "nm", 1, 1000, "", "", "Name of the process."},
      {TC_KEY(descriptive.full_die_sms), "", 1, 4096, "", "",
       "SMs on the die, including disabled ones."},
      {TC_KEY(descriptive.base_mhz), "MHz", 1, 10000, "", "", "Guaranteed SM clock."},
      {TC_KEY(descriptive.measured_as), "", 0, 0, "", "",
       "Names of the board in tables of measurements, for tcsim validate; after a name and a "
       "space, the keys in which a board of that name differs: \"V100-PCIE clocks.sm_mhz=1380\"."},
      {TC_KEY(gpu.sms), "", 1, 1024, "", "gpu, kernels, peak", "Streaming multiprocessors."},
      {TC_KEY(gpu.sms_per_tpc), "", 1, 16, "", "gpu",
       "SMs of a TPC; they share the write port tpc_write_bytes_per_cycle."},
      {TC_KEY(gpu.sms_per_gpc), "", 1, 1024, "", "gpu, peak",
       "SMs of each GPC; adds up to sms. The SMs of a GPC share its ports."},
      {TC_KEY(clocks.sm_mhz), "MHz", 1, 10000, "", "gpu, kernels, peak", "SM clock (boost)."},
      {TC_KEY(clocks.tensor_boost_mhz), "MHz", 0, 10000, "", "peak",
       "Clock of the published tensor peaks except FP64, at least three quarters of sm_mhz; 0 "
       "means sm_mhz. Peaks take the smaller of the two; simulations run at sm_mhz."},
      {TC_KEY(clocks.l2_mhz), "MHz", 1, 10000, "", "gpu, kernels, peak",
       "Clock of the network and of the L2 cache."},
      {TC_KEY(clocks.memory_mhz), "MHz", 1, 20000, "", "gpu, kernels, peak",
       "Memory clock; two data beats per clock."},
  };
}

std::vector<Key> launch_keys() {
  return {
      {TC_KEY(launch.overhead_us), "us", 0.05, 1000, "", "gpu",
       "From the launch reaching the GPU to the first CTA, plus the end of the grid."},
      {TC_KEY(launch.cta_release_cycles), "cycles", 1, 100000, "", "gpu",
       "From the end of a CTA until the scheduler counts its place on the SM as free."},
      {TC_KEY(launch.cta_dispatch_interval_cycles), "cycles", 1, 100000, "", "gpu",
       "From one CTA to the next in the chip's CTA scheduler."},
      {TC_KEY(launch.cta_start_cycles), "cycles", 1, 100000, "", "gpu",
       "From the dispatch of a CTA to its first instruction."},
      {TC_KEY(launch.cta_placement), "", 0, 0, dispatch::CtaPlacements::words(), "gpu",
       "Which SM receives the next CTA: the one with most free places; the first with a free "
       "place, so that SMs fill one after the other; or each in turn."},
  };
}

}  // namespace tcsim::config
