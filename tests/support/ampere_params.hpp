#pragma once

#include "models/dram/params.hpp"
#include "models/memory/network.hpp"
#include "models/memory/params.hpp"
#include "models/sm/params.hpp"

namespace tcsim::test {

// The parts of an A100's SM that tests depend on. Sources are those of configs/a100.yaml: SUN22
// (shared memory, HMMA), RRZE (L1), HUE25 (issue, queues, register ports), BB24 (barrier, SHFL),
// WP-A100 (lanes, sizes).

inline sm::PipeParams ampere_pipes() {
  return {.fp32_lanes = 64,
          .int32_lanes = 64,
          .half2_lanes = 128,
          .bf16x2_lanes = 64,
          .dp4a_lanes = 64,
          .fp64_lanes = 32,
          .sfu_lanes = 16,
          .fp32_latency_cycles = 4,
          .int32_latency_cycles = 4,
          .imad_latency_cycles = 4,
          .half_latency_cycles = 4,
          .fp64_latency_cycles = 8,
          .sfu_latency_cycles = 17,
          .uniform_latency_cycles = 4,
          .predicate_latency_cycles = 13,
          .branch_latency_cycles = 2,
          .shuffle_latency_cycles = 25};
}

inline sm::TensorParams ampere_tensor() {
  using isa::Opcode;
  return {.cores_per_sub_core = 1,
          .core = {8, 4, 8},
          .organisation = "dot_product",
          .pipeline_cycles = 4,
          .result_cycles = 8,
          .forwarding = "present",
          .fill_cycles = 0,
          .drain_cycles = 0,
          .stationary_buffers = 1,
          .operand_registers_per_cycle = 1,
          .least_interval_cycles = 4,
          .sparse_least_interval_cycles = 6,
          .operand_buffers = "fragment",
          .products = {.fp16 = 1,
                       .bf16 = 1,
                       .tf32 = 0.5,
                       .fp8 = 0,
                       .int8 = 2,
                       .int4 = 4,
                       .b1 = 16,
                       .fp64 = 0.0625},
          .fp16_macs = {},
          .bf16_macs = {},
          .tf32_macs = {},
          .fp8_macs = {},
          .int8_macs = {},
          .int4_macs = {},
          .b1_macs = {},
          .fp64_macs = {},
          .sparse_speedup = 2,
          .fp32_sum_slowdown = 1,
          .same_warp_extra_cycles = 0,
          .operand_window_cycles = 8,
          .instruction_timing = "measured",
          .instructions = {{Opcode::kHmma16816F32, 25, 1},
                           {Opcode::kHmma16816F16, 25, 1},
                           {Opcode::kHmma1688F32, 18, 1},
                           {Opcode::kHmma1688F32Tf32, 25, 1},
                           {Opcode::kImma8816S8, 14, 4},
                           {Opcode::kImma16832S8, 25, 1},
                           {Opcode::kDmma884, 26, 1}}};
}

inline sm::SmParams ampere_sm() {
  sm::SmParams sm{};
  sm.sub_cores = 4;
  sm.dependences = "control_bits";
  sm.issue_policy = "greedy_then_youngest";
  sm.residency = {.max_warps = 64,
                  .max_ctas = 32,
                  .max_threads_per_cta = 1024,
                  .registers = 65536,
                  .max_registers_per_thread = 255,
                  .register_allocation_unit = 256};
  sm.register_file = {
      .banks = 2, .read_ports_per_bank = 1, .operand_read_window_cycles = 3, .reuse_entries = 1};
  sm.instruction_fetch = {};  // always hits; tests of the fetch set their own
  sm.instruction_fetch.instructions_per_line = 8;
  sm.instruction_fetch.replacement = "lru";
  sm.constant_cache = {};  // the same for constants
  sm.constant_cache.load_latency_cycles = 42;
  sm.constant_cache.replacement = "lru";
  sm.memory_queue = {.entries = 4,
                     .address_interval_cycles = 4,
                     .load_return_bytes_per_cycle = 64,
                     .source_read_cycles = 11};
  sm.shared_memory = {.banks = 32,
                      .bank_width_bytes = 4,
                      .max_bytes = 164 * 1024,
                      .max_bytes_per_cta = 163 * 1024,
                      .allocation_unit_bytes = 128,
                      .reserved_bytes_per_cta = 1024,
                      .carveouts_bytes = {0, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 100 << 10,
                                          132 << 10, 164 << 10},
                      .load_latency_cycles = 23,
                      .conflict_extra_cycles = 2,
                      .store_extra_cycles = 0,
                      .atomic_pass_cycles = 2};
  sm.l1 = {.bytes = 192 * 1024,
           .line_bytes = 128,
           .sector_bytes = 32,
           .ways = 32,
           .replacement = "lru",
           .lines_per_lookup = 1,
           .hit_latency_cycles = 33,
           .bytes_per_cycle = 128,
           .miss_entries = 512,
           .miss_merges = 64,
           .copy_to_shared_cycles = 19,
           .fence_cycles = 186};
  sm.pipes = ampere_pipes();
  sm.tensor = ampere_tensor();
  sm.barrier = {.base_cycles = 21, .per_warp_cycles = 2};
  return sm;
}

/// The network of an A100 without the spread over the die, so that unloaded latencies have one
/// value.
inline memory::NocParams ampere_noc() {
  return {.request_latency_cycles = 45,
          .response_latency_cycles = 45,
          .distance_spread_cycles = 0,
          .sm_read_bytes_per_cycle = 64,
          .sm_write_bytes_per_cycle = 32,
          .tpc_write_bytes_per_cycle = 64,
          .gpc_read_bytes_per_cycle = 578,
          .gpc_write_bytes_per_cycle = 348,
          .request_header_bytes = 8,
          .tpc_read_bytes_per_cycle = 0,
          .coalescer_entries = 0,
          .coalescer_merges = 1,
          .coalescer_window_cycles = 0,
          .multicast_latency_cycles = 0};
}

/// Eight slices of an A100 in one partition, 16 sets of 4 ways each, so that tests can fill a set.
inline memory::L2Params ampere_l2() {
  return {.bytes = 8 * 16 * 4 * 128,
          .slices = 8,
          .partitions = 1,
          .ways = 4,
          .replacement = "lru",
          .line_bytes = 128,
          .sector_bytes = 32,
          .hit_latency_cycles = 62,
          .bytes_per_cycle_per_slice = 64,
          .miss_entries = 192,
          .queue_entries = 64,
          .dirty_ways = 4,  // all: lines are cleaned when they are replaced
          .crossing_latency_cycles = 160,
          .crossing_bytes_per_cycle = 851,
          .interleave_bytes = 256,
          .slice_hash = "modulo",
          .atomic_lanes_per_cycle = 8,
          .atomic_float_lanes_per_cycle = 8};
}

/// The TLBs of an A100, small: four pages of 64 KiB for a TPC, eight for the chip.
inline memory::TlbParams small_tlb() {
  return {.page_bytes = 65536,
          .tpc_entries = 4,
          .tpc_miss_latency_cycles = 9,
          .chip_entries = 8,
          .walk_latency_cycles = 500,
          .replacement = "lru"};
}
/// Translation that costs nothing.
inline memory::TlbParams perfect_tlb() {
  memory::TlbParams tlb = small_tlb();
  tlb.tpc_entries = 0;
  return tlb;
}

/// HBM2 pseudo-channels of an A100 (RAM2, 2.4 Gb/s grade), one per slice of ampere_l2().
inline dram::DramParams ampere_dram() {
  return {.channels = 8,
          .channel_width_bits = 64,
          .burst_length_beats = 4,
          .stack_ids = 1,
          .bank_groups = 4,
          .banks_per_group = 4,
          .row_bytes = 1024,
          .address_mapping = "pseudo_random",
          .t_cl_ns = 14.2,
          .t_cwl_ns = 5,
          .t_rcd_read_ns = 14.2,
          .t_rcd_write_ns = 11.7,
          .t_rp_ns = 14.2,
          .t_ras_ns = 33.3,
          .t_wr_ns = 15.8,
          .t_rtp_ns = 5,
          .t_ccd_s_clocks = 2,
          .t_ccd_l_clocks = 4,
          .t_ccd_r_clocks = 2,
          .t_rrd_ns = 4,
          .t_faw_ns = 15,
          .t_wtr_s_ns = 6.7,
          .t_wtr_l_ns = 8.3,
          .t_rtw_ns = 12.5,
          .t_rfc_ns = 160,
          .t_refi_ns = 3900,
          .queue_entries = 64,
          .scheduling = "fr_fcfs",
          .row_hit_cap = 128,
          .write_high_watermark_percent = 75,
          .write_low_watermark_percent = 12,
          .controller_latency_cycles = 228,
          .return_bytes_per_cycle = 32};
}

}  // namespace tcsim::test
