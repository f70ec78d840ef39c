#include "sim/report/remedies.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/isa/cycle.hpp"
#include "sim/config/machine_checks.hpp"
#include "sim/config/mma_interval.hpp"
#include "sim/config/peak.hpp"
#include "sim/config/schema.hpp"

namespace tcsim::report {
namespace {

using Options = std::vector<std::string>;
using config::MmaInterval;

template <typename Number>
void set(Options& options, std::string_view key, Number value) {
  options.emplace_back("--set");
  options.push_back(fmt::format("{}={}", key, value));
}

/// `mhz` and a fifth.
int faster(int mhz) { return mhz + mhz / 5; }

std::string instruction_key(isa::Opcode opcode, std::string_view name) {
  return fmt::format("{}.{}.{}", config::kInstructionsPath, isa::opcode_info(opcode).mnemonic,
                     name);
}

std::vector<MmaInterval> intervals_of(const config::Machine& machine,
                                      const std::vector<isa::Opcode>& mmas) {
  std::vector<MmaInterval> intervals;
  for (const isa::Opcode opcode : mmas)
    if (const auto interval = config::mma_interval(machine, opcode)) intervals.push_back(*interval);
  return intervals;
}

/// Raises what binds the rate of the MMAs.
void add_tensor(std::vector<Remedy>& all, const config::Machine& machine,
                const std::vector<MmaInterval>& mmas) {
  if (mmas.empty()) return;
  const MmaInterval& slowest = *std::ranges::min_element(mmas, {}, &MmaInterval::sustained);
  Options options;
  std::string text = "more multiply-adds per cycle";
  if (!slowest.is_held()) {
    const config::Key* key = config::find_key(config::rate_key(slowest.opcode));
    const int macs =
        slowest.rate / machine.sm.tensor.cores_per_sub_core /
        (isa::opcode_info(slowest.opcode).sparse ? machine.sm.tensor.sparse_speedup : 1);
    if (2 * macs > key->max) return;
    set(options, key->path, 2 * macs);
  } else if (slowest.is_held_by_min()) {
    text = "a shorter minimum interval of the MMA; more multiply-adds per cycle would not help";
    for (const MmaInterval& mma : mmas)
      if (mma.is_held_by_min())
        set(options, instruction_key(mma.opcode, "min_interval_cycles"),
            std::max(mma.rate_cycles, mma.port_cycles));
  } else if (slowest.operand_cycles == slowest.cycles()) {
    text =
        "a wider operand path into the tensor cores; more multiply-adds per cycle would not help";
    set(options, "sm.tensor.operand_registers_per_cycle",
        2 * machine.sm.tensor.operand_registers_per_cycle);
  } else if (!slowest.is_held_by_ports()) {
    return;  // its shape leaves parts of the cores without work
  } else {
    text = "more register ports; more multiply-adds per cycle would not help";
    set(options, "sm.register_file.read_ports_per_bank",
        2 * machine.sm.register_file.read_ports_per_bank);
  }
  all.push_back({"tensor_cores", text, options});
}

/// Whether files may give `machine` its number of channels.
bool has_fitting_channels(const config::Machine& machine) {
  constexpr std::string_view kChannels = "dram.channels";
  return machine.dram.channels <= config::find_key(kChannels)->max &&
         std::ranges::all_of(config::machine_checks(), [&](const config::MachineCheck& check) {
           return std::ranges::find(check.keys, kChannels) == check.keys.end() ||
                  check.problem(machine).empty();
         });
}

/// Whether reads are slower on their way from DRAM to the L2 than at the pins.
bool returns_bind(const config::Machine& machine) {
  return config::dram_read_bandwidth(machine).gb_per_s < config::dram_bandwidth(machine).gb_per_s;
}

/// A burst takes a cycle fewer on its way to the L2.
int wider_return(const dram::DramParams& dram) {
  const int burst = dram.channel_width_bits * dram.burst_length_beats / 8;
  const int cycles = ceil_div(burst, dram.return_bytes_per_cycle);
  return ceil_div(burst, std::max(1, cycles - 1));
}

void add_memory(std::vector<Remedy>& all, const config::Machine& machine) {
  const bool returns = returns_bind(machine);
  config::Machine wider = machine;
  wider.dram.channels *= 2;
  Options dram;
  if (has_fitting_channels(wider))
    set(dram, "dram.channels", wider.dram.channels);
  else if (returns && wider_return(machine.dram) > machine.dram.return_bytes_per_cycle)
    set(dram, "dram.return_bytes_per_cycle", wider_return(machine.dram));
  else
    set(dram, "clocks.memory_mhz", faster(machine.clocks.memory_mhz));
  all.push_back({"dram", "more DRAM bandwidth", dram});
  Options l2;
  set(l2, "clocks.l2_mhz", faster(machine.clocks.l2_mhz));
  all.push_back({"l2", "a faster L2 and network", l2});
  Options both = l2;
  if (!returns) set(both, "clocks.memory_mhz", faster(machine.clocks.memory_mhz));
  for (const std::string_view cause : {"copy_wait", "dependence_global", "drain"})
    all.push_back(
        {cause, returns ? "a faster L2 and network" : "a faster L2, network and DRAM", both});
}

void add_sm(std::vector<Remedy>& all, const config::Machine& machine, const RemedyInputs& run) {
  Options clock;
  set(clock, "clocks.sm_mhz", faster(machine.clocks.sm_mhz));
  for (const std::string_view cause : {"issue_slots", "sm_memory", "other_pipe_busy", "barrier"})
    all.push_back({cause, "a higher SM clock", clock});
  if (run.unit != "tensor")
    all.push_back({"cuda_cores", run.could_use_tensor ? "tensor cores" : "a higher SM clock",
                   run.could_use_tensor ? Options{"--unit", "tensor"} : clock});
  if (!run.swizzled_tile.empty())
    all.push_back({"bank_conflicts", "the tile with its swizzle", {"--tile", run.swizzled_tile}});
  Options ports;
  set(ports, "sm.register_file.read_ports_per_bank",
      2 * machine.sm.register_file.read_ports_per_bank);
  all.push_back({"register_port", "more register read ports", ports});
  Options launch;
  set(launch, "launch.overhead_us", machine.launch.overhead_us / 2);
  all.push_back({"launch", "less launch overhead", launch});
}

}  // namespace

std::vector<Remedy> remedies(const config::Machine& machine, const RemedyInputs& run) {
  std::vector<Remedy> all;
  add_tensor(all, machine, intervals_of(machine, run.mmas));
  add_memory(all, machine);
  add_sm(all, machine, run);
  return all;
}

}  // namespace tcsim::report
