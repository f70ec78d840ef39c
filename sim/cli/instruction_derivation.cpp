#include "sim/cli/instruction_derivation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "models/isa/cycle.hpp"
#include "models/isa/opcode.hpp"
#include "models/sm/params.hpp"

namespace tcsim::cli {
namespace {

struct Derivation {
  isa::OpcodeInfo info;
  std::int64_t macs = 0;  ///< of one warp instruction, zeros of a sparse A included
  int cores = 0;          ///< per sub-core
  int rate = 0;           ///< multiply-adds per cycle of the sub-core
  std::int64_t rate_cycles = 0;
  int registers = 0;    ///< read per lane
  int port_cycles = 0;  ///< that the busiest bank needs for them
  int min_interval = 0;
  isa::OpTiming timing;
  int same_warp_extra = 0;
};

std::optional<Derivation> derive(const config::Machine& machine, const std::string& mnemonic) {
  const std::optional<isa::Opcode> opcode = isa::parse_opcode(mnemonic);
  if (!opcode) return {};
  const sm::TensorParams& tensor = machine.sm.tensor;
  const auto row =
      std::ranges::find(tensor.instructions, *opcode, &sm::TensorInstructionParams::opcode);
  const isa::OpTiming timing = sm::timing_table(machine.sm)[static_cast<std::size_t>(*opcode)];
  if (row == tensor.instructions.end() || !timing.supported()) return {};
  const sm::RegisterFileParams& file = machine.sm.register_file;
  Derivation derivation;
  derivation.info = isa::opcode_info(*opcode);
  derivation.macs = isa::warp_macs(*opcode);
  derivation.cores = tensor.cores_per_sub_core;
  derivation.rate = sm::tensor_rate(*opcode, tensor);
  derivation.rate_cycles = ceil_div<std::int64_t>(derivation.macs, derivation.rate);
  for (const int count : derivation.info.src_registers) derivation.registers += count;
  derivation.port_cycles = ceil_div(derivation.registers, file.banks * file.read_ports_per_bank);
  derivation.min_interval = row->min_interval_cycles;
  derivation.timing = timing;
  derivation.same_warp_extra = tensor.same_warp_extra_cycles;
  return derivation;
}

}  // namespace

nlohmann::ordered_json derivation_json(const config::Machine& machine,
                                       const std::string& mnemonic) {
  const std::optional<Derivation> d = derive(machine, mnemonic);
  if (!d) return {};
  return {{"m", d->info.m},
          {"n", d->info.n},
          {"k", d->info.k},
          {"sparse", d->info.sparse},
          {"macs", d->macs},
          {"cores_per_sub_core", d->cores},
          {"macs_per_cycle_per_sub_core", d->rate},
          {"rate_cycles", d->rate_cycles},
          {"operand_registers", d->registers},
          {"operand_port_cycles", d->port_cycles},
          {"min_interval_cycles", d->min_interval},
          {"issue_interval_cycles", d->timing.issue_interval},
          {"same_warp_interval_cycles", d->timing.issue_interval + d->same_warp_extra},
          {"latency_cycles", d->timing.latency},
          {"pipeline_depth_cycles", d->timing.latency - d->timing.issue_interval}};
}

std::string derivation_text(const config::Machine& machine, const std::string& mnemonic) {
  const std::optional<Derivation> d = derive(machine, mnemonic);
  if (!d) return {};
  return fmt::format(
      "{} x {} x {}: {} multiply-adds over {} per cycle of {} core{} = {} cycles; {} + {} + {}{} "
      "registers take the "
      "ports {} cycles; least interval {} -> issue interval {}, {} for the same warp; latency {} = "
      "interval + {} of "
      "pipeline",
      d->info.m, d->info.n, d->info.k, d->macs, d->rate, d->cores, d->cores == 1 ? "" : "s",
      d->rate_cycles, d->info.src_registers[0], d->info.src_registers[1], d->info.src_registers[2],
      d->info.sparse ? " + 1" : "", d->port_cycles, d->min_interval, d->timing.issue_interval,
      d->timing.issue_interval + d->same_warp_extra, d->timing.latency,
      d->timing.latency - d->timing.issue_interval);
}

}  // namespace tcsim::cli
