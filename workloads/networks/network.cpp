#include "workloads/networks/network.hpp"

namespace tcsim::networks {

std::string text(const Shape& shape) {
  return std::to_string(shape.h) + "x" + std::to_string(shape.w) + "x" + std::to_string(shape.c);
}

const std::vector<std::string_view>& layer_words() {
  static const std::vector<std::string_view> words{"conv",
                                                   "linear",
                                                   "matmul",
                                                   "attention",
                                                   "max_pool",
                                                   "avg_pool",
                                                   "global_avg_pool",
                                                   "batch_norm",
                                                   "layer_norm",
                                                   "rms_norm",
                                                   "relu",
                                                   "gelu",
                                                   "silu",
                                                   "tanh",
                                                   "sigmoid",
                                                   "softmax",
                                                   "add",
                                                   "mul",
                                                   "silu_and_mul",
                                                   "embedding",
                                                   "concat",
                                                   "flatten",
                                                   "first_token",
                                                   "last_token",
                                                   "reshape",
                                                   "identity",
                                                   "experts",
                                                   "conv_transpose",
                                                   "group_norm",
                                                   "upsample",
                                                   "latent_attention"};
  return words;
}

std::string_view word(LayerKind kind) {
  if (kind == LayerKind::kAllReduce) return "all_reduce";
  if (kind == LayerKind::kAllGather) return "all_gather";
  return layer_words()[static_cast<std::size_t>(kind)];
}

std::vector<std::vector<int>> readers(const Network& network) {
  std::vector<std::vector<int>> found(network.layers.size());
  for (std::size_t i = 0; i < network.layers.size(); ++i)
    for (const int input : network.layers[i].inputs)
      if (input != kNetworkInput)
        found[static_cast<std::size_t>(input)].push_back(static_cast<int>(i));
  return found;
}

}  // namespace tcsim::networks
