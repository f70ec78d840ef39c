#include "sim/config/target.hpp"

#include <algorithm>

#include "models/sm/tensor_core.hpp"
#include "sim/config/peak.hpp"

namespace tcsim::config {
namespace {

using kernels::Element;

/// The type that tensor cores multiply operands of `element` as, or null.
const sm::TensorType* type_of(Element element) {
  switch (element) {
    case Element::kFp16:
      return sm::tensor_type("fp16");
    case Element::kBf16:
      return sm::tensor_type("bf16");
    case Element::kTf32:
      return sm::tensor_type("tf32");
    case Element::kFp64:
      return sm::tensor_type("fp64");
    case Element::kInt8:
      return sm::tensor_type("int8");
    case Element::kE4m3:
    case Element::kE5m2:
      return sm::tensor_type("fp8");
    case Element::kFp32:
    case Element::kInt32:
      break;
  }
  return nullptr;
}

double tensor_macs(const sm::SmParams& sm, const kernels::GemmProblem& problem) {
  const sm::TensorParams& tensor = sm.tensor;
  const sm::TensorType* const type = type_of(problem.input);
  if (type == nullptr) return 0;
  const bool adds_in_fp32 = type->adds_in_fp32 && problem.accumulate == Element::kFp32;
  return static_cast<double>(sm.sub_cores) * tensor.cores_per_sub_core *
         sm::dense_macs(*type, tensor) * (problem.sparse ? tensor.sparse_speedup : 1) /
         (adds_in_fp32 ? tensor.fp32_sum_slowdown : 1);
}

double lane_macs(const sm::PipeParams& pipes, Element element) {
  switch (element) {
    case Element::kFp32:
      return pipes.fp32_lanes;
    case Element::kFp16:
      return 2.0 * pipes.half2_lanes;
    case Element::kBf16:
      return 2.0 * pipes.bf16x2_lanes;
    case Element::kFp64:
      return pipes.fp64_lanes;
    case Element::kInt8:
      return 4.0 * pipes.dp4a_lanes;
    case Element::kTf32:
    case Element::kInt32:
    case Element::kE4m3:
    case Element::kE5m2:
      break;
  }
  return 0;
}

bool is_present(const std::string& word) { return word == "present"; }

}  // namespace

kernels::Features features_of(const Machine& machine) {
  const FeatureParams& words = machine.features;
  kernels::Features features{.packed_half = is_present(words.packed_half),
                             .uniform_datapath = is_present(words.uniform_datapath),
                             .packed_conversion = is_present(words.packed_conversion),
                             .async_copy = is_present(words.async_copy),
                             .warpgroups = machine.sm.group_tensor.shared_operations > 0 &&
                                           machine.sm.mbarrier.interval_cycles > 0 &&
                                           machine.sm.tile_copy.bytes_in_flight > 0};
  for (const sm::TensorInstructionParams& row : machine.sm.tensor.instructions)
    features.mma.push_back(row.opcode);
  return features;
}

kernels::Target make_target(const Machine& machine, const kernels::GemmProblem& problem) {
  const sm::SmParams& sm = machine.sm;
  const int boost_mhz = machine.clocks.boost();  // libraries do not know at which clock they run
  const double sm_ghz = boost_mhz / 1000.0;
  kernels::Target target;
  target.architecture = machine.architecture;
  target.features = features_of(machine);
  target.sms = machine.gpu.sms;
  target.sms_per_gpc = machine.gpu.sms_per_gpc;
  target.largest_cluster = sm.cluster.largest;
  target.sub_cores = sm.sub_cores;
  target.fp32_lanes = sm.pipes.fp32_lanes;
  target.macs_per_cycle_per_sm = problem.unit == kernels::Unit::kTensor
                                     ? tensor_macs(sm, problem)
                                     : lane_macs(sm.pipes, problem.input);
  target.registers_per_sm = sm.residency.registers;
  target.register_allocation_unit = sm.residency.register_allocation_unit;
  target.shared_bytes_per_sm = sm.shared_memory.max_bytes;
  target.shared_bytes_per_cycle = sm.l1.bytes_per_cycle;
  target.shared_bytes_per_cta = sm.shared_memory.max_bytes_per_cta;
  target.shared_allocation_unit = sm.shared_memory.allocation_unit_bytes;
  target.shared_reserved_per_cta = sm.shared_memory.reserved_bytes_per_cta;
  target.max_warps_per_sm = sm.residency.max_warps;
  target.max_ctas_per_sm = sm.residency.max_ctas;
  target.max_registers_per_thread = sm.residency.max_registers_per_thread;
  target.max_threads_per_cta = sm.residency.max_threads_per_cta;
  target.l2_bytes_per_cycle =
      std::min(l2_bandwidth(machine).gb_per_s, network_bandwidth(machine).gb_per_s) / sm_ghz;
  target.dram_bytes_per_cycle = dram_bandwidth(machine).gb_per_s / sm_ghz;
  target.sm_write_bytes_per_cycle =
      static_cast<double>(machine.noc.sm_write_bytes_per_cycle) * machine.clocks.l2_mhz / boost_mhz;
  target.l2_bytes = machine.l2.bytes;
  target.launch_cycles = machine.launch.overhead_us * boost_mhz + machine.launch.cta_start_cycles;
  target.libraries = machine.kernel_libraries;
  return target;
}

}  // namespace tcsim::config
