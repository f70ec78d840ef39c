#include "workloads/networks/program.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "workloads/networks/gradients.hpp"

namespace tcsim::networks {

Program lower(const Network& network, const LoweringOptions& options) {
  if (options.is_training && options.precision == Precision::kInt8)
    throw std::invalid_argument("gradients are not computed in int8; train with amp, fp16 or bf16");
  if (options.is_training && options.precision == Precision::kFp8)
    throw std::invalid_argument("gradients are not computed in fp8; train with amp, fp16 or bf16");
  if (options.is_training && options.precision == Precision::kTf32)
    throw std::invalid_argument(
        "no kernel transposes tf32 operands for gradients; train with amp, fp16, bf16 or fp32");
  if (options.weights.are_packed()) {
    if (options.precision != Precision::kFp16 && options.precision != Precision::kBf16)
      throw std::invalid_argument("packed weights become fp16 or bf16");
    if (options.is_training)
      throw std::invalid_argument("gradients are not computed with packed weights");
  }
  constexpr std::array kWithoutGradients{LayerKind::kExperts, LayerKind::kConvTranspose,
                                         LayerKind::kGroupNorm, LayerKind::kUpsample,
                                         LayerKind::kLatentAttention};
  if (options.is_training)
    for (const Layer& layer : network.layers)
      if (std::ranges::find(kWithoutGradients, layer.kind) != kWithoutGradients.end())
        throw std::invalid_argument(layer.name + ": gradients of " + std::string(word(layer.kind)) +
                                    " are not computed");
  Program program;
  StepBuilder builder(options, program);
  Forward forward(network, builder);
  std::vector<LayerState> states = forward.run();
  if (options.is_training) Gradients(network, builder, std::move(states), forward.tails()).run();
  return program;
}

}  // namespace tcsim::networks
