#include "sim/config/tensor_checks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "models/isa/opcode.hpp"
#include "models/sm/tensor_types.hpp"
#include "sim/config/schema.hpp"

namespace tcsim::config {
namespace {

std::string check_instructions(const Machine& machine) {
  const auto& tensor = machine.sm.tensor;
  if (tensor.cores_per_sub_core == 0 && !tensor.instructions.empty())
    return fmt::format("{} instructions, but sm.tensor.cores_per_sub_core is 0",
                       tensor.instructions.size());
  if (tensor.cores_per_sub_core > 0 && tensor.instructions.empty())
    return fmt::format("no instructions, but sm.tensor.cores_per_sub_core is {}",
                       tensor.cores_per_sub_core);
  for (const auto& row : tensor.instructions) {
    const sm::TensorType& rate = *sm::tensor_type(row.opcode);
    if (tensor.*rate.macs == 0)
      return fmt::format("{} is listed, but {} is 0", isa::opcode_info(row.opcode).mnemonic,
                         rate.key);
    if (isa::opcode_info(row.opcode).sparse && tensor.sparse_speedup == 1)
      return fmt::format("{} is listed, but sm.tensor.sparse_speedup is 1",
                         isa::opcode_info(row.opcode).mnemonic);
  }
  return {};
}

/// Rates are whole numbers.
MachineCheck divisible_by_slowdown(const sm::TensorType& rate) {
  return {{std::string(rate.key), "sm.tensor.fp32_sum_slowdown"},
          [rate](const Machine& machine) -> std::string {
            const sm::TensorParams& tensor = machine.sm.tensor;
            if (tensor.*rate.macs % tensor.fp32_sum_slowdown == 0) return {};
            return fmt::format("{} is not a multiple of sm.tensor.fp32_sum_slowdown, which is {}",
                               tensor.*rate.macs, tensor.fp32_sum_slowdown);
          }};
}

}  // namespace

std::vector<MachineCheck> tensor_checks() {
  std::vector<MachineCheck> checks;
  std::vector<std::string> all_rates{std::string(kInstructionsPath), "sm.tensor.cores_per_sub_core",
                                     "sm.tensor.sparse_speedup"};
  for (const sm::TensorType& rate : sm::kTensorTypes) {
    all_rates.emplace_back(rate.key);
    checks.push_back({{std::string(rate.key), "sm.tensor.cores_per_sub_core"},
                      [rate](const Machine& machine) -> std::string {
                        if (machine.sm.tensor.cores_per_sub_core > 0) return {};
                        if (machine.sm.tensor.*rate.macs == 0) return {};
                        return fmt::format("{}, but sm.tensor.cores_per_sub_core is 0",
                                           machine.sm.tensor.*rate.macs);
                      }});
  }
  checks.push_back({{"sm.tensor.cores_per_sub_core", "sm.tensor.fp16_macs"},
                    [](const Machine& machine) -> std::string {
                      const auto& tensor = machine.sm.tensor;
                      if (tensor.cores_per_sub_core == 0 || tensor.fp16_macs > 0) return {};
                      return fmt::format("{}, but sm.tensor.fp16_macs is 0",
                                         tensor.cores_per_sub_core);
                    }});
  checks.push_back({all_rates, check_instructions});
  for (const sm::TensorType& rate : sm::kTensorTypes)
    if (rate.adds_in_fp32) checks.push_back(divisible_by_slowdown(rate));
  return checks;
}

}  // namespace tcsim::config
