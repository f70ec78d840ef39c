#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/isa/timing.hpp"

namespace tcsim::sm {

/// What one SM can hold at once. Occupancy follows from these alone.
struct ResidencyParams {
  int max_warps;  ///< per SM
  int max_ctas;   ///< per SM
  int max_threads_per_cta;
  int registers;  ///< 32-bit registers per SM, split evenly over the sub-cores
  int max_registers_per_thread;
  int register_allocation_unit;  ///< registers; a warp's share is rounded up to a multiple of this
};

struct RegisterFileParams {
  int banks;                       ///< bank = register number modulo banks
  int read_ports_per_bank;         ///< warp-wide reads per bank and cycle
  int operand_read_window_cycles;  ///< a fixed-latency instruction reads its sources within this
                                   ///< many cycles
  int reuse_entries;  ///< values that the register-file cache keeps per bank and operand position:
                      ///< 1, or 0 if there is no such cache
};

/// Instruction caches: one L0 per sub-core with a stream buffer, one L1 per SM, then L2.
struct InstructionFetchParams {
  int l0_bytes;  ///< 0: instructions are always present, and the fields below are unused
  int l0_ways;
  int prefetch_lines;  ///< lines that the stream buffer of an L0 holds or fetches ahead
  int l1_bytes;
  int l1_ways;
  int l1_hit_latency_cycles;  ///< L0 miss to the instruction in the sub-core, L1 hit
  int l1_interval_cycles;     ///< start to start of two line reads from the L1
  int line_bytes;
  int instructions_per_line;
  int buffer_entries;       ///< instructions that a warp has fetched ahead, including the next one
  std::string at_launch;    ///< effect of a launch on L0s and L1: emptied, or kept
  std::string replacement;  ///< of L0s and L1, a name in memory::replacement::List
};

/// Constant memory: an L0 per sub-core for operands c[bank][offset], a cache for LDC, and after
/// both the instruction L1.
struct ConstantCacheParams {
  int l0_bytes;  ///< 0: constants are always present; also implied where instructions are
  int l0_ways;
  int line_bytes;           ///< a power of two, at most a line of code
  int miss_hold_cycles;     ///< when an operand misses, the scheduler issues nothing for this long
  int miss_latency_cycles;  ///< from a miss to the constant, if the next level holds it
  int fill_bytes;           ///< a miss in both caches fetches an aligned piece of this size from L2
  int load_bytes;           ///< cache for LDC
  int load_ways;
  int load_latency_cycles;  ///< LDC hit, issue to dependent issue
  std::string replacement;  ///< of both caches, a name in memory::replacement::List
};

/// Memory instruction queue of a sub-core and the address unit that it feeds.
struct MemoryQueueParams {
  int entries;                      ///< instructions that wait for the address unit
  int address_interval_cycles;      ///< start to start in the address unit of one sub-core
  int load_return_bytes_per_cycle;  ///< register write-back width of loads, per sub-core
  int source_read_cycles;           ///< issue to sources read (WAR release), without queueing
};

struct SharedMemoryParams {
  int banks;
  int bank_width_bytes;
  int max_bytes;  ///< per SM
  int max_bytes_per_cta;
  int allocation_unit_bytes;
  int reserved_bytes_per_cta;
  std::vector<std::int64_t>
      carveouts_bytes;        ///< ascending; the smallest that fits the resident CTAs is used
  int load_latency_cycles;    ///< conflict-free 32-bit LDS, issue to dependent issue
  int conflict_extra_cycles;  ///< added latency per additional wavefront of a conflict
  int store_extra_cycles;     ///< added to the time that a store occupies the data path
  int atomic_pass_cycles;     ///< an atomic occupies the data path this long for every lane of the
                              ///< busiest bank
};

struct L1Params {
  int bytes;  ///< data cache plus shared memory
  int line_bytes;
  int sector_bytes;
  int ways;
  std::string replacement;    ///< a name in memory::replacement::List
  int lines_per_lookup;       ///< aligned neighbouring lines whose tags are looked up in one cycle
  int hit_latency_cycles;     ///< LDG.32 issue to dependent issue
  int bytes_per_cycle;        ///< data path of the SM's memory pipeline, including shared memory
  int miss_entries;           ///< lines being fetched at the same time
  int miss_merges;            ///< instructions that may wait for one such line
  int copy_to_shared_cycles;  ///< LDGSTS: arrival of the data to data in shared memory
  int fence_cycles;           ///< MEMBAR, from when nothing is left to wait for
};

/// Lanes of one SM and latencies of the CUDA-core pipes. Issue interval = 32 * sub_cores / lanes.
struct PipeParams {
  int fp32_lanes;
  int int32_lanes;
  int half2_lanes;   ///< packed pairs of FP16
  int bf16x2_lanes;  ///< packed pairs of BF16; 0: not supported
  int dp4a_lanes;    ///< four INT8 products added to an INT32; 0: not supported
  int fp64_lanes;
  int sfu_lanes;
  int fp32_latency_cycles;
  int int32_latency_cycles;
  int imad_latency_cycles;
  int half_latency_cycles;
  int fp64_latency_cycles;
  int sfu_latency_cycles;
  int uniform_latency_cycles;    ///< 0: no uniform datapath
  int predicate_latency_cycles;  ///< compare to guarded instruction
  int branch_latency_cycles;
  int shuffle_latency_cycles;
};

/// Timing of one MMA opcode where it is known better than the value derived from `TensorParams`.
struct TensorInstructionParams {
  isa::Opcode opcode;
  std::optional<int> latency_cycles;       ///< issue to issue of a dependent MMA; empty: derived
  std::optional<int> min_interval_cycles;  ///< additional lower bound on the issue interval,
                                           ///< besides those of the core; empty: none
};

/// Multiply-adds of one pass: m rows by n columns of sums, each of which receives k products.
struct CoreShape {
  int m;
  int n;
  int k;

