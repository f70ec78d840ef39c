#pragma once

#include <deque>
#include <string>
#include <string_view>

#include "models/stats/stats.hpp"
#include "sim/report/run_record.hpp"

namespace tcsim::report {

/// A counter tree with the machine model's names: two SMs of two sub-cores, two L2 slices, one
/// channel. 1000 cycles; each sub-core has 400 issued, 350 tensor pipe busy, 200 copy wait, 50
/// launch.
class FakeGpu {
 public:
  FakeGpu() {
    for (const char* sm_name : {"sm[0]", "sm[1]"}) {
      stats::Group& sm = group(sm_name, root_);
      stats::Group& pipeline = group("memory_pipeline", sm);
      count(pipeline, "shared_wavefronts", "wavefronts", 300);
      count(pipeline, "shared_conflict_wavefronts", "wavefronts", 30);
      count(pipeline, "memory_pipeline_busy_cycles", "cycles", 500);
      count(pipeline, "shared_busy_cycles", "cycles", 400);
      count(pipeline, "l1_hits", "sectors", 40);
      count(pipeline, "l1_misses", "sectors", 10);
      for (const char* name : {"sub_core[0]", "sub_core[1]"}) add_sub_core(group(name, sm));
    }
    for (const char* name : {"l2_slice[0]", "l2_slice[1]"}) {
      stats::Group& slice = group(name, root_);
      count(slice, "l2_read_bytes", "B", 8000);
      count(slice, "l2_write_bytes", "B", 2000);
      count(slice, "l2_hits", "sectors", 75);
      count(slice, "l2_misses", "sectors", 25);
    }
    stats::Group& channel = group("channel[0]", root_);
    count(channel, "read_bytes", "B", 3000);
    count(channel, "write_bytes", "B", 1000);
  }

  const stats::Group& root() const { return root_; }
  /// The counter called `name` of the first sub-core.
  stats::Counter& sub_core_counter(std::string_view name) {
    for (stats::Counter& counter : counters_) {
      if (counter.name() == name) return counter;
    }
    throw std::out_of_range("no such counter");
  }

 private:
  void add_sub_core(stats::Group& sub_core) {
    count(sub_core, "cycles_issued", "cycles", 400);
    count(sub_core, "cycles_tensor_pipe_busy", "cycles", 350);
    count(sub_core, "cycles_copy_wait", "cycles", 200);
    count(sub_core, "cycles_launch", "cycles", 50);
    count(sub_core, "cycles_no_warp", "cycles", 0);
    count(sub_core, "warp_instructions", "instructions", 400);
    count(sub_core, "mma_instructions", "instructions", 100);
    count(sub_core, "tensor_busy_cycles", "cycles", 900);
    count(sub_core, "tensor_issue_slots_used", "cycles", 800);
    count(sub_core, "tensor_macs", "MAC", 409600);
    count(sub_core, "fma_slots_used", "cycles", 0);
    count(sub_core, "fp64_slots_used", "cycles", 0);
    count(sub_core, "half_slots_used", "cycles", 0);
  }
  stats::Group& group(const char* name, stats::Group& parent) {
    return groups_.emplace_back(name, parent);
  }
  void count(stats::Group& parent, const char* name, const char* unit, std::uint64_t value) {
    counters_.emplace_back(parent, name, unit, "Test counter").add(value);
  }

  stats::Group root_{"gpu"};
  std::deque<stats::Group> groups_;
  std::deque<stats::Counter> counters_;
};

/// 1000 cycles at 1000 MHz = 1 us; 2.5e6 useful operations = 2.5 TFLOPS of a peak of 4.
inline RunInputs fake_inputs() {
  RunInputs inputs;
  inputs.machine = "toy";
  inputs.workload = "gemm:m=100,n=100,k=125";
  inputs.title = "gemm 100x100x125 fp16->fp32";
  inputs.unit = "tensor";
  inputs.kernel_tiles = {"64x64x32"};
  inputs.effective_machine = "name: toy\n";
  inputs.clock_mhz = 1000;
  inputs.sms = 2;
  inputs.flop = 2.5e6;
  inputs.peak_tflops = 4.0;
  inputs.dram_peak_gb_per_s = 8.0;
  inputs.l2_peak_bytes_per_cycle = 64.0;
  inputs.wavefront_bytes = 128.0;
  inputs.remedies = {{"tensor_cores", "more multiply-adds", {"--set", "sm.tensor.fp16_macs=512"}}};
  return inputs;
}

inline gpu::Outcome fake_outcome() {
  gpu::Outcome outcome;
  outcome.cycles = 1000;
  gpu::KernelSpan kernel;
  kernel.name = "gemm_64x64x32";
  kernel.end = 1000;
  kernel.ctas = 5;
  kernel.ctas_per_sm = 2;
  kernel.ctas_at_once = 4;
  kernel.occupancy_limit = "registers";
  kernel.warp_instructions = 1600;
  kernel.mma_instructions = 400;
  kernel.spread = {.fewest = 2, .most = 3, .first_done = 700, .idle_cycles = 300, .done = {}};
  outcome.kernels = {kernel};
  return outcome;
}

inline RunRecord fake_record() {
  const FakeGpu gpu;
  return make_record(fake_inputs(), fake_outcome(), gpu.root(),
                     {/*wall_s=*/0.5, /*peak_rss_bytes=*/64 << 20, /*quantum_cycles=*/200});
}

}  // namespace tcsim::report
