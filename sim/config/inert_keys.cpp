#include "sim/config/inert_keys.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "models/dram/scheduling/fcfs.hpp"
#include "models/isa/cycle.hpp"
#include "models/memory/params.hpp"
#include "models/sm/tensor_core.hpp"
#include "sim/config/mma_interval.hpp"
#include "sim/config/peak.hpp"
#include "sim/config/schema.hpp"

namespace tcsim::config {
namespace {

using Keys = std::vector<InertKey>;

std::string mnemonic_of(const MmaInterval& interval) {
  return std::string(isa::opcode_info(interval.opcode).mnemonic);
}

/// Of the instructions whose type `key` is, those that something else holds. `acts_besides`: the
/// key also acts on others.
void add_rate(Keys& inert, std::string_view key, const std::vector<MmaInterval>& of_type,
              bool acts_besides) {
  std::vector<MmaInterval> held;
  std::ranges::copy_if(of_type, std::back_inserter(held), &MmaInterval::is_held);
  if (held.empty()) return;
  std::vector<std::string> names;
  std::vector<std::string> cycles;
  for (const MmaInterval& interval : held) {
    names.push_back(mnemonic_of(interval));
    cycles.push_back(interval.comparison(interval.rate_cycles));
  }
  std::vector<std::string> bindings;
  for (const MmaInterval& interval : held) {
    const bool is_one_of_many = interval.is_held_by_min() && held.size() > 1;
    const std::string binding = is_one_of_many
                                    ? fmt::format("{}.*.min_interval_cycles", kInstructionsPath)
                                    : interval.binding_keys();
    if (std::ranges::find(bindings, binding) == bindings.end()) bindings.push_back(binding);
  }
  const bool is_all = held.size() == of_type.size() && !acts_besides;
  inert.push_back(
      {std::string(key), fmt::format("does not bind{}: {} does ({})",
                                     is_all ? "" : fmt::format(" on {}", fmt::join(names, ", ")),
                                     fmt::join(bindings, " or "), fmt::join(cycles, "; "))});
}

/// What the organisation of the tensor cores does not have.
void add_organisation(Keys& inert, const sm::TensorParams& tensor) {
  if (tensor.cores_per_sub_core == 0) return;
  if (tensor.organisation == "dot_product") {
    const auto add = [&inert](bool is_given, const char* key) {
      if (is_given)
        inert.push_back(
            {key, "has no effect: sm.tensor.organisation = dot_product keeps nothing stationary"});
    };
    add(tensor.fill_cycles > 0, "sm.tensor.fill_cycles");
    add(tensor.drain_cycles > 0, "sm.tensor.drain_cycles");
    add(tensor.stationary_buffers > 1, "sm.tensor.stationary_buffers");
    return;
  }
  if (tensor.forwarding == "absent")
    inert.push_back(
        {"sm.tensor.forwarding",
         fmt::format("has no effect: sm.tensor.organisation = {} keeps sums in the core",
                     tensor.organisation)});
}

void add_tensor(Keys& inert, const Machine& machine, const std::vector<isa::Opcode>& used) {
  std::vector<std::string_view> types;
  std::vector<MmaInterval> intervals;
  for (const isa::Opcode opcode : used) {
    if (isa::is_group_mma(opcode)) continue;  // narrow ones wait for operands, as all runs report
    const auto interval = mma_interval(machine, opcode);
    if (!interval) continue;
    intervals.push_back(*interval);
    if (std::ranges::find(types, rate_key(opcode)) == types.end())
      types.push_back(rate_key(opcode));
  }
  for (const std::string_view type : types) {
    std::vector<MmaInterval> of_type;
    std::ranges::copy_if(intervals, std::back_inserter(of_type),
                         [&](const MmaInterval& i) { return rate_key(i.opcode) == type; });
    const auto is_product = [&](isa::Opcode opcode) {
      return isa::is_group_mma(opcode) && rate_key(opcode) == type;
    };
    add_rate(inert, type, of_type, std::ranges::any_of(used, is_product));
  }
  constexpr int kNoBound = 1;  // nothing issues faster
  for (const MmaInterval& interval : intervals) {
    if (interval.min_cycles == kNoBound || interval.min_cycles == interval.cycles()) continue;
    inert.push_back(
        {fmt::format("{}.{}.min_interval_cycles", kInstructionsPath, mnemonic_of(interval)),
         "has no effect: " + interval.binding_text(interval.min_cycles)});
  }
  const int tensor_mhz = machine.clocks.tensor_boost_mhz;
  if (tensor_mhz >= machine.clocks.sm_mhz)
    inert.push_back(
        {"clocks.tensor_boost_mhz",
         fmt::format("has no effect: clocks.sm_mhz = {} binds", machine.clocks.sm_mhz)});
}

/// Bandwidths of reads on their way from DRAM to the SMs, all in GB/s.
void add_reads(Keys& inert, const Machine& machine) {
  const dram::DramParams& dram = machine.dram;
  const double pins = dram_bandwidth(machine).gb_per_s;
  const double returned = dram_read_bandwidth(machine).gb_per_s;
  const double network = network_bandwidth(machine).gb_per_s;
  const double slices = l2_bandwidth(machine).gb_per_s;
  if (returned < pins)
    inert.push_back(
        {"clocks.memory_mhz",
         fmt::format("does not raise the rate of reads: dram.return_bytes_per_cycle = {} x "
                     "dram.channels = {} carries {:.0f} of the pins' {:.0f} GB/s",
                     dram.return_bytes_per_cycle, dram.channels, returned, pins)});
  const auto add = [&](const char* key, const char* what, double carried,
                       const std::string& binding, double bound) {
    if (bound < carried)
      inert.push_back({key, fmt::format("does not raise the rate of {}: {} carries {:.0f} of "
                                        "{:.0f} GB/s",
                                        what, binding, bound, carried)});
  };
  const std::string ports = fmt::format(
      "the network (noc.sm_read_bytes_per_cycle of the SMs of a GPC, at most "
      "{}noc.gpc_read_bytes_per_cycle)",
      machine.noc.tpc_read_bytes_per_cycle > 0 ? "noc.tpc_read_bytes_per_cycle of its TPCs and "
                                               : "");
  add("dram.channels", "reads of all SMs together", returned, ports, network);
  for (const char* key : {"l2.slices", "l2.bytes_per_cycle_per_slice"})
    add(key, "reads of all SMs together", slices, ports, network);
  add("noc.gpc_read_bytes_per_cycle", "reads of all SMs together", network,
      "l2.slices x l2.bytes_per_cycle_per_slice", slices);
}

/// A port of `bytes` that leads on what `feeders` ports of `fed` bytes bring, or the other way
/// round.
void add_ports(Keys& inert, const char* key, int bytes, const char* fed_key, int fed, int feeders) {
  if (bytes > fed * feeders)
    inert.push_back({key, fmt::format("does not raise the rate: {} = {} binds ({} x {} <= {})",
                                      fed_key, fed, feeders, fed, bytes)});
  if (fed > bytes)
    inert.push_back({fed_key, fmt::format("does not raise the rate: {} = {} binds", key, bytes)});
}

struct Port {
  const char* key;
  int bytes;
};

/// The ports of an SM, a TPC and a GPC, one behind the other. A TPC's of 0 bytes is none.
void add_path(Keys& inert, const ChipParams& gpu, const Port& sm, const Port& tpc,
              const Port& gpc) {
  const int largest_gpc = std::ranges::max(gpu.sms_per_gpc);
  if (tpc.bytes > 0) add_ports(inert, tpc.key, tpc.bytes, sm.key, sm.bytes, gpu.sms_per_tpc);
  const bool tpc_binds = tpc.bytes > 0 && tpc.bytes <= gpu.sms_per_tpc * sm.bytes;
  const Port& feeder = tpc_binds ? tpc : sm;
  add_ports(inert, gpc.key, gpc.bytes, feeder.key, feeder.bytes,
            tpc_binds ? ceil_div(largest_gpc, gpu.sms_per_tpc) : largest_gpc);
}

void add_network(Keys& inert, const Machine& machine) {
  const memory::NocParams& noc = machine.noc;
  add_path(inert, machine.gpu, {"noc.sm_read_bytes_per_cycle", noc.sm_read_bytes_per_cycle},
           {"noc.tpc_read_bytes_per_cycle", noc.tpc_read_bytes_per_cycle},
           {"noc.gpc_read_bytes_per_cycle", noc.gpc_read_bytes_per_cycle});
  add_path(inert, machine.gpu, {"noc.sm_write_bytes_per_cycle", noc.sm_write_bytes_per_cycle},
           {"noc.tpc_write_bytes_per_cycle", noc.tpc_write_bytes_per_cycle},
           {"noc.gpc_write_bytes_per_cycle", noc.gpc_write_bytes_per_cycle});
}

/// Times that another time is part of.
void add_times(Keys& inert, const Machine& machine) {
  const memory::L2Params& l2 = machine.l2;
  const int far = l2.hit_latency_cycles + 2 * memory::crossing_cycles(l2);
  if (l2.partitions > 1 && l2.crossing_latency_cycles < far)
    inert.push_back(
        {"l2.crossing_latency_cycles",
         fmt::format(
             "acts as {}: l2.hit_latency_cycles = {} and a cycle in each direction are part of it",
             far, l2.hit_latency_cycles)});
  const int start = machine.launch.cta_start_cycles;
  const int mhz = machine.clocks.sm_mhz;
  if (std::llround(machine.launch.overhead_us * mhz) < start)
    inert.push_back({"launch.overhead_us",
                     fmt::format("does not shorten the first launch: launch.cta_start_cycles = {} "
                                 "take {:.3f} us",
                                 start, static_cast<double>(start) / mhz)});
}

void add_switched_off(Keys& inert, const Machine& machine) {
  const auto add = [&inert](bool is_off, const char* key, const char* why) {
    if (is_off) inert.push_back({key, fmt::format("has no effect: {}", why)});
  };
  const bool fetch_is_perfect = machine.sm.instruction_fetch.l0_bytes == 0;
  add(fetch_is_perfect, "sm.instruction_fetch.*", "sm.instruction_fetch.l0_bytes is 0");
  add(fetch_is_perfect, "sm.constant_cache.*", "sm.instruction_fetch.l0_bytes is 0");
  add(!fetch_is_perfect && machine.sm.constant_cache.l0_bytes == 0, "sm.constant_cache.*",
      "sm.constant_cache.l0_bytes is 0");
  add(machine.tlb.tpc_entries == 0, "tlb.*", "tlb.tpc_entries is 0");
  add(machine.dram.scheduling == dram::Fcfs::kName, "dram.row_hit_cap", "dram.scheduling is fcfs");
  const bool is_whole = machine.l2.partitions == 1;
  add(is_whole && machine.l2.crossing_bytes_per_cycle > 0, "l2.crossing_bytes_per_cycle",
      "l2.partitions is 1");
  add(is_whole && machine.l2.crossing_latency_cycles > 0, "l2.crossing_latency_cycles",
      "l2.partitions is 1");
  add(machine.l2.slices == 1 && machine.noc.distance_spread_cycles > 0,
      "noc.distance_spread_cycles", "l2.slices is 1");
  const bool joins_no_reads = machine.noc.coalescer_entries == 0;
  for (const char* key : {"noc.coalescer_merges", "noc.coalescer_window_cycles"})
    add(joins_no_reads, key, "noc.coalescer_entries is 0");
  add(machine.sm.tensor.cores_per_sub_core == 0, "sm.tensor.*",
      "sm.tensor.cores_per_sub_core is 0");
  add(machine.sm.mbarrier.interval_cycles == 0, "sm.mbarrier.*",
      "sm.mbarrier.interval_cycles is 0");
  add(machine.sm.tile_copy.bytes_in_flight == 0, "sm.tile_copy.*",
      "sm.tile_copy.bytes_in_flight is 0");
  add(machine.sm.cluster.largest == 0, "sm.cluster.*", "sm.cluster.largest is 0");
  add(machine.sm.group_tensor.shared_operations == 0, "sm.group_tensor.*",
      "sm.group_tensor.shared_operations is 0");
  add(machine.dram.stack_ids == 1 && machine.dram.t_ccd_r_clocks != machine.dram.t_ccd_s_clocks,
      "dram.t_ccd_r_clocks", "dram.stack_ids is 1");
}

/// "KEY = VALUE", or the section alone.
std::string with_value(const MachineFile& file, const std::string& key) {
  const auto setting = std::ranges::find(file.settings, key, &Setting::key);
  return setting == file.settings.end() ? key : fmt::format("{} = {}", key, setting->value);
}

/// The key with the rate of the type that `key`, sm.tensor.products.TYPE, is about; else `key`.
std::string rate_key_of(const std::string& key) {
  constexpr std::string_view kProducts = "sm.tensor.products.";
  return key.starts_with(kProducts)
             ? fmt::format("sm.tensor.{}_macs", std::string_view(key).substr(kProducts.size()))
             : key;
}

/// True if the file leaves out all keys that `inert` concerns.
bool needs_no_note(const MachineFile& file, const InertKey& inert) {
  bool is_any = false;
  for (const Setting& setting : file.settings) {
    if (!inert.concerns(setting.key)) continue;
    if (setting.source != "left out") return false;
    is_any = true;
  }
  return is_any;
}

/// Why `setting` cannot act in any run, or in one with the instructions `used`; empty if it can for
/// all that its own row of the schema says.
std::string unread_reason(const Setting& setting, const std::vector<isa::Opcode>& used) {
  const Key* key = find_key(setting.key);
  if (key != nullptr && key->read_by == kChecks)
    return "decides only whether a run is refused; it changes no result";
  if (setting.descriptive) return "is read by no model";
  if (key != nullptr && key->read_by == "peak") return "changes only the peak, no simulation";
  const auto is_of = [&setting](isa::Opcode opcode) {
    return setting.key.starts_with(
        fmt::format("{}.{}.", kInstructionsPath, isa::opcode_info(opcode).mnemonic));
  };
  if (setting.key.starts_with(fmt::format("{}.", kInstructionsPath)) &&
      std::ranges::none_of(used, is_of))
    return "has no effect: no kernel of this run issues the instruction";
  const std::string rate = rate_key_of(setting.key);
  const auto multiplies = [&rate](isa::Opcode opcode) { return rate_key(opcode) == rate; };
  if (is_rate_key(rate) && std::ranges::none_of(used, multiplies))
    return "has no effect: no kernel of this run multiplies that format on tensor cores";
  return {};
}

/// Keys from which timing is derived.
bool is_of_core(std::string_view key) {
  for (const std::string_view name :
       {"core", "cores_per_sub_core", "organisation", "pipeline_cycles", "result_cycles",
        "forwarding", "fill_cycles", "drain_cycles", "stationary_buffers",
        "operand_registers_per_cycle", "operand_buffers", "fp32_sum_slowdown"})
    if (key == fmt::format("sm.tensor.{}", name)) return true;
  return key.starts_with("sm.tensor.products.");
}

/// Latencies that were measured on other tensor cores than those of the overrides, and stand.
std::vector<std::string> measured_notes(const MachineFile& file,
                                        const std::vector<isa::Opcode>& used) {
  const sm::TensorParams& tensor = file.machine.sm.tensor;
  const auto changed = std::ranges::find_if(file.settings, [](const Setting& setting) {
    return setting.set > 0 && is_of_core(setting.key);
  });
  if (changed == file.settings.end() || tensor.instruction_timing == "derived") return {};
  std::vector<std::string> standing;
  for (const sm::TensorInstructionParams& row : tensor.instructions) {
    const auto derived = sm::derive_mma(row.opcode, tensor);
    if (std::ranges::find(used, row.opcode) == used.end() || !derived) continue;
    if (row.latency_cycles && *row.latency_cycles != derived->latency_cycles)
      standing.push_back(fmt::format("{} {} (derived {})", isa::opcode_info(row.opcode).mnemonic,
                                     *row.latency_cycles, derived->latency_cycles));
  }
  if (standing.empty()) return {};
  return {
      fmt::format("{} = {}: latencies remain as measured: {}; with "
                  "sm.tensor.instruction_timing=derived they follow",
                  changed->key, changed->value, fmt::join(standing, ", "))};
}

std::vector<isa::Opcode> listed_mmas(const Machine& machine) {
  std::vector<isa::Opcode> all;
  for (const sm::TensorInstructionParams& row : machine.sm.tensor.instructions)
    all.push_back(row.opcode);
  return all;
}

/// The same and the products of warpgroups, which files do not list.
std::vector<isa::Opcode> possible_mmas(const Machine& machine) {
  std::vector<isa::Opcode> all = listed_mmas(machine);
  if (machine.sm.group_tensor.shared_operations == 0) return all;
  for (int i = 0; i < isa::opcode_count(); ++i)
    if (const auto opcode = static_cast<isa::Opcode>(i); isa::is_group_mma(opcode))
      all.push_back(opcode);
  return all;
}

}  // namespace

bool InertKey::concerns(const std::string& path) const {
  constexpr std::string_view kAll = "*";
  if (!key.ends_with(kAll)) return key == path;
  return path.starts_with(key.substr(0, key.size() - kAll.size())) &&
         !why.ends_with(path + " is 0");
}

std::vector<InertKey> inert_keys(const Machine& machine, const std::vector<isa::Opcode>& used) {
  Keys inert;
  add_organisation(inert, machine.sm.tensor);
  add_tensor(inert, machine, used);
  add_reads(inert, machine);
  add_network(inert, machine);
  add_times(inert, machine);
  add_switched_off(inert, machine);
  return inert;
}

std::vector<InertKey> inert_keys(const Machine& machine) {
  return inert_keys(machine, possible_mmas(machine));
}

std::vector<std::string> inert_notes(const MachineFile& file) {
  std::vector<std::string> notes;
  for (const InertKey& inert : inert_keys(file.machine))
    if (!needs_no_note(file, inert))
      notes.push_back(fmt::format("{} {}", with_value(file, inert.key), inert.why));
  return notes;
}

std::vector<std::string> inert_override_notes(const MachineFile& file,
                                              const std::vector<isa::Opcode>& used) {
  std::vector<std::string> notes = measured_notes(file, used);
  const std::vector<InertKey> inert = inert_keys(file.machine, used);
  for (const Setting& setting : file.settings) {
    if (setting.set == 0) continue;
    const auto add = [&](const std::string& why) {
      notes.push_back(fmt::format("{} = {} {}", setting.key, setting.value, why));
    };
    if (const std::string why = unread_reason(setting, used); !why.empty()) {
      add(why);
      continue;
    }
    for (const InertKey& key : inert)
      if (key.concerns(setting.key)) add(key.why);
  }
  return notes;
}

std::vector<std::string> inert_override_notes(const MachineFile& file) {
  return inert_override_notes(file, possible_mmas(file.machine));
}

}  // namespace tcsim::config