  friend bool operator==(const CoreShape&, const CoreShape&) = default;
  [[nodiscard]] std::int64_t macs() const { return std::int64_t{m} * n * k; }
};

/// Products of a format that replace one FP16 product in a pass: a half, two... 0: the machine
/// lacks the format.
struct TensorProductParams {
  double fp16;
  double bf16;
  double tf32;
  double fp8;
  double int8;
  double int4;
  double b1;
  double fp64;
};

/// The tensor cores of a sub-core. models/sm/tensor_core.hpp explains what follows from the shape.
struct TensorParams {
  int cores_per_sub_core;    ///< 0: no tensor cores
  CoreShape core;            ///< FP16 multiply-adds of one pass; a core starts one per cycle
  std::string organisation;  ///< dot_product, outer_product, weight_stationary,
                             ///< output_stationary
  int pipeline_cycles;       ///< start of a pass to the start of the next pass onto the same sums
  int result_cycles;         ///< what issue and write-back add to the latency of an MMA
  std::string forwarding;    ///< present: a pass finds the sums of the previous pass in the core;
                             ///< absent: it reads them from the registers
  int fill_cycles;           ///< time to load the stationary operand into the core
  int drain_cycles;          ///< time to move stationary sums out of the core
  int stationary_buffers;    ///< 2: fill and drain overlap with the passes
  int operand_registers_per_cycle;   ///< registers of A and B that the cores of a sub-core read
  int least_interval_cycles;         ///< minimum from issue to issue of two MMAs
  int sparse_least_interval_cycles;  ///< the same if A is sparse
  std::string operand_buffers;       ///< fragment: A and B are read once per MMA; pass: they are
                                     ///< read again for every pass that multiplies them
  TensorProductParams products;
  // Dense multiply-adds per cycle of one tensor core where they differ from those of the shape;
  // empty: derived; 0: the machine lacks the type.
  std::optional<int> fp16_macs;
  std::optional<int> bf16_macs;
  std::optional<int> tf32_macs;
  std::optional<int> fp8_macs;
  std::optional<int> int8_macs;
  std::optional<int> int4_macs;
  std::optional<int> b1_macs;
  std::optional<int> fp64_macs;
  int sparse_speedup;          ///< 2:4 sparsity; 1: not supported
  int fp32_sum_slowdown;       ///< products added in FP32 take this many times as long as those
                               ///< added in FP16; divides the rates of FP16, BF16 and TF32
  int same_warp_extra_cycles;  ///< added to the interval between two MMAs of one warp
  int operand_window_cycles;   ///< an MMA reads its fragments within this many cycles of its issue
  std::string instruction_timing;  ///< measured: values in `instructions` take precedence; derived:
                                   ///< they are ignored
  std::vector<TensorInstructionParams> instructions;
};

struct BarrierParams {
  int base_cycles;      ///< from the last handled arrival to the first release
  int per_warp_cycles;  ///< the SM's barrier unit handles one arrival after the other, each for
                        ///< this long
};

/// Products of warpgroups (wgmma): the tensor cores of the SM execute one after the other.
struct GroupTensorParams {
  int shared_operations;      ///< products with A in shared memory that wait or run at once; 0: the
                              ///< machine has no wgmma
  int register_operations;    ///< the same for A in registers, at least 1
  int register_least_cycles;  ///< minimum duration of a product with A in registers
  int extra_cycles;           ///< added to the time of products and operands
  int load_interval_cycles;   ///< alongside operands, loads get one cycle out of this many
  int alu_slowdown_percent;   ///< added to issue intervals of ALUs while a product runs
  int sfu_slowdown_percent;   ///< the same for special function units
  int result_cycles;          ///< end of its turn until its sums are in the registers
};

/// mbarriers in shared memory.
struct MbarrierParams {
  int interval_cycles;  ///< start to start of mbarrier operations of an SM; 0: the machine has none
  int arrive_cycles;    ///< issue of an arrival until waiting warps can see it
  int wait_cycles;      ///< issue of a wait for a completed phase to the next instruction
  int wake_cycles;      ///< end of a phase to the next instruction of the warps that wait for it
  int fence_cycles;     ///< FENCE.VIEW.ASYNC to the next instruction
};

/// The unit that copies boxes of tensors (TMA), one per SM.
struct TileCopyParams {
  int bytes_in_flight;  ///< of reads that have not returned; 0: the machine has no such unit
  int issue_cycles;     ///< issue of a TMA copy to the next instruction of its warp
  int start_cycles;     ///< issue of a copy to its first request, if the unit is free
  int request_cycles;   ///< start to start of two line requests
};

/// Clusters of CTAs on the SMs of a GPC, and the network between these SMs.
struct ClusterParams {
  int largest;              ///< most CTAs per cluster; 0: the machine has no clusters
  int barrier_cycles;       ///< cluster barrier: last arrival to release, plus the next value
  int barrier_cta_cycles;   ///< added to it for each CTA of the cluster
  int hop_cycles;           ///< from one SM to another, one way
  int port_sms;             ///< number of SMs that share the port lanes
  int port_lanes;           ///< packets that these SMs together send per cycle
  int packet_bytes;         ///< data bytes per lane and cycle
  int load_latency_cycles;  ///< LD.E from the own CTA: issue to result
  int read_bytes;           ///< loaded data bytes per header packet
  int write_bytes;          ///< stored data bytes per header packet
  int put_bytes;            ///< bytes of a TMA copy that leave together and share one answer
};

struct SmParams {
  int sub_cores;
  std::string dependences;   ///< control_bits, scoreboard
  std::string issue_policy;  ///< a name in IssuePolicies
  ResidencyParams residency;
  RegisterFileParams register_file;
  InstructionFetchParams instruction_fetch;
  ConstantCacheParams constant_cache;
  MemoryQueueParams memory_queue;
  SharedMemoryParams shared_memory;
  L1Params l1;
  PipeParams pipes;
  TensorParams tensor;
  BarrierParams barrier;
  GroupTensorParams group_tensor;
  MbarrierParams mbarrier;
  TileCopyParams tile_copy;
  ClusterParams cluster;
};

/// True if the SM has fewer FP64 lanes than sub-cores: they then form one unit that the sub-cores
/// share.
bool fp64_is_shared(const SmParams& params);

/// Issue interval and latency of `opcode`, derived from the parameters.
isa::OpTiming timing_of(isa::Opcode opcode, const SmParams& params);
/// The same for every opcode.
isa::TimingTable timing_table(const SmParams& params);
/// The same as seen by the tensor core of a sub-core. For a warpgroup product: the cycles of the
/// passes of a warp's part, and the cycles from the start of its turn until its sums are in the
/// registers.
isa::TimingTable tensor_unit_timing(const SmParams& params);

}  // namespace tcsim::sm
