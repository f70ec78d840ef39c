#include "models/memory/replacement/replacement.hpp"
#include "models/sm/issue_policy/issue_policies.hpp"
#include "sim/config/schema_tables.hpp"

namespace tcsim::config {
namespace {

std::vector<Key> residency_keys() {
  return {
      {TC_KEY(sm.sub_cores), "", 1, 8, "", "sm, gpu, kernels, peak", "Processing blocks of an SM."},
      {TC_KEY(sm.dependences), "", 0, 0, "control_bits|scoreboard", "sm",
       "What makes an instruction wait for earlier ones: the control bits that the assembler sets, "
       "as in hardware from Volta on; or a register scoreboard, for programs without control "
       "bits."},
      {TC_KEY(sm.issue_policy), "", 0, 0, sm::IssuePolicies::words(), "sm",
       "Which ready warp issues: the one that issued last while it can, then the youngest or the "
       "oldest; each in turn; or the warps of one group until all of them wait."},
      {TC_KEY(sm.residency.max_warps), "", 1, 256, "", "sm, gpu, kernels",
       "Warps that an SM holds at once."},
      {TC_KEY(sm.residency.max_ctas), "", 1, 1024, "", "gpu, kernels",
       "CTAs that an SM holds at once."},
      {TC_KEY(sm.residency.max_threads_per_cta), "", 32, 4096, "", "gpu",
       "Largest CTA; a multiple of 32."},
      {TC_KEY(sm.residency.registers), "", 256, 16777216, "", "gpu, kernels",
       "32-bit registers of an SM, split evenly over its sub-cores."},
      {TC_KEY(sm.residency.max_registers_per_thread), "", 16, 255, "", "gpu",
       "Registers that an instruction can name."},
      {TC_KEY(sm.residency.register_allocation_unit), "", 1, 8192, "", "gpu",
       "A warp's share of registers is rounded up to a multiple of this."},
  };
}

std::vector<Key> register_file_keys() {
  return {
      {TC_KEY(sm.register_file.banks), "", 1, 8, "", "sm",
       "Register banks of a sub-core; register r is in bank r modulo banks."},
      {TC_KEY(sm.register_file.read_ports_per_bank), "", 1, 4, "", "sm",
       "Warp-wide registers that a bank delivers per cycle."},
      {TC_KEY(sm.register_file.operand_read_window_cycles), "cycles", 1, 32, "", "sm",
       "A fixed-latency instruction reads its sources within this time of its issue, or issues "
       "later; one that needs longer even alone takes as long as its busiest bank needs."},
      {TC_KEY(sm.register_file.reuse_entries), "", 0, 1, "", "sm",
       "Values that the register-file cache keeps per bank and operand position for instructions "
       "with reuse bits; 0: none."},
  };
}

std::vector<Key> memory_queue_keys() {
  return {
      {TC_KEY(sm.memory_queue.entries), "", 1, 256, "", "sm",
       "Memory instructions of a sub-core that wait for its address unit."},
      {TC_KEY(sm.memory_queue.address_interval_cycles), "cycles", 1, 64, "", "sm",
       "From one memory instruction to the next in the address unit of a sub-core, start to "
       "start."},
      {TC_KEY(sm.memory_queue.load_return_bytes_per_cycle), "bytes/cycle", 1, 4096, "", "sm",
       "Width of the path that writes loaded data to the registers of a sub-core."},
      {TC_KEY(sm.memory_queue.source_read_cycles), "cycles", 1, 256, "", "sm",
       "From the issue of a memory instruction until its source registers may be overwritten, "
       "without queueing."},
  };
}

std::vector<Key> instruction_fetch_keys() {
  return {
      {TC_KEY(sm.instruction_fetch.l0_bytes), "bytes", 0, 1048576, "", "sm",
       "Instruction cache of a sub-core; 0: instructions are always available."},
      {TC_KEY(sm.instruction_fetch.l0_ways), "", 1, 1024, "", "sm", "Lines of an L0 set."},
      {TC_KEY(sm.instruction_fetch.prefetch_lines), "", 0, 64, "", "sm",
       "Lines after a missed one that the stream buffer of an L0 holds or fetches; 0: none."},
      {TC_KEY(sm.instruction_fetch.l1_bytes), "bytes", 128, 1048576, "", "sm",
       "Instruction cache that the sub-cores of an SM share."},
      {TC_KEY(sm.instruction_fetch.l1_ways), "", 1, 1024, "", "sm",
       "Lines of a set of that cache."},
      {TC_KEY(sm.instruction_fetch.l1_hit_latency_cycles), "cycles", 1, 1000, "", "sm",
       "From an L0 miss until the sub-core has the instruction, if the SM's cache holds it."},
      {TC_KEY(sm.instruction_fetch.l1_interval_cycles), "cycles", 1, 1000, "", "sm",
       "From one line read from the SM's cache to the next, start to start."},
      {TC_KEY(sm.instruction_fetch.line_bytes), "bytes", 128, 256, "", "sm",
       "Bytes of code that one fetch brings."},
      {TC_KEY(sm.instruction_fetch.instructions_per_line), "", 1, 64, "", "sm",
       "Instructions in a line of code."},
      {TC_KEY(sm.instruction_fetch.buffer_entries), "", 1, 8, "", "sm",
       "Instructions that are fetched ahead for a warp, including the next one to issue."},
      {TC_KEY(sm.instruction_fetch.at_launch), "", 0, 0, "emptied|kept", "sm",
       "What the launch of a kernel does to the instruction caches of the SMs."},
      {TC_KEY(sm.instruction_fetch.replacement), "", 0, 0,
       memory::replacement::List::OfSets::words(), "sm",
       "Which line of a set a new line replaces, in L0s and L1."},
  };
}

std::vector<Key> constant_cache_keys() {
  return {
      {TC_KEY(sm.constant_cache.l0_bytes), "bytes", 0, 65536, "", "sm",
       "Cache of a sub-core for constant operands of fixed-latency instructions; 0, or no "
       "instruction cache: constants are always available."},
      {TC_KEY(sm.constant_cache.l0_ways), "", 1, 1024, "", "sm", "Lines of an L0 set."},
      {TC_KEY(sm.constant_cache.line_bytes), "bytes", 16, 256, "", "sm",
       "Line of both constant caches; divides instruction_fetch.line_bytes."},
      {TC_KEY(sm.constant_cache.miss_hold_cycles), "cycles", 0, 100, "", "sm",
       "How long the scheduler of a sub-core issues nothing after an operand misses."},
      {TC_KEY(sm.constant_cache.miss_latency_cycles), "cycles", 1, 1000, "", "sm",
       "From a miss until the constant is available, if the SM's instruction cache holds it."},
      {TC_KEY(sm.constant_cache.fill_bytes), "bytes", 64, 4096, "", "sm",
       "Aligned block that is fetched from L2 when both caches miss; at least a line of code."},
      {TC_KEY(sm.constant_cache.load_bytes), "bytes", 64, 65536, "", "sm", "Cache of LDC."},
      {TC_KEY(sm.constant_cache.load_ways), "", 1, 1024, "", "sm", "Lines of a set of that cache."},
      {TC_KEY(sm.constant_cache.load_latency_cycles), "cycles", 1, 1000, "", "sm",
       "LDC that hits: issue to dependent issue."},
      {TC_KEY(sm.constant_cache.replacement), "", 0, 0, memory::replacement::List::OfSets::words(),
       "sm", "Which line of a set a new line replaces, in both caches."},
  };
}

std::vector<Key> shared_memory_keys() {
  return {
      {TC_KEY(sm.shared_memory.banks), "", 1, 256, "", "sm, peak",
       "Banks of shared memory; a power of two."},
      {TC_KEY(sm.shared_memory.bank_width_bytes), "bytes", 1, 64, "", "sm, peak",
       "Width of a bank; a power of two."},
      {TC_KEY(sm.shared_memory.max_bytes), "bytes", 0, 4194304, "", "gpu, kernels",
       "Shared memory that all CTAs of an SM can have together."},
      {TC_KEY(sm.shared_memory.max_bytes_per_cta), "bytes", 0, 4194304, "", "gpu, kernels",
       "Shared memory that one CTA can have."},
      {TC_KEY(sm.shared_memory.allocation_unit_bytes), "bytes", 1, 65536, "", "gpu",
       "A CTA's share is rounded up to a multiple of this."},
      {TC_KEY(sm.shared_memory.reserved_bytes_per_cta), "bytes", 0, 65536, "", "gpu, kernels",
       "Taken by the system from each CTA's share."},
      {TC_KEY(sm.shared_memory.carveouts_bytes), "bytes", 0, 4194304, "", "gpu",
       "Sizes that shared memory can have, ascending; the smallest that holds the resident CTAs is "
       "used, and the rest of l1.bytes is L1."},
      {TC_KEY(sm.shared_memory.load_latency_cycles), "cycles", 1, 1000, "", "sm",
       "Conflict-free 32-bit LDS: issue to dependent issue."},
      {TC_KEY(sm.shared_memory.conflict_extra_cycles), "cycles", 0, 100, "", "sm",
       "Added to the latency for each further wavefront of a bank conflict."},
      {TC_KEY(sm.shared_memory.store_extra_cycles), "cycles", 0, 100, "", "sm",
       "Added to the time for which an STS holds the data path."},
      {TC_KEY(sm.shared_memory.atomic_pass_cycles), "cycles", 1, 100, "", "sm",
       "Time for which an atomic holds the data path for each lane of its busiest bank."},
  };
}

std::vector<Key> l1_keys() {
  return {
      {TC_KEY(sm.l1.bytes), "bytes", 1024, 4194304, "", "gpu", "L1 data cache plus shared memory."},
      {TC_KEY(sm.l1.line_bytes), "bytes", 128, 256, "", "sm",
       "Bytes that share a tag; a power of two."},
      {TC_KEY(sm.l1.sector_bytes), "bytes", 16, 256, "", "sm",
       "Bytes that one fetch brings; a line has at most eight sectors."},
      {TC_KEY(sm.l1.ways), "", 1, 1024, "", "sm", "Lines of a set."},
      {TC_KEY(sm.l1.replacement), "", 0, 0, memory::replacement::List::OfSets::words(), "sm",
       "Which line of a set a new line replaces; lines that are being fetched stay."},
      {TC_KEY(sm.l1.lines_per_lookup), "", 1, 32, "", "sm",
       "Aligned neighbouring lines whose tags are looked up in one cycle; with l1.line_bytes "
       "rounded "
       "down to a power of two."},
      {TC_KEY(sm.l1.hit_latency_cycles), "cycles", 1, 1000, "", "sm",
       "LDG.32 that hits: issue to dependent issue; also the SM's share of a miss: the first half "
       "includes the address unit, the second half the path into the registers."},
      {TC_KEY(sm.l1.bytes_per_cycle), "bytes/cycle", 4, 4096, "", "sm, peak",
       "Data path of the SM's memory pipeline, including shared memory."},
      {TC_KEY(sm.l1.miss_entries), "", 1, 65536, "", "sm",
       "Lines that can be fetched at once; also stored lines whose answers are outstanding."},
      {TC_KEY(sm.l1.miss_merges), "", 1, 65536, "", "sm",
       "Instructions that can wait for one line."},
      {TC_KEY(sm.l1.copy_to_shared_cycles), "cycles", 0, 1000, "", "sm",
       "LDGSTS: from the arrival of the data to the data in shared memory."},
      {TC_KEY(sm.l1.fence_cycles), "cycles", 1, 10000, "", "sm",
       "MEMBAR: from the last answer to stores and atomics of the CTA to the next issue."},
  };
}

}  // namespace

std::vector<Key> sm_keys() {
  std::vector<Key> all = residency_keys();
  for (const auto& part : {register_file_keys(), instruction_fetch_keys(), constant_cache_keys(),
                           memory_queue_keys(), shared_memory_keys(), l1_keys()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace tcsim::config
