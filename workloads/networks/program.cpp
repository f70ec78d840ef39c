#include "workloads/networks/program.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "workloads/networks/gradients.hpp"

namespace tcsim::networks {
namespace {

/// Throws unless the attention of `network` can read keys and values in pages.
void require_pages(const Network& network, const StepBuilder& builder) {
  if (!fuses_attention(builder))
    throw std::invalid_argument("only fused attention in 16 bits reads pages of keys and values");
  bool has_pages = false;
  for (const Layer& layer : network.layers) {
    if (!is_causal_attention(layer) && !layer.has_cache) continue;
    if (layer.kind == LayerKind::kLatentAttention)
      throw std::invalid_argument(layer.name + ": no kernel reads latent vectors from pages");
    has_pages = true;
  }
  if (!has_pages)
    throw std::invalid_argument("no causal attention, whose keys and values pages would hold");
}

}  // namespace

Program lower(const Network& network, const LoweringOptions& options) {
  if (options.is_training && options.precision == Precision::kInt8)
    throw std::invalid_argument(
        "gradients are not computed in int8; train with amp, fp16, bf16 or fp32");
  if (options.is_training && options.precision == Precision::kFp8)
    throw std::invalid_argument(
        "gradients are not computed in fp8; train with amp, fp16, bf16 or fp32");
  if (options.is_training && options.precision == Precision::kTf32)
    throw std::invalid_argument(
        "no kernel transposes tf32 operands for gradients; train with amp, fp16, bf16 or fp32");
  if (options.is_training && options.has_paged_cache)
    throw std::invalid_argument("training keeps no keys and values, so no pages of them");
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
  if (options.has_paged_cache) require_pages(network, builder);
  std::vector<LayerState> states = Forward(network, builder).run();
  if (options.is_training) Gradients(network, builder, std::move(states)).run();
  return program;
}

}  // namespace tcsim::networks
