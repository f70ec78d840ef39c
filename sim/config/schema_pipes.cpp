#include "sim/config/schema_tables.hpp"

namespace tcsim::config {
namespace {

std::vector<Key> lane_keys() {
  return {
      {TC_KEY(sm.pipes.fp32_lanes), "", 1, 4096, "", "sm, kernels, peak", "FP32 lanes of an SM."},
      {TC_KEY(sm.pipes.int32_lanes), "", 1, 4096, "", "sm",
       "32-bit integer lanes of an SM; IMAD uses the FP32 pipe at this rate."},
      {TC_KEY(sm.pipes.half2_lanes), "", 0, 4096, "", "sm, kernels, peak",
       "Lanes for packed pairs of FP16; 0: not supported."},
      {TC_KEY(sm.pipes.bf16x2_lanes), "", 0, 4096, "", "sm, kernels, peak",
       "Lanes for packed pairs of BF16; 0: not supported."},
      {TC_KEY(sm.pipes.dp4a_lanes), "", 0, 4096, "", "sm, kernels, peak",
       "Lanes for DP4A, four INT8 products added to an INT32; 0: not supported."},
      {TC_KEY(sm.pipes.fp64_lanes), "", 0, 4096, "", "sm, kernels, peak",
       "FP64 lanes of an SM; 0: not supported."},
      {TC_KEY(sm.pipes.sfu_lanes), "", 1, 4096, "", "sm",
       "Lanes for transcendental functions and conversions."},
  };
}

std::vector<Key> latency_keys() {
  return {
      {TC_KEY(sm.pipes.fp32_latency_cycles), "cycles", 1, 1000, "", "sm",
       "FADD, FMUL, FFMA: issue to dependent issue."},
      {TC_KEY(sm.pipes.int32_latency_cycles), "cycles", 1, 1000, "", "sm",
       "IADD3, LOP3, SHF and the like: issue to dependent issue."},
      {TC_KEY(sm.pipes.imad_latency_cycles), "cycles", 1, 1000, "", "sm",
       "IMAD: issue to dependent issue."},
      {TC_KEY(sm.pipes.half_latency_cycles), "cycles", 1, 1000, "", "sm",
       "HADD2, HMUL2, HFMA2: issue to dependent issue."},
      {TC_KEY(sm.pipes.fp64_latency_cycles), "cycles", 1, 1000, "", "sm",
       "DADD, DMUL, DFMA: issue to dependent issue."},
      {TC_KEY(sm.pipes.sfu_latency_cycles), "cycles", 1, 1000, "", "sm",
       "MUFU and conversions: issue to dependent issue."},
      {TC_KEY(sm.pipes.uniform_latency_cycles), "cycles", 0, 1000, "", "sm",
       "Uniform datapath: issue to dependent issue; 0: the machine has none."},
      {TC_KEY(sm.pipes.predicate_latency_cycles), "cycles", 1, 1000, "", "sm",
       "From a compare to the instruction that it guards."},
      {TC_KEY(sm.pipes.branch_latency_cycles), "cycles", 1, 1000, "", "sm",
       "From a branch to the next instruction of its warp."},
      {TC_KEY(sm.pipes.shuffle_latency_cycles), "cycles", 1, 1000, "", "sm",
       "SHFL: issue to dependent issue."},
  };
}

std::vector<Key> core_keys() {
  return {
      {TC_KEY(sm.tensor.cores_per_sub_core), "", 0, 64, "", "sm, kernels, peak",
       "Tensor cores of a sub-core; 0: none."},
      {TC_KEY(sm.tensor.core), "", 1, 256, "", "sm, kernels, peak",
       "FP16 multiply-adds of one pass through a tensor core, m x n x k: k products are added to "
       "each of m x n sums. One pass starts per cycle."},
      {TC_KEY(sm.tensor.organisation), "", 0, 0,
       "dot_product|outer_product|weight_stationary|output_stationary", "sm",
       "How the array works: sums pass through it, sums stay in it for the whole MMA, or it is "
       "systolic with weights (B) or sums held in place."},
      {TC_KEY(sm.tensor.pipeline_cycles), "cycles", 1, 1000, "", "sm",
       "From the start of a pass to the start of the next pass onto the same sums."},
      {TC_KEY(sm.tensor.result_cycles), "cycles", 0, 1000, "", "sm",
       "Time that issue and results add to operands, passes and pipeline, until an MMA that needs "
       "the sums can issue."},
      {TC_KEY(sm.tensor.forwarding), "", 0, 0, "present|absent", "sm",
       "dot_product: whether a pass takes the sums of the previous pass from the core instead of "
       "the registers."},
      {TC_KEY(sm.tensor.fill_cycles), "cycles", 0, 1000, "", "sm",
       "Time to bring the stationary data, sums or weights, into the core; 0 for dot_product."},
      {TC_KEY(sm.tensor.drain_cycles), "cycles", 0, 1000, "", "sm",
       "Time for the sums to leave the core; 0 for dot_product."},
      {TC_KEY(sm.tensor.stationary_buffers), "", 1, 2, "", "sm",
       "2: fill and drain overlap the passes; 1: they run between passes."},
      {TC_KEY(sm.tensor.operand_registers_per_cycle), "", 1, 64, "", "sm",
       "Registers of A and B, each of 32 lanes, that the tensor cores of a sub-core read per "
       "cycle."},
      {TC_KEY(sm.tensor.least_interval_cycles), "cycles", 1, 1000, "", "sm",
       "Least time from the issue of an MMA to the issue of the next."},
      {TC_KEY(sm.tensor.sparse_least_interval_cycles), "cycles", 1, 1000, "", "sm",
       "The same if A is 2:4 sparse."},
      {TC_KEY(sm.tensor.operand_buffers), "", 0, 0, "fragment|pass", "sm",
       "fragment: A and B are read once for an MMA; pass: again for every pass that multiplies "
       "them."},
      {TC_KEY(sm.tensor.products.fp16), "", 0, 64, "", "sm, kernels, peak",
       "FP16 products that take the place of one FP16 product; 0: not supported."},
      {TC_KEY(sm.tensor.products.bf16), "", 0, 64, "", "sm, kernels, peak",
       "BF16 products that take the place of one FP16 product; 0: not supported."},
      {TC_KEY(sm.tensor.products.tf32), "", 0, 64, "", "sm, kernels, peak",
       "TF32 products that take the place of one FP16 product; 0: not supported."},
      {TC_KEY(sm.tensor.products.fp8), "", 0, 64, "", "sm, kernels, peak",
       "FP8 products that take the place of one FP16 product; 0: not supported."},
      {TC_KEY(sm.tensor.products.int8), "", 0, 64, "", "sm, kernels, peak",
       "INT8 products that take the place of one FP16 product; 0: not supported."},
      {TC_KEY(sm.tensor.products.int4), "", 0, 64, "", "sm, peak",
       "INT4 products that take the place of one FP16 product; 0: not supported."},
      {TC_KEY(sm.tensor.products.b1), "", 0, 64, "", "sm, peak",
       "One-bit products that take the place of one FP16 product; 0: not supported."},
      {TC_KEY(sm.tensor.products.fp64), "", 0, 64, "", "sm, kernels, peak",
       "FP64 products that take the place of one FP16 product; 0: not supported."},
      {TC_KEY(sm.tensor.fp16_macs), "", 0, 65536, "", "sm, kernels, peak",
       "Dense FP16 multiply-adds per cycle of one tensor core, if they differ from those of its "
       "shape; 0: not supported."},
      {TC_KEY(sm.tensor.bf16_macs), "", 0, 65536, "", "sm, kernels, peak",
       "Dense BF16 multiply-adds per cycle of one tensor core, if they differ from those of its "
       "shape; 0: not supported."},
      {TC_KEY(sm.tensor.tf32_macs), "", 0, 65536, "", "sm, kernels, peak",
       "Dense TF32 multiply-adds per cycle of one tensor core, if they differ from those of its "
       "shape; 0: not supported."},
      {TC_KEY(sm.tensor.fp8_macs), "", 0, 65536, "", "sm, kernels, peak",
       "Dense FP8 multiply-adds per cycle of one tensor core, if they differ from those of its "
       "shape; 0: not supported."},
      {TC_KEY(sm.tensor.int8_macs), "", 0, 65536, "", "sm, kernels, peak",
       "Dense INT8 multiply-adds per cycle of one tensor core, if they differ from those of its "
       "shape; 0: not supported."},
      {TC_KEY(sm.tensor.int4_macs), "", 0, 65536, "", "sm, peak",
       "Dense INT4 multiply-adds per cycle of one tensor core, if they differ from those of its "
       "shape; 0: not supported."},
      {TC_KEY(sm.tensor.b1_macs), "", 0, 65536, "", "sm, peak",
       "Dense one-bit multiply-adds per cycle of one tensor core, if they differ from those of its "
       "shape; 0: not supported."},
      {TC_KEY(sm.tensor.fp64_macs), "", 0, 65536, "", "sm, kernels, peak",
       "Dense FP64 multiply-adds per cycle of one tensor core, if they differ from those of its "
       "shape; 0: not supported."},
  };
}

std::vector<Key> tensor_keys() {
  return {
      {TC_KEY(sm.tensor.sparse_speedup), "", 1, 4, "", "sm, peak",
       "Speed-up by 2:4 sparsity, except for FP64 and one-bit; 1: not supported."},
      {TC_KEY(sm.tensor.fp32_sum_slowdown), "", 1, 16, "", "sm, kernels, peak",
       "MMAs that add in FP32 take this many times as long as those that add in FP16; must divide "
       "fp16_macs, bf16_macs, tf32_macs and fp8_macs. 1: no difference."},
      {TC_KEY(sm.tensor.same_warp_extra_cycles), "cycles", 0, 100, "", "sm",
       "Added to the issue interval between two MMAs of one warp."},
      {TC_KEY(sm.tensor.operand_window_cycles), "cycles", 1, 32, "", "sm",
       "An MMA reads its fragments within this time of its issue, or issues later."},
      {TC_KEY(sm.tensor.instruction_timing), "", 0, 0, "measured|derived", "sm",
       "measured: latencies and least intervals that are given for instructions apply; derived: "
       "all are computed from the core."},
      {TC_KEY(sm.tensor.instructions), "", 0, 0, "", "sm",
       "The MMA instructions of the machine, by SASS mnemonic."},
      {TC_KEY(sm.barrier.base_cycles), "cycles", 1, 10000, "", "sm",
       "From the last arrival, when it has been handled, to the first release."},
      {TC_KEY(sm.barrier.per_warp_cycles), "cycles", 0, 1000, "", "sm",
       "Time of each arrival in the barrier unit, which the CTAs of an SM share."},
  };
}

std::vector<Key> asynchronous_keys() {
  return {
      {TC_KEY(sm.group_tensor.shared_operations), "", 0, 64, "", "sm, kernels",
       "Products of warpgroups (wgmma) with A in shared memory that an SM queues; 0: no wgmma.",
       "0"},
      {TC_KEY(sm.group_tensor.register_operations), "", 1, 64, "", "sm",
       "The same with A in registers.", "1"},
      {TC_KEY(sm.group_tensor.register_least_cycles), "cycles", 0, 1000, "", "sm",
       "Least time for which a product with A in registers occupies the tensor cores.", "0"},
      {TC_KEY(sm.group_tensor.extra_cycles), "cycles", 0, 1000, "", "sm",
       "Added to the time of the products or of their operands from shared memory.", "0"},
      {TC_KEY(sm.group_tensor.load_interval_cycles), "cycles", 1, 1000, "", "sm",
       "Wavefronts of loads and stores receive at least one cycle in this many on the path of "
       "shared memory, next to operands of products.",
       "1"},
      {TC_KEY(sm.group_tensor.alu_slowdown_percent), "percent", 0, 1000, "", "sm",
       "Added to the issue interval of ALU instructions while a product runs.", "0"},
      {TC_KEY(sm.group_tensor.sfu_slowdown_percent), "percent", 0, 1000, "", "sm",
       "Added to the issue interval of special functions while a product runs.", "0"},
      {TC_KEY(sm.group_tensor.result_cycles), "cycles", 0, 1000, "", "sm",
       "From the end of a product's turn until its sums are in the registers.", "0"},
      {TC_KEY(sm.mbarrier.interval_cycles), "cycles", 0, 100, "", "sm",
       "Start to start of operations on mbarriers of an SM; 0: it has none.", "0"},
      {TC_KEY(sm.mbarrier.arrive_cycles), "cycles", 0, 1000, "", "sm",
       "From the issue of an arrival until waiting warps can see it.", "0"},
      {TC_KEY(sm.mbarrier.wait_cycles), "cycles", 0, 1000, "", "sm",
       "From the issue of a wait for a complete phase to the next instruction.", "0"},
      {TC_KEY(sm.mbarrier.wake_cycles), "cycles", 0, 1000, "", "sm",
       "From the end of a phase to the next instruction of a warp that slept until then.", "0"},
      {TC_KEY(sm.mbarrier.fence_cycles), "cycles", 0, 1000, "", "sm",
       "From FENCE.VIEW.ASYNC to the next instruction.", "0"},
      {TC_KEY(sm.tile_copy.bytes_in_flight), "bytes", 0, 1048576, "", "sm, kernels",
       "Most bytes of reads in flight from the unit that copies boxes of tensors (TMA); 0: no TMA.",
       "0"},
      {TC_KEY(sm.tile_copy.issue_cycles), "cycles", 0, 1000, "", "sm",
       "From a copy by TMA (UTMALDG, UBLKCP and their like) to the next instruction of its warp.",
       "0"},
      {TC_KEY(sm.tile_copy.start_cycles), "cycles", 0, 1000, "", "sm",
       "From the issue of a copy to its first request.", "0"},
      {TC_KEY(sm.tile_copy.request_cycles), "cycles", 0, 1000, "", "sm",
       "From one request of a line to the next, start to start.", "0"},
      {TC_KEY(sm.cluster.largest), "", 0, 16, "", "sm, gpu, kernels",
       "Most CTAs of a cluster; they run on SMs of one GPC; 0: no clusters.", "0"},
      {TC_KEY(sm.cluster.barrier_cycles), "cycles", 1, 100000, "", "sm",
       "Barrier of a cluster: from the last arrival to the release, without barrier_cta_cycles.",
       "1"},
      {TC_KEY(sm.cluster.barrier_cta_cycles), "cycles", 0, 10000, "", "sm",
       "Added to that for each CTA of the cluster.", "0"},
      {TC_KEY(sm.cluster.hop_cycles), "cycles", 1, 10000, "", "sm",
       "From one SM to another of its GPC, one way, without queueing.", "1"},
      {TC_KEY(sm.cluster.port_sms), "", 1, 64, "", "sm",
       "Number of SMs that share port_lanes lanes to other SMs.", "1"},
      {TC_KEY(sm.cluster.port_lanes), "", 1, 64, "", "sm",
       "Lanes that these SMs share: each SM sends a packet every port_sms / port_lanes cycles.",
       "1"},
      {TC_KEY(sm.cluster.packet_bytes), "bytes", 1, 1024, "", "sm",
       "Data of a packet between SMs; an arrival, a load's request and an answer to stores take "
       "one each.",
       "32"},
      {TC_KEY(sm.cluster.load_latency_cycles), "cycles", 1, 10000, "", "sm",
       "LD.E from the shared memory of its own CTA, issue to result; from that of another CTA, two "
       "hops more.",
       "1"},
      {TC_KEY(sm.cluster.read_bytes), "bytes", 1, 1048576, "", "sm",
       "Loaded data that follow one header packet.", "512"},
      {TC_KEY(sm.cluster.write_bytes), "bytes", 1, 1048576, "", "sm",
       "Stored data that follow one header packet.", "256"},
      {TC_KEY(sm.cluster.put_bytes), "bytes", 1, 1048576, "", "sm",
       "Data of a copy to another SM (UBLKCP.S.S) that leave together, without a header, and are "
       "answered by one packet.",
       "512"},
  };
}

}  // namespace

std::vector<Key> pipe_keys() {
  std::vector<Key> all = lane_keys();
  for (const auto& part : {latency_keys(), core_keys(), tensor_keys(), asynchronous_keys()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

const std::vector<InstructionKey>& instruction_keys() {
  static const std::vector<InstructionKey> rows{
      {"latency_cycles", &sm::TensorInstructionParams::latency_cycles, "cycles", 1, 1000, "sm",
       "Issue to issue of a dependent MMA."},
      {"min_interval_cycles", &sm::TensorInstructionParams::min_interval_cycles, "cycles", 1, 1000,
       "sm", "Least time between two issues; the tensor cores may need more."},
  };
  return rows;
}

}  // namespace tcsim::config
