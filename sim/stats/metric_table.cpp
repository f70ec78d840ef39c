#include <algorithm>
#include <array>
#include <cmath>

#include "sim/stats/formula.hpp"
#include "sim/stats/metrics.hpp"

namespace tcsim::stats {
namespace {

// Facts of the run that formulas use are in sim/report/facts.cpp.
constexpr std::array kDefinitions{
    MetricDefinition{
        "time_us", "us",
        "Simulated time from the first launch to the end of the last CTA and its last access, "
        "including overhead",
        "cycles / clock_mhz"},
    MetricDefinition{"tflops", "TFLOPS",
                     "Useful operations per second; padding of tiles does not count",
                     "flop / (time_us * 1000000)"},
    MetricDefinition{"peak_fraction", "1",
                     "Useful operations over (time times peak); padding of tiles does not count, "
                     "and algorithms that multiply less than the definition (Winograd, FFT) can "
                     "exceed 1",
                     "tflops / peak_tflops"},
    MetricDefinition{"attainable_fraction", "1",
                     "Useful operations over (time times the rate that the issue interval of the "
                     "MMA instructions allows); padding of tiles does not count",
                     "tflops / attainable_tflops"},
    MetricDefinition{
        "pipe_active", "1",
        "Cycles in which a sub-core's tensor pipe holds at least one MMA, over elapsed cycles",
        "sub_core.tensor_busy_cycles / (cycles * sub_core.instances)"},
    MetricDefinition{
        "issue_fraction", "1",
        "Issue slots of the tensor pipes taken by accepted MMAs over slots offered; padding counts",
        "sub_core.tensor_issue_slots_used / (cycles * sub_core.instances)"},
    MetricDefinition{
        "tensor_fraction", "1",
        "Multiply-adds that the tensor cores carry out, padding included, over (cycles "
        "times their peak)",
        "sub_core.tensor_macs / (cycles * tensor_macs_per_cycle)"},
    MetricDefinition{
        "fma_fraction", "1",
        "Issue slots of the busiest pipes of the CUDA cores (FMA, FP64 or packed FP16) taken by "
        "instructions over slots offered; padding counts",
        "max(sub_core.fma_slots_used, sub_core.fp64_slots_used, sub_core.half_slots_used) / "
        "(cycles * sub_core.instances)"},
    MetricDefinition{"issue_active", "1",
                     "Cycles in which a sub-core issues an instruction, over elapsed cycles",
                     "sub_core.cycles_issued / (cycles * sub_core.instances)"},
    MetricDefinition{"warp_instructions", "instructions", "Warp instructions issued",
                     "sub_core.warp_instructions"},
    MetricDefinition{"mma_instructions", "instructions", "MMA instructions issued",
                     "sub_core.mma_instructions"},
    MetricDefinition{
        "sm_memory_fraction", "1",
        "Cycles in which the data path of an SM's shared memory and L1 moves data, over elapsed "
        "cycles",
        "memory_pipeline.memory_pipeline_busy_cycles / (cycles * memory_pipeline.instances)"},
    MetricDefinition{
        "shared_fraction", "1",
        "Cycles in which that data path moves shared-memory wavefronts, over elapsed cycles",
        "memory_pipeline.shared_busy_cycles / (cycles * memory_pipeline.instances)"},
    MetricDefinition{
        "shared_bytes", "B",
        "Bytes that all banks could deliver in the shared-memory wavefronts, conflicts "
        "included",
        "wavefront_bytes * memory_pipeline.shared_wavefronts"},
    MetricDefinition{
        "shared_conflict_fraction", "1",
        "Shared-memory wavefronts that exist only because of bank conflicts, over all wavefronts",
        "memory_pipeline.shared_conflict_wavefronts / memory_pipeline.shared_wavefronts"},
    MetricDefinition{
        "l1_hit_rate", "1",
        "Sectors that loads found in L1, over sectors that they requested from it",
        "memory_pipeline.l1_hits / (memory_pipeline.l1_hits + memory_pipeline.l1_misses)"},
    MetricDefinition{
        "l2_read_bytes", "B",
        "Bytes that the SMs read from the L2 slices; data sent to several SMs at once count once",
        "l2_slice.l2_read_bytes"},
    MetricDefinition{"l2_write_bytes", "B",
                     "Bytes of the sectors that stores of the SMs touched in the L2 slices, each "
                     "counted whole by every store, and of the words of atomics",
                     "l2_slice.l2_write_bytes"},
    MetricDefinition{"l2_hit_rate", "1", "Sectors found in L2 over sectors requested",
                     "l2_slice.l2_hits / (l2_slice.l2_hits + l2_slice.l2_misses)"},
    MetricDefinition{"l2_gb_per_s", "GB/s", "Bytes through the L2 slices over time, 1 GB = 10^9 B",
                     "(l2_read_bytes + l2_write_bytes) / (time_us * 1000)"},
    MetricDefinition{"l2_fraction", "1",
                     "Bytes through the L2 slices in the busier direction, over (time times the "
                     "width of their ports each way)",
                     "max(l2_read_bytes, l2_write_bytes) / (cycles * l2_peak_bytes_per_cycle)"},
    MetricDefinition{"dram_read_bytes", "B", "Bytes read from DRAM", "channel.read_bytes"},
    MetricDefinition{"dram_write_bytes", "B", "Bytes written to DRAM", "channel.write_bytes"},
    MetricDefinition{"dram_gb_per_s", "GB/s", "Bytes to and from DRAM over time, 1 GB = 10^9 B",
                     "(dram_read_bytes + dram_write_bytes) / (time_us * 1000)"},
    MetricDefinition{"dram_fraction", "1", "DRAM bytes over (time times peak bandwidth)",
                     "dram_gb_per_s / dram_peak_gb_per_s"},
    MetricDefinition{"arithmetic_intensity", "FLOP/B",
                     "Useful operations per byte moved to or from DRAM",
                     "flop / (dram_read_bytes + dram_write_bytes)"},
    MetricDefinition{"l2_intensity", "FLOP/B",
                     "Useful operations per byte between L2 and SMs in the busier direction",
                     "flop / max(l2_read_bytes, l2_write_bytes)"},
    MetricDefinition{"sm_memory_bytes", "B",
                     "Bytes that the data paths of shared memory and L1 could carry in the cycles "
                     "in which they move data; of shared memory no more than its banks deliver",
                     "memory_pipeline.memory_pipeline_busy_cycles * shared_bytes_per_cycle - "
                     "memory_pipeline.shared_busy_cycles * (max(shared_bytes_per_cycle, "
                     "wavefront_bytes) - wavefront_bytes)"},
    MetricDefinition{"sm_memory_intensity", "FLOP/B",
                     "Useful operations per byte of sm_memory_bytes", "flop / sm_memory_bytes"},
    MetricDefinition{"l2_read_ratio", "1",
                     "Bytes that the SMs read from L2 over the least possible",
                     "l2_read_bytes / minimum_read_bytes"},
    MetricDefinition{"dram_read_ratio", "1", "Bytes read from DRAM over the least possible",
                     "dram_read_bytes / minimum_read_bytes"},
    MetricDefinition{"best_intensity", "FLOP/B",
                     "Useful operations per byte if every input were read and every output "
                     "written once",
                     "flop / (minimum_read_bytes + minimum_write_bytes)"},
    MetricDefinition{"tensor_energy_j", "J",
                     "Two operations per multiply-add of the tensor cores, padding included",
                     "2 * sub_core.tensor_macs * tensor_pj_per_flop / 1000000000000"},
    MetricDefinition{"vector_energy_j", "J",
                     "FP32 arithmetic of a CUDA-core kernel, no padding of tiles",
                     "vector_flop * vector_pj_per_flop / 1000000000000"},
    MetricDefinition{"l1_energy_j", "J",
                     "Bytes through L1 and shared memory, including fills by loads; writes by TMA "
                     "are part of the energies per byte, which were fitted to kernels with TMA",
                     "sm_memory_bytes * l1_pj_per_byte / 1000000000000"},
    MetricDefinition{"l2_energy_j", "J", "Bytes into and out of the L2 slices",
                     "(l2_read_bytes + l2_write_bytes) * l2_pj_per_byte / 1000000000000"},
    MetricDefinition{"dram_energy_j", "J", "Bytes between DRAM and L2",
                     "(dram_read_bytes + dram_write_bytes) * dram_pj_per_byte / 1000000000000"},
    MetricDefinition{"constant_energy_j", "J",
                     "Power drawn independent of what runs, over the time",
                     "constant_w * time_us / 1000000"},
    MetricDefinition{"energy_j", "J", "All parts together",
                     "tensor_energy_j + vector_energy_j + l1_energy_j + l2_energy_j + "
                     "dram_energy_j + constant_energy_j"},
    MetricDefinition{"power_w", "W", "Energy over time", "energy_j * 1000000 / time_us"},
    MetricDefinition{"energy_pj_per_flop", "pJ/FLOP", "Energy per useful operation",
                     "energy_j * 1000000000000 / flop"},
    MetricDefinition{"energy_delay_js", "J s", "Energy times time", "energy_j * time_us / 1000000"},
};

}  // namespace

std::span<const MetricDefinition> metric_definitions() { return kDefinitions; }

std::vector<Metric> evaluate_metrics(Values& values) {
  std::vector<Metric> metrics;
  metrics.reserve(kDefinitions.size());
  for (const MetricDefinition& definition : kDefinitions) {
    const auto value = evaluate(definition.formula, values);
    values.set_fact(std::string(definition.name), value);
    metrics.push_back({definition, value});
  }
  return metrics;
}

void set_half_widths(std::vector<Metric>& metrics, const Values& values,
                     const std::map<std::string, double>& half_widths) {
  for (const auto& [name, half_width] : half_widths) {
    const bool is_used =
        std::ranges::any_of(kDefinitions, [&name = name](const MetricDefinition& definition) {
          return definition.formula.find(name) != std::string_view::npos;
        });
    if (!is_used) continue;
    Values shifted = values;
    shifted.set_fact(name, values.at(name).value_or(0) + half_width);
    const std::vector<Metric> changed = evaluate_metrics(shifted);
    for (std::size_t i = 0; i < metrics.size(); ++i)
      if (metrics[i].value && changed[i].value)
        metrics[i].half_width += std::abs(*changed[i].value - *metrics[i].value);
  }
}

}  // namespace tcsim::stats
