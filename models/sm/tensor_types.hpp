#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "models/isa/opcode.hpp"
#include "models/sm/params.hpp"

namespace tcsim::sm {

/// A format of operands that tensor cores multiply, and everything that depends only on the format.
/// This is the only map from formats to rates.
struct TensorType {
  std::string_view name;
  isa::MmaInput input;                     ///< kNone: no instruction is modelled
  std::string_view key;                    ///< in machine files
  std::optional<int> TensorParams::*macs;  ///< as given in the machine file
  double TensorProductParams::*products;   ///< products that replace one FP16 product
  bool adds_in_fp32;                       ///< always or optionally
  bool has_sparse;  ///< 2:4 sparsity exists for the type where a machine has it at all (WP-A100)
};

inline constexpr std::array kTensorTypes{
    TensorType{"fp16", isa::MmaInput::kFp16, "sm.tensor.fp16_macs", &TensorParams::fp16_macs,
               &TensorProductParams::fp16, true, true},
    TensorType{"bf16", isa::MmaInput::kBf16, "sm.tensor.bf16_macs", &TensorParams::bf16_macs,
               &TensorProductParams::bf16, true, true},
    TensorType{"tf32", isa::MmaInput::kTf32, "sm.tensor.tf32_macs", &TensorParams::tf32_macs,
               &TensorProductParams::tf32, true, true},
    TensorType{"fp8", isa::MmaInput::kFp8, "sm.tensor.fp8_macs", &TensorParams::fp8_macs,
               &TensorProductParams::fp8, true, true},
    TensorType{"int8", isa::MmaInput::kInt8, "sm.tensor.int8_macs", &TensorParams::int8_macs,
               &TensorProductParams::int8, false, true},
    TensorType{"int4", isa::MmaInput::kInt4, "sm.tensor.int4_macs", &TensorParams::int4_macs,
               &TensorProductParams::int4, false, true},
    TensorType{"b1", isa::MmaInput::kBit, "sm.tensor.b1_macs", &TensorParams::b1_macs,
               &TensorProductParams::b1, false, false},
    TensorType{"fp64", isa::MmaInput::kFp64, "sm.tensor.fp64_macs", &TensorParams::fp64_macs,
               &TensorProductParams::fp64, false, false},
};

/// The type named `name`, or null.
inline const TensorType* tensor_type(std::string_view name) {
  const auto* const found = std::ranges::find(kTensorTypes, name, &TensorType::name);
  return found == kTensorTypes.end() ? nullptr : found;
}

/// The type of operands of `input`, or null for kNone.
inline const TensorType* tensor_type(isa::MmaInput input) {
  if (input == isa::MmaInput::kNone) return nullptr;
  const auto* const found = std::ranges::find(kTensorTypes, input, &TensorType::input);
  return found == kTensorTypes.end() ? nullptr : found;
}

/// The type that MMA `opcode` multiplies, or null for other instructions.
inline const TensorType* tensor_type(isa::Opcode opcode) {
  return tensor_type(isa::opcode_info(opcode).mma_input);
}

}  // namespace tcsim::sm
