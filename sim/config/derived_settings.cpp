#include "sim/config/derived_settings.hpp"

#include <fmt/core.h>

#include <map>
#include <string_view>
#include <utility>

#include "models/isa/opcode.hpp"
#include "models/sm/tensor_core.hpp"
#include "models/sm/tensor_types.hpp"
#include "sim/config/numerics.hpp"
#include "sim/config/schema.hpp"

namespace tcsim::config {
namespace {

using Numbers = std::map<std::string, int>;

void add_tensor(const sm::TensorParams& tensor, Numbers& numbers) {
  for (const sm::TensorType& type : sm::kTensorTypes)
    numbers[std::string(type.key)] = sm::dense_macs(type, tensor);
  for (const sm::TensorInstructionParams& row : tensor.instructions) {
    const auto derived = sm::derive_mma(row.opcode, tensor);
    const std::string path =
        fmt::format("{}.{}.", kInstructionsPath, isa::opcode_info(row.opcode).mnemonic);
    numbers[path + "latency_cycles"] = derived ? derived->latency_cycles : 0;
    numbers[path + "min_interval_cycles"] = 1;
  }
}

/// Those of the generation, for the formats that it has; FP8 by wgmma where there is one.
void add_numerics(const numerics::TensorArithmetic& core, Numbers& numbers) {
  using numerics::ElementType;
  for (const auto& [format, input] : {std::pair{"fp16", ElementType::kFp16},
                                      {"bf16", ElementType::kBf16},
                                      {"tf32", ElementType::kTf32},
                                      {"fp8", ElementType::kE4m3}}) {
    numerics::ArithmeticKey key;
    key.a = key.b = input;
    if (is_fp8(input) && core.base == numerics::Generation::kHopper)
      key.kind = numerics::InstructionKind::kWgmma;
    const auto found = find_arithmetic(core, key);
    if (!found.has_value()) continue;
    const numerics::BlockParams block = found.value().block;
    const std::string path = fmt::format("numerics.{}.", format);
    numbers[path + "products"] = block.products;
    numbers[path + "grid_fraction_bits"] = block.grid_fraction_bits;
    numbers[path + "accumulator_fraction_bits"] = block.result.kept_fraction_bits;
  }
}

}  // namespace

void resolve_derived(const Machine& machine, std::vector<Setting>& settings) {
  Numbers numbers;
  add_tensor(machine.sm.tensor, numbers);
  add_numerics(tensor_arithmetic(machine), numbers);
  for (Setting& setting : settings) {
    const auto number = numbers.find(setting.key);
    setting.derived = number != numbers.end() && setting.value == kDerived;
    if (!setting.derived) continue;
    setting.value = std::to_string(number->second);
    setting.is_text = false;
  }
}

}  // namespace tcsim::config
