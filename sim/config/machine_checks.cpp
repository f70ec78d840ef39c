#include "sim/config/machine_checks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "models/dram/request.hpp"
#include "models/dram/timing.hpp"
#include "models/isa/cycle.hpp"
#include "models/memory/slice_hash/slice_hashes.hpp"
#include "sim/config/measured_name.hpp"
#include "sim/config/named_files.hpp"
#include "sim/config/number.hpp"
#include "sim/config/numerics.hpp"
#include "sim/config/replacement_checks.hpp"
#include "sim/config/schema.hpp"
#include "sim/config/tensor_checks.hpp"

namespace tcsim::config {
namespace {

/// Value of an integer or number key.
double value_of(const Machine& machine, const std::string& path) {
  Machine copy = machine;
  const Key* key = find_key(path);
  if (const auto* integer = std::get_if<int& (*)(Machine&)>(&key->slot)) return (*integer)(copy);
  if (const auto* wide = std::get_if<long long& (*)(Machine&)>(&key->slot))
    return static_cast<double>((*wide)(copy));
  return std::get<double& (*)(Machine&)>(key->slot)(copy);
}

MachineCheck at_most(const std::string& small, const std::string& large) {
  return {{small, large}, [=](const Machine& machine) -> std::string {
            const double a = value_of(machine, small);
            const double b = value_of(machine, large);
            if (a <= b) return {};
            return fmt::format("{} is more than {}, which is {}", number_text(a), large,
                               number_text(b));
          }};
}

MachineCheck multiple_of(const std::string& whole, const std::string& part) {
  return {{whole, part}, [=](const Machine& machine) -> std::string {
            const auto a = static_cast<long long>(value_of(machine, whole));
            const auto b = static_cast<long long>(value_of(machine, part));
            if (a % b == 0) return {};
            return fmt::format("{} is not a multiple of {}, which is {}", a, part, b);
          }};
}

MachineCheck multiple_of(const std::string& key, int part) {
  return {{key}, [=](const Machine& machine) -> std::string {
            const auto value = static_cast<long long>(value_of(machine, key));
            return value % part == 0 ? "" : fmt::format("{} is not a multiple of {}", value, part);
          }};
}

MachineCheck power_of_two(const std::string& key) {
  return {{key}, [=](const Machine& machine) -> std::string {
            const auto value = static_cast<unsigned long long>(value_of(machine, key));
            return std::has_single_bit(value) ? "" : fmt::format("{} is not a power of two", value);
          }};
}

std::string check_gpcs(const Machine& machine) {
  const auto& gpcs = machine.gpu.sms_per_gpc;
  const int sum = std::accumulate(gpcs.begin(), gpcs.end(), 0);
  if (sum == machine.gpu.sms) return {};
  return fmt::format("{}, but gpu.sms_per_gpc adds up to {}", machine.gpu.sms, sum);
}

std::string check_tpcs(const Machine& machine) {
  for (const int sms : machine.gpu.sms_per_gpc)
    if (sms % machine.gpu.sms_per_tpc != 0)
      return fmt::format("{} is not a multiple of gpu.sms_per_tpc, which is {}", sms,
                         machine.gpu.sms_per_tpc);
  return {};
}

/// Runs go at sm_mhz, so far below it a peak would be one that they pass.
std::string check_tensor_boost(const Machine& machine) {
  const ClockParams& clocks = machine.clocks;
  if (clocks.tensor_boost_mhz == 0 || 4LL * clocks.tensor_boost_mhz >= 3LL * clocks.sm_mhz)
    return {};
  return fmt::format("{} is less than three quarters of clocks.sm_mhz, which is {}",
                     clocks.tensor_boost_mhz, clocks.sm_mhz);
}

std::vector<MachineCheck> chip_checks() {
  return {
      {{"name"}, [](const Machine& machine) { return name_problem(machine.name); }},
      {{"descriptive.measured_as"}, check_measured_names},
      {{"clocks.tensor_boost_mhz", "clocks.sm_mhz"}, check_tensor_boost},
      {{"gpu.sms", "gpu.sms_per_gpc"}, check_gpcs},
      multiple_of("gpu.sms", "gpu.sms_per_tpc"),
      {{"gpu.sms_per_gpc", "gpu.sms_per_tpc"}, check_tpcs},
  };
}

std::string check_register_share(const Machine& machine) {
  const auto& residency = machine.sm.residency;
  const int share = residency.registers / machine.sm.sub_cores;
  if (share % residency.register_allocation_unit != 0)
    return fmt::format(
        "{} over sm.sub_cores = {} is not a multiple of "
        "sm.residency.register_allocation_unit, which is {}",
        residency.registers, machine.sm.sub_cores, residency.register_allocation_unit);
  if (share < 32 * residency.max_registers_per_thread)
    return fmt::format(
        "{} over sm.sub_cores = {} cannot hold a warp of "
        "sm.residency.max_registers_per_thread, which is {}",
        residency.registers, machine.sm.sub_cores, residency.max_registers_per_thread);
  return {};
}

std::string check_cta_threads(const Machine& machine) {
  const int threads = machine.sm.residency.max_threads_per_cta;
  if (threads % 32 != 0) return fmt::format("{} is not a multiple of 32", threads);
  if (threads <= 32 * machine.sm.residency.max_warps) return {};
  return fmt::format("{} threads do not fit sm.residency.max_warps, which is {} warps of 32",
                     threads, machine.sm.residency.max_warps);
}

MachineCheck lanes(const std::string& key) {
  return {{key, "sm.sub_cores"}, [=](const Machine& machine) -> std::string {
            const int count = static_cast<int>(value_of(machine, key));
            const int width = 32 * machine.sm.sub_cores;
            if (count == 0 || width % count == 0) return {};
            return fmt::format("{} does not divide 32 x sm.sub_cores, which is {}", count, width);
          }};
}

/// Cycles in which loaded data pass into one register of a warp.
int return_cycles(const Machine& machine) {
  constexpr int kRegisterBytes = 128;
  return ceil_div(kRegisterBytes, machine.sm.memory_queue.load_return_bytes_per_cycle);
}

/// A latency has room for what it is made of.
std::string check_l1_latency(const Machine& machine) {
  const int latency = machine.sm.l1.hit_latency_cycles;
  const sm::MemoryQueueParams& queue = machine.sm.memory_queue;
  if (latency / 2 < queue.address_interval_cycles)
    return fmt::format("{} is less than twice sm.memory_queue.address_interval_cycles, which is {}",
                       latency, queue.address_interval_cycles);
  if (latency - latency / 2 < return_cycles(machine))
    return fmt::format(
        "{} is less than twice the {} cycles of a register through "
        "sm.memory_queue.load_return_bytes_per_cycle, which is {}",
        latency, return_cycles(machine), queue.load_return_bytes_per_cycle);
  return {};
}

MachineCheck load_latency(const std::string& key) {
  return {{key, "sm.memory_queue.address_interval_cycles",
           "sm.memory_queue.load_return_bytes_per_cycle"},
          [=](const Machine& machine) -> std::string {
            const int latency = static_cast<int>(value_of(machine, key));
            const sm::MemoryQueueParams& queue = machine.sm.memory_queue;
            if (latency >= queue.address_interval_cycles + return_cycles(machine)) return {};
            return fmt::format(
                "{} is less than sm.memory_queue.address_interval_cycles, which is {}, and the {} "
                "cycles of a register through sm.memory_queue.load_return_bytes_per_cycle, which "
                "is {}",
                latency, queue.address_interval_cycles, return_cycles(machine),
                queue.load_return_bytes_per_cycle);
          }};
}

std::vector<MachineCheck> sm_checks() {
  std::vector<MachineCheck> checks{
      multiple_of("sm.residency.registers", "sm.sub_cores"),
      {{"sm.residency.registers", "sm.sub_cores", "sm.residency.register_allocation_unit",
        "sm.residency.max_registers_per_thread"},
       check_register_share},
      multiple_of("sm.residency.max_warps", "sm.sub_cores"),
      {{"sm.residency.max_threads_per_cta", "sm.residency.max_warps"}, check_cta_threads},
      {{"sm.l1.hit_latency_cycles", "sm.memory_queue.address_interval_cycles",
        "sm.memory_queue.load_return_bytes_per_cycle"},
       check_l1_latency},
      load_latency("sm.shared_memory.load_latency_cycles"),
      load_latency("sm.constant_cache.load_latency_cycles"),
      power_of_two("sm.shared_memory.banks"),
      power_of_two("sm.shared_memory.bank_width_bytes"),
  };
  for (const char* key : {"sm.pipes.fp32_lanes", "sm.pipes.int32_lanes", "sm.pipes.half2_lanes",
                          "sm.pipes.bf16x2_lanes", "sm.pipes.dp4a_lanes", "sm.pipes.fp64_lanes",
                          "sm.pipes.sfu_lanes"})
    checks.push_back(lanes(key));
  return checks;
}

std::string check_carveout_order(const Machine& machine) {
  const auto& sizes = machine.sm.shared_memory.carveouts_bytes;
  for (std::size_t i = 1; i < sizes.size(); ++i)
    if (sizes[i] <= sizes[i - 1])
      return fmt::format("must ascend, but {} follows {}", sizes[i], sizes[i - 1]);
  return {};
}

std::string check_largest_carveout(const Machine& machine) {
  const auto& sizes = machine.sm.shared_memory.carveouts_bytes;
  const auto largest = *std::max_element(sizes.begin(), sizes.end());
  if (largest == machine.sm.shared_memory.max_bytes) return {};
  return fmt::format("{}, but the largest of sm.shared_memory.carveouts_bytes is {}",
                     machine.sm.shared_memory.max_bytes, largest);
}

std::string check_l1_sets(const Machine& machine) {
  const auto& l1 = machine.sm.l1;
  const auto set_bytes = static_cast<std::int64_t>(l1.line_bytes) * l1.ways;
  for (const auto carveout : machine.sm.shared_memory.carveouts_bytes) {
    if (carveout > l1.bytes)
      return fmt::format("{} is less than {} of sm.shared_memory.carveouts_bytes", l1.bytes,
                         carveout);
    if ((l1.bytes - carveout) % set_bytes != 0)
      return fmt::format(
          "{} less the carve-out {} of sm.shared_memory.carveouts_bytes is not a "
          "multiple of sm.l1.line_bytes x sm.l1.ways, which is {}",
          l1.bytes, carveout, set_bytes);
  }
  return {};
}

/// A cache of `section` with the keys <cache>_bytes and <cache>_ways holds whole sets of lines.
MachineCheck whole_sets(const std::string& section, const std::string& cache) {
  const std::string bytes_key = fmt::format("{}.{}_bytes", section, cache);
  const std::string ways_key = fmt::format("{}.{}_ways", section, cache);
  const std::string line_key = section + ".line_bytes";
  return {{bytes_key, ways_key, line_key}, [=](const Machine& machine) -> std::string {
            const auto size = static_cast<long long>(value_of(machine, bytes_key));
            const auto set = static_cast<long long>(value_of(machine, ways_key)) *
                             static_cast<long long>(value_of(machine, line_key));
            if (size % set == 0) return {};
            return fmt::format("{} is not a multiple of {} x {}, which is {}", size, ways_key,
                               line_key, set);
          }};
}

std::string check_code_lines(const Machine& machine) {
  if (machine.sm.instruction_fetch.line_bytes == machine.sm.l1.line_bytes) return {};
  return fmt::format("{} differs from sm.l1.line_bytes, which is {}; misses read lines of the L2",
                     machine.sm.instruction_fetch.line_bytes, machine.sm.l1.line_bytes);
}

std::string check_cta_share(const Machine& machine) {
  const auto& shared = machine.sm.shared_memory;
  if (shared.max_bytes_per_cta + shared.reserved_bytes_per_cta <= shared.max_bytes) return {};
  return fmt::format(
      "{} plus sm.shared_memory.reserved_bytes_per_cta = {} is more than "
      "sm.shared_memory.max_bytes, which is {}",
      shared.max_bytes_per_cta, shared.reserved_bytes_per_cta, shared.max_bytes);
}

std::string check_l2_sets(const Machine& machine) {
  const auto& l2 = machine.l2;
  const long long unit = static_cast<long long>(l2.slices) * l2.line_bytes * l2.ways;
  if (l2.bytes % unit == 0) return {};
  return fmt::format("{} is not a multiple of l2.slices x l2.line_bytes x l2.ways, which is {}",
                     l2.bytes, unit);
}

std::string check_slice_hash(const Machine& machine) {
  const auto slices = static_cast<unsigned>(machine.l2.slices);
  const std::string& hash = machine.l2.slice_hash;
  if (!memory::slice_hash::List::needs_power_of_two_slices(hash) || std::has_single_bit(slices))
    return {};
  return fmt::format("{} needs a power of two of l2.slices, which is {}", hash, slices);
}

std::string check_crossing(const Machine& machine) {
  if (machine.l2.partitions == 1 || machine.l2.crossing_bytes_per_cycle > 0) return {};
  return fmt::format("0 bytes can cross, but l2.partitions is {}", machine.l2.partitions);
}

std::string check_same_lines(const Machine& machine) {
  if (machine.l2.line_bytes == machine.sm.l1.line_bytes) return {};
  return fmt::format("{} differs from sm.l1.line_bytes, which is {}; SMs ask for sectors of a line",
                     machine.l2.line_bytes, machine.sm.l1.line_bytes);
}

std::string check_same_sectors(const Machine& machine) {
  if (machine.l2.sector_bytes == machine.sm.l1.sector_bytes) return {};
  return fmt::format("{} differs from sm.l1.sector_bytes, which is {}; misses move whole sectors",
                     machine.l2.sector_bytes, machine.sm.l1.sector_bytes);
}

/// Masks of the caches have a bit for each sector of a line.
std::string check_sectors(const Machine& machine) {
  constexpr int kMostSectors = 8;
  const sm::L1Params& l1 = machine.sm.l1;
  if (l1.line_bytes <= kMostSectors * l1.sector_bytes) return {};
  return fmt::format("{} is more than {} x sm.l1.sector_bytes, which is {}", l1.line_bytes,
                     kMostSectors, l1.sector_bytes);
}

/// Copies of far lines leave room in each set for lines of its own side.
std::string check_ways(const Machine& machine) {
  if (machine.l2.ways >= machine.l2.partitions) return {};
  return fmt::format("{}, but l2.partitions is {}: a set holds lines of both sides",
                     machine.l2.ways, machine.l2.partitions);
}

std::vector<MachineCheck> cache_checks() {
  return {
      {{"sm.shared_memory.carveouts_bytes"}, check_carveout_order},
      {{"sm.shared_memory.max_bytes", "sm.shared_memory.carveouts_bytes"}, check_largest_carveout},
      {{"sm.shared_memory.max_bytes_per_cta", "sm.shared_memory.reserved_bytes_per_cta",
        "sm.shared_memory.max_bytes"},
       check_cta_share},
      {{"sm.l1.bytes", "sm.shared_memory.carveouts_bytes", "sm.l1.line_bytes", "sm.l1.ways"},
       check_l1_sets},
      power_of_two("sm.l1.line_bytes"),
      multiple_of("sm.l1.line_bytes", "sm.l1.sector_bytes"),
      {{"sm.l1.line_bytes", "sm.l1.sector_bytes"}, check_sectors},
      whole_sets("sm.instruction_fetch", "l0"),
      whole_sets("sm.instruction_fetch", "l1"),
      {{"sm.instruction_fetch.line_bytes", "sm.l1.line_bytes"}, check_code_lines},
      whole_sets("sm.constant_cache", "l0"),
      whole_sets("sm.constant_cache", "load"),
      multiple_of("sm.instruction_fetch.line_bytes", "sm.constant_cache.line_bytes"),
      multiple_of("sm.constant_cache.fill_bytes", "sm.instruction_fetch.line_bytes"),
      power_of_two("tlb.page_bytes"),
      multiple_of("l2.line_bytes", "l2.sector_bytes"),
      {{"l2.sector_bytes", "sm.l1.sector_bytes"}, check_same_sectors},
      {{"l2.line_bytes", "sm.l1.line_bytes"}, check_same_lines},
      multiple_of("l2.interleave_bytes", "l2.line_bytes"),
      multiple_of("l2.slices", "l2.partitions"),
      {{"l2.bytes", "l2.slices", "l2.line_bytes", "l2.ways"}, check_l2_sets},
      {{"l2.ways", "l2.partitions"}, check_ways},
      {{"l2.slice_hash", "l2.slices"}, check_slice_hash},
      {{"l2.crossing_bytes_per_cycle", "l2.partitions"}, check_crossing},
  };
}

std::string check_channels(const Machine& machine) {
  const int channels = machine.dram.channels;
  const int slices = machine.l2.slices;
  if (channels % slices == 0 || slices % channels == 0) return {};
  return fmt::format("{} and l2.slices, which is {}, do not divide each other", channels, slices);
}

int burst_bytes(const Machine& machine) {
  return machine.dram.channel_width_bits * machine.dram.burst_length_beats / 8;
}

/// So a burst is a power of two, as a sector is.
std::string check_burst(const Machine& machine) {
  if (machine.l2.sector_bytes % burst_bytes(machine) == 0) return {};
  return fmt::format(
      "{} beats of dram.channel_width_bits = {} are {} bytes, which do not divide "
      "l2.sector_bytes, which is {}",
      machine.dram.burst_length_beats, machine.dram.channel_width_bits, burst_bytes(machine),
      machine.l2.sector_bytes);
}

/// So a row holds a burst.
std::string check_row(const Machine& machine) {
  if (machine.dram.row_bytes % machine.l2.sector_bytes == 0) return {};
  return fmt::format("{} is not a multiple of l2.sector_bytes, which is {}", machine.dram.row_bytes,
                     machine.l2.sector_bytes);
}

std::string check_column_interval(const Machine& machine) {
  const int burst = machine.dram.burst_length_beats / 2;
  if (machine.dram.t_ccd_s_clocks >= burst) return {};
  return fmt::format("{} is less than the {} clocks of dram.burst_length_beats, which is {}",
                     machine.dram.t_ccd_s_clocks, burst, machine.dram.burst_length_beats);
}

std::string check_other_stack_ids(const Machine& machine) {
  const dram::DramParams& params = machine.dram;
  if (params.stack_ids == 1 || params.t_ccd_r_clocks >= params.t_ccd_s_clocks) return {};
  return fmt::format("{} is less than dram.t_ccd_s_clocks, which is {}, but dram.stack_ids is {}",
                     params.t_ccd_r_clocks, params.t_ccd_s_clocks, params.stack_ids);
}

int banks_of_channel(const Machine& machine) {
  return machine.dram.bank_groups * machine.dram.banks_per_group;
}

std::string check_banks(const Machine& machine) {
  const int banks = banks_of_channel(machine);
  if (banks <= dram::kMaxBanks) return {};
  return fmt::format("{} of dram.banks_per_group = {} are {} banks; at most {}",
                     machine.dram.bank_groups, machine.dram.banks_per_group, banks,
                     dram::kMaxBanks);
}

/// Refreshes leave time for data.
std::string check_refresh(const Machine& machine) {
  const dram::DramParams& params = machine.dram;
  const dram::DramTiming timing = dram::resolve(params, machine.clocks.memory_mhz);
  const Cycle busy = timing.rfc_clocks + timing.rp_clocks + timing.ras_clocks;
  const int banks = banks_of_channel(machine);
  const std::string interval =
      fmt::format("{} is {} clocks of clocks.memory_mhz, which is {}",
                  number_text(params.t_refi_ns), timing.refi_clocks, machine.clocks.memory_mhz);
  if (timing.refi_clocks <= 2 * busy)
    return fmt::format(
        "{}; must be more than twice the {} of dram.t_rfc_ns + dram.t_rp_ns + dram.t_ras_ns, which "
        "are {}, {} and {}",
        interval, busy, number_text(params.t_rfc_ns), number_text(params.t_rp_ns),
        number_text(params.t_ras_ns));
  if (timing.refi_clocks < banks)
    return fmt::format(
        "{}; must be a clock for each of dram.bank_groups x dram.banks_per_group = {} x {}",
        interval, params.bank_groups, params.banks_per_group);
  return {};
}

/// dram::resolve reads all delays.
MachineCheck refresh_check() {
  MachineCheck check{{"dram.t_refi_ns", "dram.bank_groups", "dram.banks_per_group",
                      "dram.channel_width_bits", "dram.burst_length_beats", "clocks.memory_mhz"},
                     check_refresh};
  for (const Key& key : keys())
    if (key.path.starts_with("dram.t_")) check.keys.emplace_back(key.path);
  return check;
}

std::vector<MachineCheck> dram_checks() {
  return {
      {{"dram.channels", "l2.slices"}, check_channels},
      multiple_of("dram.channels", "l2.partitions"),
      multiple_of("dram.channel_width_bits", 8),
      multiple_of("dram.burst_length_beats", 2),
      {{"dram.burst_length_beats", "dram.channel_width_bits", "l2.sector_bytes"}, check_burst},
      power_of_two("dram.row_bytes"),
      {{"dram.row_bytes", "l2.sector_bytes"}, check_row},
      power_of_two("dram.stack_ids"),
      power_of_two("dram.bank_groups"),
      power_of_two("dram.banks_per_group"),
      at_most("dram.stack_ids", "dram.bank_groups"),
      {{"dram.bank_groups", "dram.banks_per_group"}, check_banks},
      {{"dram.t_ccd_s_clocks", "dram.burst_length_beats"}, check_column_interval},
      at_most("dram.t_ccd_s_clocks", "dram.t_ccd_l_clocks"),
      {{"dram.t_ccd_r_clocks", "dram.t_ccd_s_clocks", "dram.stack_ids"}, check_other_stack_ids},
      at_most("dram.t_rcd_read_ns", "dram.t_ras_ns"),
      at_most("dram.t_rcd_write_ns", "dram.t_ras_ns"),
      at_most("dram.t_rrd_ns", "dram.t_faw_ns"),
      at_most("dram.t_wtr_s_ns", "dram.t_wtr_l_ns"),
      refresh_check(),
      at_most("dram.write_low_watermark_percent", "dram.write_high_watermark_percent"),
  };
}

}  // namespace

const std::vector<MachineCheck>& machine_checks() {
  static const std::vector<MachineCheck> all = [] {
    std::vector<MachineCheck> list;
    for (auto& part : {chip_checks(), numerics_checks(), sm_checks(), tensor_checks(),
                       cache_checks(), replacement_checks(), dram_checks()})
      list.insert(list.end(), part.begin(), part.end());
    return list;
  }();
  return all;
}

}  // namespace tcsim::config
