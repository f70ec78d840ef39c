#include "sim/cli/instruction_derivation.hpp"

#include <fmt/core.h>

#include <optional>
#include <string_view>
#include <utility>

#include "models/isa/opcode.hpp"
#include "models/sm/tensor_core.hpp"
#include "sim/config/mma_interval.hpp"
#include "sim/config/number.hpp"
#include "sim/config/numerics.hpp"

namespace tcsim::cli {
namespace {

struct Derivation {
  config::MmaInterval interval;
  sm::MmaDerivation core;
  isa::OpTiming timing;
};

std::optional<Derivation> derive(const config::Machine& machine, const std::string& mnemonic) {
  const std::optional<isa::Opcode> opcode = isa::parse_opcode(mnemonic);
  if (!opcode) return {};
  const auto interval = config::mma_interval(machine, *opcode);
  if (!interval) return {};
  return Derivation{*interval, *sm::derive_mma(*opcode, machine.sm.tensor),
                    sm::timing_table(machine.sm)[static_cast<std::size_t>(*opcode)]};
}

/// How the sums of MMAs with inputs of `type` are rounded; nothing for exact ones.
std::optional<numerics::BlockParams> sums_of(const config::Machine& machine,
                                             const isa::OpcodeInfo& info,
                                             const sm::TensorType& type) {
  const bool fp8 = type.name == "fp8";
  const auto input = numerics::element_type_named(fp8 ? "e4m3" : type.name);
  if (!input) return {};
  numerics::ArithmeticKey key;
  key.a = key.b = *input;
  key.accumulator = info.mma_sum == numerics::ElementType::kFp16 ? numerics::ElementType::kFp16
                                                                 : numerics::ElementType::kFp32;
  const auto found = find_arithmetic(config::tensor_arithmetic(machine), key);
  if (!found.has_value() || found.value().scheme != numerics::Scheme::kBlocks) return {};
  return found.value().block;
}

/// "8 products and the sum before them, cut to 24 fraction bits, truncated to 23 of FP32".
std::string sums_text(const numerics::BlockParams& block, int pass_products) {
  const numerics::ResultRule& result = block.result;
  std::string text = fmt::format(
      "{} products and the sum before them cut to {} fraction bits, {} at {} of {}", block.products,
      block.grid_fraction_bits,
      result.mode == numerics::RoundingMode::kTruncate ? "truncated" : "rounded to nearest even,",
      result.kept_fraction_bits, result.type == numerics::ElementType::kFp16 ? "FP16" : "FP32");
  if (block.products != pass_products)
    text += fmt::format("; a pass has {}: numerics.*.products can be set to match", pass_products);
  return text;
}

/// What a core has one after another, and what passes onto each of them.
std::pair<std::string, std::string> dealt_text(const sm::TensorParams& tensor) {
  if (tensor.organisation == "weight_stationary") return {"blocks of B", "blocks of A"};
  return {"blocks of sums", "rounds along k"};
}

std::string with_sign(int difference) {
  return difference == 0 ? "as derived" : fmt::format("{:+} against derived", difference);
}

/// "25 cycles, as measured (+1 against derived)" where the file gives a number.
std::string stands_text(int stands, int derived) {
  return stands == derived
             ? fmt::format("{} cycles", stands)
             : fmt::format("{} cycles, as measured ({})", stands, with_sign(stands - derived));
}

}  // namespace

nlohmann::ordered_json derivation_json(const config::Machine& machine,
                                       const std::string& mnemonic) {
  const std::optional<Derivation> d = derive(machine, mnemonic);
  if (!d) return {};
  const auto& [interval, core, timing] = *d;
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
          {"pipeline_depth_cycles", timing.latency - timing.issue_interval},
          {"derived",
           {{"pass", to_string(core.pass)},
            {"blocks_m", core.blocks_m},
            {"blocks_n", core.blocks_n},
            {"blocks_k", core.blocks_k},
            {"pass_cycles", core.pass_cycles},
            {"operand_cycles", core.operand_cycles},
            {"interval_cycles", core.interval_cycles()},
            {"latency_cycles", core.latency_cycles}}}};
}

