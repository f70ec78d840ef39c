#include "models/dram/address_mapping/address_mappings.hpp"
#include "models/dram/scheduling/schedulings.hpp"
#include "models/memory/replacement/replacement.hpp"
#include "models/memory/slice_hash/slice_hashes.hpp"
#include "sim/config/schema_tables.hpp"

namespace tcsim::config {
namespace {

std::vector<Key> noc_keys() {
  return {
      {TC_KEY(noc.request_latency_cycles), "cycles", 1, 1000, "", "memory",
       "SM port to slice port, nearest slice, without queueing (L2 clock)."},
      {TC_KEY(noc.response_latency_cycles), "cycles", 1, 1000, "", "memory",
       "Slice port to SM port, nearest slice, without queueing (L2 clock)."},
      {TC_KEY(noc.distance_spread_cycles), "cycles", 0, 1000, "", "memory",
       "Added to the request on the way to the farthest slice (L2 clock)."},
      {TC_KEY(noc.sm_read_bytes_per_cycle), "bytes/cycle", 1, 4096, "", "memory, peak",
       "Response port of one SM (L2 clock)."},
      {TC_KEY(noc.sm_write_bytes_per_cycle), "bytes/cycle", 1, 4096, "", "memory, kernels",
       "Request port of one SM (L2 clock)."},
      {TC_KEY(noc.tpc_write_bytes_per_cycle), "bytes/cycle", 1, 65536, "", "memory",
       "Request port that the SMs of a TPC share (L2 clock)."},
      {TC_KEY(noc.gpc_read_bytes_per_cycle), "bytes/cycle", 1, 65536, "", "memory, kernels, peak",
       "Response port of one GPC (L2 clock)."},
      {TC_KEY(noc.gpc_write_bytes_per_cycle), "bytes/cycle", 1, 65536, "", "memory",
       "Request port of one GPC (L2 clock)."},
      {TC_KEY(noc.request_header_bytes), "bytes", 1, 128, "", "memory",
       "Size of a request without data."},
      {TC_KEY(noc.tpc_read_bytes_per_cycle), "bytes/cycle", 0, 65536, "", "memory, peak",
       "Response port that the SMs of a TPC share (L2 clock); 0: each SM has only its own.", "0"},
      {TC_KEY(noc.coalescer_entries), "", 0, 32767, "", "memory",
       "Lines that the request coalescer in front of each slice tracks; 0: no coalescer.", "0"},
      {TC_KEY(noc.coalescer_merges), "", 1, 64, "", "memory",
       "Most requests that one read of a line answers, if there is a coalescer.", "1"},
      {TC_KEY(noc.coalescer_window_cycles), "cycles", 0, 10000, "", "memory",
       "Time after the arrival of a read of a tile during which others can join it, if there is a "
       "coalescer (L2 clock).",
       "0"},
      {TC_KEY(noc.multicast_latency_cycles), "cycles", 0, 10000, "", "memory",
       "Extra latency of an answer for several CTAs of a cluster over an answer for one (L2 "
       "clock).",
       "0"},
  };
}

std::vector<Key> tlb_keys() {
  return {
      {TC_KEY(tlb.page_bytes), "bytes", 4096, 1073741824, "", "memory",
       "Page of address translation; a power of two."},
      {TC_KEY(tlb.tpc_entries), "", 0, 4096, "", "memory",
       "Pages that the TLB of a TPC holds; 0: translation costs nothing."},
      {TC_KEY(tlb.tpc_miss_latency_cycles), "cycles", 0, 10000, "", "memory",
       "Added to a request whose page the TLB of the chip holds but that of the TPC does not (L2 "
       "clock)."},
      {TC_KEY(tlb.chip_entries), "", 1, 1048576, "", "memory",
       "Pages that the TLB of the chip holds; those of a run's buffers are there at its start."},
      {TC_KEY(tlb.walk_latency_cycles), "cycles", 0, 100000, "", "memory",
       "Added to that if the TLB of the chip does not hold the page either (L2 clock)."},
      {TC_KEY(tlb.replacement), "", 0, 0, memory::replacement::List::OfPages::words(), "memory",
       "Which page of a TLB a new page replaces."},
  };
}

std::vector<Key> l2_keys() {
  return {
      {TC_KEY(l2.bytes), "bytes", 1024, 536870912, "", "memory, kernels",
       "L2 cache of the whole chip."},
      {TC_KEY(l2.slices), "", 1, 1024, "", "memory, kernels, peak", "Slices of the whole chip."},
      {TC_KEY(l2.partitions), "", 1, 2, "", "memory",
       "Halves of the chip; with 2, each half also keeps copies of lines of the other."},
      {TC_KEY(l2.ways), "", 1, 1024, "", "memory",
       "Lines of a set; at least one for each of l2.partitions."},
      {TC_KEY(l2.replacement), "", 0, 0, memory::replacement::List::OfSets::words(), "memory",
       "Which line of a set a new line replaces (lines that are being fetched stay), and which "
       "dirty line is cleaned first."},
      {TC_KEY(l2.line_bytes), "bytes", 128, 256, "", "memory", "Bytes that share a tag."},
      {TC_KEY(l2.sector_bytes), "bytes", 16, 256, "", "memory", "Bytes fetched at once."},
      {TC_KEY(l2.hit_latency_cycles), "cycles", 1, 1000, "", "memory",
       "From the input port of a slice to its output port (L2 clock)."},
      {TC_KEY(l2.bytes_per_cycle_per_slice), "bytes/cycle", 1, 4096, "", "memory, kernels, peak",
       "Data port of one slice (L2 clock)."},
      {TC_KEY(l2.miss_entries), "", 1, 65536, "", "memory",
       "Lines that one slice fetches at once; also dirty sectors that it sends to DRAM at once."},
      {TC_KEY(l2.queue_entries), "", 1, 65536, "", "memory",
       "Requests that wait at one slice; when it is full, SMs are held back and take turns."},
      {TC_KEY(l2.dirty_ways), "", 1, 1024, "", "memory",
       "Dirty lines that a set keeps; beyond that, the oldest are written to DRAM and stay in the "
       "cache as clean lines."},
      {TC_KEY(l2.crossing_latency_cycles), "cycles", 0, 10000, "", "memory",
       "Extra latency of a hit in the far partition over a near one: the way there and back and "
       "the far slice's hit latency (L2 clock). The way takes at least a cycle in each direction, "
       "and as many in one as in the other."},
      {TC_KEY(l2.crossing_bytes_per_cycle), "bytes/cycle", 0, 1048576, "", "memory",
       "Data from one partition to the other (L2 clock)."},
      {TC_KEY(l2.interleave_bytes), "bytes", 64, 1048576, "", "memory",
       "Consecutive bytes that are on one slice."},
      {TC_KEY(l2.slice_hash), "", 0, 0, memory::slice_hash::List::Hash::words(), "memory",
       "How addresses are spread over the slices."},
      {TC_KEY(l2.atomic_lanes_per_cycle), "", 1, 32, "", "memory",
       "32-bit integer lanes, each with its own word, that the atomic unit of a slice processes "
       "per cycle (L2 clock)."},
      {TC_KEY(l2.atomic_float_lanes_per_cycle), "", 1, 32, "", "memory",
       "The same for FP32 and pairs of FP16."},
  };
}

}  // namespace

std::vector<Key> memory_keys() {
  std::vector<Key> all = noc_keys();
  for (const auto& part : {tlb_keys(), l2_keys()}) all.insert(all.end(), part.begin(), part.end());
  return all;
}

std::vector<Key> dram_keys() {
  return {
      {TC_KEY(dram.channels), "", 1, 1024, "", "memory, kernels, peak",
       "Channels of the whole chip (HBM: pseudo-channels or whole ones)."},
      {TC_KEY(dram.channel_width_bits), "bits", 8, 1024, "", "dram, kernels, peak",
       "Data pins of a channel."},
      {TC_KEY(dram.burst_length_beats), "beats", 2, 64, "", "dram",
       "Data beats of one READ or WRITE."},
      {TC_KEY(dram.stack_ids), "", 1, 16, "", "dram",
       "Ranks of a channel; for HBM, one for every four dies of a stack."},
      {TC_KEY(dram.bank_groups), "", 1, 64, "", "dram",
       "Bank groups of a channel, all stack IDs together."},
      {TC_KEY(dram.banks_per_group), "", 1, 64, "", "dram", "Banks of a group."},
      {TC_KEY(dram.row_bytes), "bytes", 64, 65536, "", "dram", "Row of one bank."},
      {TC_KEY(dram.address_mapping), "", 0, 0, dram::AddressMappings::words(), "dram",
       "How an address maps to bank and row: scattered by a hash; row after row, bank by bank; or "
       "the latter with banks permuted by the row."},
      {TC_KEY(dram.t_cl_ns), "ns", 0, 1000, "", "dram", "READ to first data."},
      {TC_KEY(dram.t_cwl_ns), "ns", 0, 1000, "", "dram", "WRITE to first data."},
      {TC_KEY(dram.t_rcd_read_ns), "ns", 0, 1000, "", "dram", "ACTIVATE to READ."},
      {TC_KEY(dram.t_rcd_write_ns), "ns", 0, 1000, "", "dram", "ACTIVATE to WRITE."},
      {TC_KEY(dram.t_rp_ns), "ns", 0, 1000, "", "dram", "PRECHARGE to ACTIVATE."},
      {TC_KEY(dram.t_ras_ns), "ns", 0, 1000, "", "dram", "ACTIVATE to PRECHARGE."},
      {TC_KEY(dram.t_wr_ns), "ns", 0, 1000, "", "dram", "End of write data to PRECHARGE."},
      {TC_KEY(dram.t_rtp_ns), "ns", 0, 1000, "", "dram", "READ to PRECHARGE."},
      {TC_KEY(dram.t_ccd_s_clocks), "clocks", 1, 1000, "", "dram",
       "Column command to column command, other bank group."},
      {TC_KEY(dram.t_ccd_l_clocks), "clocks", 1, 1000, "", "dram",
       "Column command to column command, same bank group."},
      {TC_KEY(dram.t_ccd_r_clocks), "clocks", 1, 1000, "", "dram",
       "READ to READ of another stack ID."},
      {TC_KEY(dram.t_rrd_ns), "ns", 0, 1000, "", "dram", "ACTIVATE to ACTIVATE, other bank."},
      {TC_KEY(dram.t_faw_ns), "ns", 0, 1000, "", "dram", "Window of four ACTIVATEs."},
      {TC_KEY(dram.t_wtr_s_ns), "ns", 0, 1000, "", "dram",
       "End of write data to READ, other bank group."},
      {TC_KEY(dram.t_wtr_l_ns), "ns", 0, 1000, "", "dram",
       "End of write data to READ, same bank group."},
      {TC_KEY(dram.t_rtw_ns), "ns", 0, 1000, "", "dram", "READ to WRITE."},
      {TC_KEY(dram.t_rfc_ns), "ns", 0, 10000, "", "dram",
       "Single-bank refresh: the bank is unavailable."},
      {TC_KEY(dram.t_refi_ns), "ns", 1, 1000000, "", "dram",
       "Average time in which every bank is refreshed once."},
      {TC_KEY(dram.queue_entries), "", 1, 1024, "", "dram",
       "Requests that the scheduler of a channel can choose from."},
      {TC_KEY(dram.scheduling), "", 0, 0, dram::Schedulings::words(), "dram",
       "Which request of a channel is served next: row hits first; in order of arrival in each "
       "bank; or batch by batch, and within a batch the SMs that wait for the fewest reads first."},
      {TC_KEY(dram.row_hit_cap), "", 0, 65536, "", "dram",
       "Younger row hits that may overtake the oldest request of a bank and direction."},
      {TC_KEY(dram.write_high_watermark_percent), "percent", 1, 100, "", "dram",
       "Share of the queue that writes must fill to get a turn although reads wait."},
      {TC_KEY(dram.write_low_watermark_percent), "percent", 0, 99, "", "dram",
       "Share of the queue down to which such a turn of writes continues."},
      {TC_KEY(dram.controller_latency_cycles), "cycles", 16, 10000, "", "memory",
       "From slice to command queue plus from data to slice, without queueing (L2 clock)."},
      {TC_KEY(dram.return_bytes_per_cycle), "bytes/cycle", 1, 1024, "", "memory",
       "Read data that a channel hands to its L2 slices in an L2 cycle."},
  };
}

}  // namespace tcsim::config
