#include "sim/report/remedies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "models/isa/cycle.hpp"
#include "sim/config/machine_checks.hpp"
#include "sim/config/mma_interval.hpp"
#include "sim/config/peak.hpp"
#include "sim/config/schema.hpp"

namespace tcsim::report {
namespace {

using Options = std::vector<std::string>;
using config::MmaInterval;

/// Settings that are made on a copy of a machine, to see whether a machine may have them.
class Change {
 public:
  explicit Change(config::Machine machine) : after_(std::move(machine)) {}

  template <typename Number>
  Change& set(std::string_view path, Number value) {
    options_.emplace_back("--set");
    options_.push_back(fmt::format("{}={}", path, value));
    const config::Key* key = config::find_key(path);
    if (key == nullptr) return *this;  // of an instruction
    is_fit_ = is_fit_ && value >= key->min && value <= key->max;
    paths_.push_back(path);
    std::visit(
        [&](auto slot) {
          using Field = std::decay_t<decltype(slot(after_))>;
          if constexpr (std::is_arithmetic_v<Field>) {
            is_fit_ = is_fit_ && slot(after_) != static_cast<Field>(value);
            slot(after_) = static_cast<Field>(value);
          } else if constexpr (std::is_same_v<Field, std::optional<int>>)
            slot(after_) = static_cast<int>(value);
        },
        key->slot);
    return *this;
  }

  [[nodiscard]] const Options& options() const { return options_; }

  [[nodiscard]] bool may_be() const {
    return is_fit_ &&
           std::ranges::all_of(config::machine_checks(), [&](const config::MachineCheck& check) {
             const bool concerns = std::ranges::any_of(paths_, [&](std::string_view path) {
               return std::ranges::find(check.keys, path) != check.keys.end();
             });
             return !concerns || check.problem(after_).empty();
           });
  }

 private:
  config::Machine after_;
  Options options_;
  std::vector<std::string_view> paths_;
  bool is_fit_ = true;  ///< every value is another one in the range of its key
};

/// Adds a remedy that the machine may have.
void add(std::vector<Remedy>& all, std::string_view cause, std::string text, const Change& change) {
  if (change.may_be()) all.push_back({cause, std::move(text), change.options()});
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
  Change change(machine);
  std::string text = "more multiply-adds per cycle";
  if (!slowest.is_held()) {
    const int macs =
        slowest.rate / machine.sm.tensor.cores_per_sub_core /
        (isa::opcode_info(slowest.opcode).sparse ? machine.sm.tensor.sparse_speedup : 1);
    change.set(config::find_key(config::rate_key(slowest.opcode))->path, 2 * macs);
  } else if (slowest.is_held_by_min()) {
    text = "a shorter minimum interval of the MMA; more multiply-adds per cycle would not help";
    for (const MmaInterval& mma : mmas)
      if (mma.is_held_by_min())
        change.set(instruction_key(mma.opcode, "min_interval_cycles"),
                   std::max(mma.rate_cycles, mma.port_cycles));
  } else if (slowest.operand_cycles == slowest.cycles()) {
    text =
        "a wider operand path into the tensor cores; more multiply-adds per cycle would not help";
    change.set("sm.tensor.operand_registers_per_cycle",
               2 * machine.sm.tensor.operand_registers_per_cycle);
  } else if (!slowest.is_held_by_ports()) {
    return;  // its shape leaves parts of the cores without work
  } else {
    text = "more register ports; more multiply-adds per cycle would not help";
    change.set("sm.register_file.read_ports_per_bank",
               2 * machine.sm.register_file.read_ports_per_bank);
  }
  add(all, "tensor_cores", text, change);
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

Change more_dram(const config::Machine& machine, bool returns) {
  Change channels = Change(machine).set("dram.channels", 2 * machine.dram.channels);
  if (channels.may_be()) return channels;
  const int width = wider_return(machine.dram);
  return returns && width > machine.dram.return_bytes_per_cycle
             ? Change(machine).set("dram.return_bytes_per_cycle", width)
             : Change(machine).set("clocks.memory_mhz", faster(machine.clocks.memory_mhz));
}

void add_memory(std::vector<Remedy>& all, const config::Machine& machine) {
  const bool returns = returns_bind(machine);
  add(all, "dram", "more DRAM bandwidth", more_dram(machine, returns));
  Change change(machine);
  change.set("clocks.l2_mhz", faster(machine.clocks.l2_mhz));
  add(all, "l2", "a faster L2 and network", change);
  if (!returns) change.set("clocks.memory_mhz", faster(machine.clocks.memory_mhz));
  for (const std::string_view cause : {"copy_wait", "dependence_global", "drain"})
    add(all, cause, returns ? "a faster L2 and network" : "a faster L2, network and DRAM", change);
}

void add_sm(std::vector<Remedy>& all, const config::Machine& machine, const RemedyInputs& run) {
  const Change clock = Change(machine).set("clocks.sm_mhz", faster(machine.clocks.sm_mhz));
  for (const std::string_view cause : {"issue_slots", "sm_memory", "other_pipe_busy", "barrier"})
    add(all, cause, "a higher SM clock", clock);
  if (run.unit != "tensor" && run.could_use_tensor)
    all.push_back({"cuda_cores", "tensor cores", {"--unit", "tensor"}});
  else if (run.unit != "tensor")
    add(all, "cuda_cores", "a higher SM clock", clock);
  if (!run.swizzled_tile.empty())
    all.push_back({"bank_conflicts", "the tile with its swizzle", {"--tile", run.swizzled_tile}});
  add(all, "register_port", "more register read ports",
      Change(machine).set("sm.register_file.read_ports_per_bank",
                          2 * machine.sm.register_file.read_ports_per_bank));
  add(all, "launch", "less launch overhead",
      Change(machine).set("launch.overhead_us", machine.launch.overhead_us / 2));
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