std::string derivation_text(const config::Machine& machine, const std::string& mnemonic) {
  const std::optional<Derivation> d = derive(machine, mnemonic);
  if (!d) return {};
  const auto& [interval, core, timing] = *d;
  const isa::OpcodeInfo& info = isa::opcode_info(interval.opcode);
  const sm::TensorParams& tensor = machine.sm.tensor;
  return fmt::format(
      "{} x {} x {}: {} multiply-adds over {} per cycle of {} core{} = {} cycles; {} + {} + {}{} "
      "registers occupy the ports for {} cycles; minimum interval {} -> issue interval {}, {} for "
      "the same warp; {} binds; latency {} = interval + {} of pipeline",
      info.m, info.n, info.k, interval.macs, interval.rate, tensor.cores_per_sub_core,
      tensor.cores_per_sub_core == 1 ? "" : "s", interval.rate_cycles, info.src_registers[0],
      info.src_registers[1], info.src_registers[2], info.sparse ? " + 1" : "", interval.port_cycles,
      interval.min_cycles, timing.issue_interval,
      timing.issue_interval + tensor.same_warp_extra_cycles, interval.binding_keys(),
      timing.latency, timing.latency - timing.issue_interval);
}

std::string calculation_text(const config::Machine& machine, const std::string& mnemonic) {
  const std::optional<Derivation> d = derive(machine, mnemonic);
  if (!d) return {};
  const auto& [interval, core, timing] = *d;
  const isa::OpcodeInfo& info = isa::opcode_info(interval.opcode);
  const sm::TensorParams& tensor = machine.sm.tensor;
  const sm::TensorType& type = *sm::tensor_type(interval.opcode);
  const auto [stationary, streamed] = dealt_text(tensor);
  const auto [reads_a, reads_b] = sm::operand_reads(interval.opcode, tensor);
  std::string text = fmt::format(
      "{} on {}: {} multiply-adds, m{} n{} k{}{}\n\n", mnemonic, machine.name, interval.macs,
      info.m, info.n, info.k,
      info.mma_step.count > 1 ? fmt::format(" of each quad pair, in {} steps", info.mma_step.count)
                              : "");
  const auto line = [&text](std::string_view what, const std::string& calculation) {
    text += fmt::format("  {:<10}{}\n", what, calculation);
  };
  line("pass",
       fmt::format("core {} with products.{} {}{} -> {}, {} multiply-adds", to_string(tensor.core),
                   type.name, config::number_text(tensor.products.*type.products),
                   info.sparse ? fmt::format(" x {} sparse", tensor.sparse_speedup) : "",
                   to_string(core.pass), core.pass.macs()));
  line("blocks", fmt::format("{} x {} of sums, {} rounds along k; a core of {} has {} {}, {} {} "
                             "onto each",
                             core.blocks_m, core.blocks_n, core.blocks_k, tensor.cores_per_sub_core,
                             core.stationary, stationary, core.streamed, streamed));
  line("passes",
       fmt::format("{}: {} x {} x {} cycles{} -> {} cycles", tensor.organisation, core.stationary,
                   core.streamed, core.cycles_per_pass,
                   core.pass_cycles == core.stationary * core.streamed * core.cycles_per_pass
                       ? ""
                       : ", fill, drain and waits",
                   core.pass_cycles));
  line("operands", fmt::format("{} x {} registers of A, {} x {} of B, {} per cycle -> {} cycles",
                               reads_a, info.src_registers[0], reads_b, info.src_registers[1],
                               tensor.operand_registers_per_cycle, core.operand_cycles));
  line("ports", fmt::format("{} registers over {} banks x {} ports -> {} cycles",
                            interval.registers, machine.sm.register_file.banks,
                            machine.sm.register_file.read_ports_per_bank, interval.port_cycles));
  line("interval", fmt::format("{}; {} cycles sustained, {} binds",
                               stands_text(timing.issue_interval, core.interval_cycles()),
                               interval.cycles(), interval.binding_keys()));
  line("latency",
       fmt::format("operands {} + change {} + rounds {} + blocks {} + pipeline {} + result {} = "
                   "{}; {}",
                   core.operand_cycles, core.change_cycles, core.round_cycles, core.block_cycles,
                   tensor.pipeline_cycles, tensor.result_cycles, core.latency_cycles,
                   stands_text(timing.latency, core.latency_cycles)));
  if (const auto sums = sums_of(machine, info, type)) line("sums", sums_text(*sums, core.pass.k));
  line("rate", fmt::format("{:.1f} of nominal {} multiply-adds per cycle and sub-core, {:.1f} %",
                           interval.sustained(), interval.rate,
                           100 * interval.sustained() / interval.rate));
  return text;
}

}  // namespace tcsim::cli
