#include "sim/config/tensor_checks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "models/isa/mma_types.hpp"
#include "models/isa/opcode.hpp"
#include "models/isa/timing.hpp"
#include "models/sm/decode.hpp"
#include "models/sm/tensor_core.hpp"
#include "sim/config/number.hpp"
#include "sim/config/numerics.hpp"
#include "sim/config/schema.hpp"

namespace tcsim::config {
namespace {

std::string products_key(const sm::TensorType& type) {
  return fmt::format("sm.tensor.products.{}", type.name);
}

/// Each instruction has a rate. Products that do not fit the core have none; fits_the_core says so.
std::string check_instructions(const Machine& machine) {
  const auto& tensor = machine.sm.tensor;
  if (tensor.cores_per_sub_core > 0 && tensor.instructions.empty())
    return fmt::format("no instructions, but sm.tensor.cores_per_sub_core is {}",
                       tensor.cores_per_sub_core);
  for (const auto& row : tensor.instructions) {
    const sm::TensorType& type = *sm::tensor_type(row.opcode);
    const std::optional<int> given = tensor.*type.macs;
    if (given ? *given == 0 : tensor.products.*type.products == 0)
      return fmt::format("{} is listed, but {} is 0", isa::opcode_info(row.opcode).mnemonic,
                         given ? std::string(type.key) : products_key(type));
    if (isa::opcode_info(row.opcode).sparse && tensor.sparse_speedup == 1)
      return fmt::format("{} is listed, but sm.tensor.sparse_speedup is 1",
                         isa::opcode_info(row.opcode).mnemonic);
  }
  return {};
}

/// The architecture knows each instruction. What arithmetic the file gives it is values' to ask.
std::string check_generation(const Machine& machine) {
  if (machine.numerics.base != "architecture") return {};
  const numerics::TensorArithmetic core = tensor_arithmetic(machine).base;
  for (const auto& row : machine.sm.tensor.instructions) {
    const isa::OpcodeInfo& info = isa::opcode_info(row.opcode);
    const auto arithmetic = numerics::arithmetic_of(isa::mma_instruction(info), core);
    if (arithmetic.has_value()) continue;
    return fmt::format("{} is listed, but architecture is {}: {}", info.mnemonic,
                       machine.architecture, arithmetic.refusal().reason);
  }
  return {};
}

/// Products that fill a pass without a rest, or come one to so many sums.
MachineCheck fits_the_core(const sm::TensorType& type) {
  return {{products_key(type), "sm.tensor.core", std::string(type.key)},
          [type](const Machine& machine) -> std::string {
            const sm::TensorParams& tensor = machine.sm.tensor;
            const double products = tensor.products.*type.products;
            const std::optional<int> given = tensor.*type.macs;
            if (products == 0 && given.value_or(0) > 0)
              return fmt::format("0, but {} is {}", type.key, *given);
            if (products > 0 && !sm::pass_shape(tensor.core, products))
              return fmt::format(
                  "{} times k = {} of sm.tensor.core, {}, is neither a whole number of products "
                  "nor one that divides n and m",
                  number_text(products), tensor.core.k, to_string(tensor.core));
            constexpr int kMostMacs = 65536;
            if (sm::dense_macs(type, tensor) > kMostMacs)
              return fmt::format(
                  "{} multiply-adds of a pass through sm.tensor.core, {}; at most {}",
                  sm::dense_macs(type, tensor), to_string(tensor.core), kMostMacs);
            return {};
          }};
}

/// Systolic arrays take time to fill and to drain.
MachineCheck has_its_change(const char* key, int sm::TensorParams::*cycles) {
  return {{key, "sm.tensor.organisation", "sm.tensor.cores_per_sub_core"},
          [cycles](const Machine& machine) -> std::string {
            const sm::TensorParams& tensor = machine.sm.tensor;
            const bool is_systolic = tensor.organisation.ends_with("_stationary");
            if (is_systolic && tensor.*cycles == 0)
              return fmt::format("0, but sm.tensor.organisation is {}, a systolic array",
                                 tensor.organisation);
            return {};
          }};
}

/// Every read of an MMA finds a slot of the register file within the longest window, also where
/// each of its sources begins in the same bank.
std::string check_operand_reads(const Machine& machine) {
  constexpr int kLongestWindow = 32;
  const sm::RegisterFileParams& file = machine.sm.register_file;
  const int slots = kLongestWindow * file.banks * file.read_ports_per_bank;
  const int uneven = isa::kSourceOperands * (file.banks - 1);
  for (const auto& row : machine.sm.tensor.instructions) {
    const int reads = sm::window_registers(row.opcode, machine.sm.tensor);
    if (reads + uneven > slots)
      return fmt::format(
          "{} reads {} registers, up to {} slots, more than the {} that {} banks x {} ports have "
          "in "
          "{} cycles",
          isa::opcode_info(row.opcode).mnemonic, reads, reads + uneven, slots, file.banks,
          file.read_ports_per_bank, kLongestWindow);
  }
  return {};
}

/// The issue intervals and latencies of MMAs, and the turns of products of warpgroups, are those
/// that a decoded instruction holds.
std::string check_cycles(const Machine& machine) {
  constexpr int kMostCycles = 65535;
  for (int i = 0; i < isa::opcode_count(); ++i) {
    const auto opcode = static_cast<isa::Opcode>(i);
    if (!isa::is_mma(opcode) && !isa::is_group_mma(opcode)) continue;
    const isa::OpTiming timing = sm::timing_of(opcode, machine.sm);
    const int cycles = std::max(timing.issue_interval, timing.latency);
    if (cycles > kMostCycles)
      return fmt::format("{} takes {} cycles; at most {}", isa::opcode_info(opcode).mnemonic,
                         cycles, kMostCycles);
  }
  return {};
}

/// Rates are whole numbers.
MachineCheck divisible_by_slowdown(const sm::TensorType& rate) {
  return {
      {std::string(rate.key), "sm.tensor.fp32_sum_slowdown", "sm.tensor.core", products_key(rate)},
      [rate](const Machine& machine) -> std::string {
        const sm::TensorParams& tensor = machine.sm.tensor;
        const int macs = sm::dense_macs(rate, tensor);
        if (macs % tensor.fp32_sum_slowdown == 0) return {};
        return fmt::format("{} is not a multiple of sm.tensor.fp32_sum_slowdown, which is {}", macs,
                           tensor.fp32_sum_slowdown);
      }};
}

}  // namespace

std::vector<MachineCheck> tensor_checks() {
  std::vector<MachineCheck> checks;
  std::vector<std::string> all_rates{std::string(kInstructionsPath), "sm.tensor.cores_per_sub_core",
                                     "sm.tensor.sparse_speedup", "sm.tensor.core"};
  for (const sm::TensorType& rate : sm::kTensorTypes) {
    all_rates.emplace_back(rate.key);
    all_rates.push_back(products_key(rate));
  }
  checks.push_back({{"sm.tensor.cores_per_sub_core", "sm.tensor.fp16_macs"},
                    [](const Machine& machine) -> std::string {
                      const auto& tensor = machine.sm.tensor;
                      if (tensor.cores_per_sub_core == 0 || tensor.fp16_macs.value_or(1) > 0)
                        return {};
                      return fmt::format("{}, but sm.tensor.fp16_macs is 0",
                                         tensor.cores_per_sub_core);
                    }});
  checks.push_back({all_rates, check_instructions});
  checks.push_back(
      {{std::string(kInstructionsPath), "architecture", "numerics.base"}, check_generation});
  std::vector<std::string> of_cycles = all_rates;
  for (const char* key : {"sm.tensor.fp32_sum_slowdown", "sm.tensor.organisation",
                          "sm.tensor.pipeline_cycles", "sm.tensor.result_cycles",
                          "sm.tensor.forwarding", "sm.tensor.fill_cycles", "sm.tensor.drain_cycles",
                          "sm.tensor.stationary_buffers", "sm.tensor.operand_registers_per_cycle",
                          "sm.tensor.operand_buffers", "sm.tensor.least_interval_cycles",
                          "sm.tensor.sparse_least_interval_cycles", "sm.tensor.instruction_timing",
                          "sm.l1.bytes_per_cycle", "sm.group_tensor.shared_operations",
                          "sm.group_tensor.register_least_cycles", "sm.group_tensor.extra_cycles"})
    of_cycles.emplace_back(key);
  checks.push_back({of_cycles, check_cycles});
  for (const sm::TensorType& type : sm::kTensorTypes) checks.push_back(fits_the_core(type));
  checks.push_back(has_its_change("sm.tensor.fill_cycles", &sm::TensorParams::fill_cycles));
  checks.push_back(has_its_change("sm.tensor.drain_cycles", &sm::TensorParams::drain_cycles));
  checks.push_back({{std::string(kInstructionsPath), "sm.tensor.operand_buffers", "sm.tensor.core",
                     "sm.register_file.banks", "sm.register_file.read_ports_per_bank"},
                    check_operand_reads});
  for (const sm::TensorType& rate : sm::kTensorTypes)
    if (rate.adds_in_fp32) checks.push_back(divisible_by_slowdown(rate));
  return checks;
}

}  // namespace tcsim::config
