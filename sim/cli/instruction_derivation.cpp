#include "sim/cli/instruction_derivation.hpp"

#include <fmt/core.h>

#include <optional>

#include "models/isa/opcode.hpp"
#include "models/sm/params.hpp"
#include "sim/config/mma_interval.hpp"

namespace tcsim::cli {
namespace {

struct Derivation {
  config::MmaInterval interval;
  isa::OpTiming timing;
};

std::optional<Derivation> derive(const config::Machine& machine, const std::string& mnemonic) {
  const std::optional<isa::Opcode> opcode = isa::parse_opcode(mnemonic);
  if (!opcode) return {};
  const auto interval = config::mma_interval(machine, *opcode);
  if (!interval) return {};
  return Derivation{*interval, sm::timing_table(machine.sm)[static_cast<std::size_t>(*opcode)]};
}

}  // namespace

nlohmann::ordered_json derivation_json(const config::Machine& machine,
                                       const std::string& mnemonic) {
  const std::optional<Derivation> d = derive(machine, mnemonic);
  if (!d) return {};
  const auto& [interval, timing] = *d;
  const isa::OpcodeInfo& info = isa::opcode_info(interval.opcode);
  const sm::TensorParams& tensor = machine.sm.tensor;
  return {{"m", info.m},
          {"n", info.n},
          {"k", info.k},
          {"sparse", info.sparse},
          {"macs", interval.macs},
          {"cores_per_sub_core", tensor.cores_per_sub_core},
          {"macs_per_cycle_per_sub_core", interval.rate},
          {"rate_cycles", interval.rate_cycles},
          {"operand_registers", interval.registers},
          {"operand_port_cycles", interval.port_cycles},
          {"min_interval_cycles", interval.min_cycles},
          {"issue_interval_cycles", timing.issue_interval},
          {"same_warp_interval_cycles", timing.issue_interval + tensor.same_warp_extra_cycles},
          {"sustained_interval_cycles", interval.cycles()},
          {"binds", interval.binding_keys()},
          {"latency_cycles", timing.latency},
          {"pipeline_depth_cycles", timing.latency - timing.issue_interval}};
}

std::string derivation_text(const config::Machine& machine, const std::string& mnemonic) {
  const std::optional<Derivation> d = derive(machine, mnemonic);
  if (!d) return {};
  const auto& [interval, timing] = *d;
  const isa::OpcodeInfo& info = isa::opcode_info(interval.opcode);
  const sm::TensorParams& tensor = machine.sm.tensor;
  return fmt::format(
      "{} x {} x {}: {} multiply-adds over {} per cycle of {} core{} = {} cycles; {} + {} + {}{} "
      "registers take the ports {} cycles; least interval {} -> issue interval {}, {} for the same "
      "warp; {} binds; latency {} = interval + {} of pipeline",
      info.m, info.n, info.k, interval.macs, interval.rate, tensor.cores_per_sub_core,
      tensor.cores_per_sub_core == 1 ? "" : "s", interval.rate_cycles, info.src_registers[0],
      info.src_registers[1], info.src_registers[2], info.sparse ? " + 1" : "", interval.port_cycles,
      interval.min_cycles, timing.issue_interval,
      timing.issue_interval + tensor.same_warp_extra_cycles, interval.binding_keys(),
      timing.latency, timing.latency - timing.issue_interval);
}

}  // namespace tcsim::cli
