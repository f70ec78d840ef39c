#include "workloads/kernels/vector/vector_operation.hpp"

#include <algorithm>
#include <array>

namespace tcsim::kernels {
namespace {

constexpr bool kSumsRows = true;

constexpr auto kOperations = std::to_array<VectorTraits>({
    {VectorOperation::kSoftmax, "softmax", VectorOperands::kX, kSumsRows},
    {VectorOperation::kLayerNorm, "layernorm", VectorOperands::kGammaAndBeta, kSumsRows},
    {VectorOperation::kRmsNorm, "rms_norm", VectorOperands::kGamma, kSumsRows},
    {VectorOperation::kGelu, "gelu"},
    {VectorOperation::kSilu, "silu"},
    {VectorOperation::kSiluAndMul, "silu_and_mul", VectorOperands::kHalvesOfX},
    {VectorOperation::kAdd, "add", VectorOperands::kXAndY},
    {.operation = VectorOperation::kQuantize, .name = "quantize", .output = Element::kInt8},
    {.operation = VectorOperation::kDequantize, .name = "dequantize", .input = Element::kInt8},
    {VectorOperation::kRelu, "relu"},
    {VectorOperation::kMultiply, "mul", VectorOperands::kXAndY},
    {VectorOperation::kAddRelu, "add_relu", VectorOperands::kXAndY},
    {VectorOperation::kCopy, "copy"},
    {.operation = VectorOperation::kToFp32, .name = "to_fp32", .output = Element::kFp32},
    {.operation = VectorOperation::kFromFp32, .name = "from_fp32", .input = Element::kFp32},
    {VectorOperation::kTanh, "tanh"},
    {VectorOperation::kSigmoid, "sigmoid"},
    {.operation = VectorOperation::kQuantizeE4m3,
     .name = "quantize_e4m3",
     .output = Element::kE4m3},
    {VectorOperation::kScaleBias, "scale_bias", VectorOperands::kGammaAndBeta},
    {VectorOperation::kBias, "bias", VectorOperands::kBeta},
});

constexpr bool operations_follow_the_enumeration() {
  for (std::size_t i = 0; i < kOperations.size(); ++i)
    if (kOperations[i].operation != static_cast<VectorOperation>(i)) return false;
  return true;
}
static_assert(operations_follow_the_enumeration());

}  // namespace

const VectorTraits& vector_traits(VectorOperation operation) {
  return kOperations.at(static_cast<std::size_t>(operation));
}

std::optional<VectorOperation> vector_operation(std::string_view name) {
  const auto* const found = std::ranges::find(kOperations, name, &VectorTraits::name);
  if (found == kOperations.end()) return std::nullopt;
  return found->operation;
}

std::span<const VectorTraits> vector_operations() { return kOperations; }

}  // namespace tcsim::kernels
