#include <gtest/gtest.h>

#include "sim/networks/network_file.hpp"
#include "workloads/networks/counts.hpp"

namespace tcsim::networks {
namespace {

/// Parameters and multiply-adds of one sample, from papers and the frameworks' tables.
struct Published {
  const char* name;
  std::int64_t parameters;
  double mega_macs;
  double tolerance;  ///< of mega_macs: the rounding of the source
};

class PublishedCounts : public ::testing::TestWithParam<Published> {};

TEST_P(PublishedCounts, AreThoseOfTheNetwork) {
  const Published& published = GetParam();
  const Network network = load_network(published.name);
  EXPECT_EQ(parameters(network), published.parameters);
  EXPECT_NEAR(static_cast<double>(macs(network)) / 1e6, published.mega_macs, published.tolerance);
}

/// Forward multiply-adds of a transformer layer: 12 s h^2 + 2 s^2 h (Narayanan et al., SC 2021,
/// whose count of operations is twice that).
constexpr double transformer(double layers, double s, double h) {
  return layers * (12 * s * h * h + 2 * s * s * h) / 1e6;
}

/// The same of a layer with grouped keys of `kv` columns and a gated perceptron of `f`, and the
/// logits of the last token.
constexpr double gated_transformer(double layers, double s, double h, double kv, double f,
                                   double vocabulary) {
  return (layers * (s * (2 * h * h + 2 * h * kv + 3 * h * f) + 2 * s * s * h) + h * vocabulary) /
         1e6;
}

/// Projections of a token, 128 heads of 192 and 128 columns, perceptrons of three dense and 58
/// sparse layers (nine experts of 2048 and the router), the logits of the last token.
constexpr double deepseek_v3(double s) {
  const double h = 7168;
  const double projections = h * 1536 + 1536.0 * 24576 + h * 576 + 512.0 * 2 * 16384 + 16384 * h;
  const double sparse = 9 * 3 * h * 2048 + h * 256;
  return (61 * (s * projections + s * s * 128 * 320) + 3 * s * 3 * h * 18432 + 58 * s * sparse +
          h * 129280) /
         1e6;
}

INSTANTIATE_TEST_SUITE_P(
    Shipped, PublishedCounts,
    ::testing::Values(
        Published{"mnist_mlp", 13002, 0.01296, 1e-9}, Published{"lenet", 61706, 0.41652, 1e-9},
        // torchvision's table of weights: parameters, and operations in units of 1e9 that it counts
        // as multiply-adds.
        Published{"alexnet", 61100840, 714, 1}, Published{"vgg16", 138357544, 15470, 10},
        Published{"resnet18", 11689512, 1814, 1}, Published{"resnet50", 25557032, 4089, 1},
        // Howard et al.: 569 million; the course table adds up to 568.7.
        Published{"mobilenet_v1", 4231976, 568.74, 0.01},
        // By hand from figure 10: three 1x1 of 256x32, three 3x3 of 32x32, 96x256, biases 448.
        Published{"inception_resnet_block", 77248, 1225 * 0.0768, 1e-6},
        // Parameters of the models' published checkpoints; one more product for the pooler.
        Published{"bert_base", 109482240, transformer(12, 128, 768) + 0.589824, 1e-6},
        Published{"bert_large", 335141888, transformer(24, 128, 1024) + 1.048576, 1e-6},
        Published{"gpt2", 124439808, transformer(12, 1024, 768) + 768.0 * 50257 / 1e6, 1e-6},
        // Parameters as the checkpoints' indices of weights count them.
        Published{"llama2_7b", 6738415616, gated_transformer(32, 4096, 4096, 4096, 11008, 32000),
                  1},
        Published{"llama2_13b", 13015864320, gated_transformer(40, 4096, 5120, 5120, 13824, 32000),
                  1},
        Published{"llama2_70b", 68976648192, gated_transformer(80, 4096, 8192, 1024, 28672, 32000),
                  1},
        Published{"llama3_8b", 8030261248, gated_transformer(32, 8192, 4096, 1024, 14336, 128256),
                  1},
        Published{"llama3_70b", 70553706496, gated_transformer(80, 8192, 8192, 1024, 28672, 128256),
                  1},
        Published{"mistral_7b", 7241732096, gated_transformer(32, 4096, 4096, 1024, 14336, 32000),
                  1},
        // 46.7 billion, of which 12.9 work for a token (Jiang et al., 2024).
        Published{"mixtral_8x7b", 46702792704,
                  gated_transformer(32, 4096, 4096, 1024, 2 * 14336, 32000) +
                      32 * 4096.0 * 4096 * 8 / 1e6,
                  1},
        // Checkpoints' weights; macs of 3 d f a token, q and o of 16 heads of 256.
        Published{"gemma_2b", 2506172416, gated_transformer(18, 8192, 2048, 256, 16384, 256000), 1},
        Published{"gemma_7b", 8537680896,
                  gated_transformer(28, 8192, 3072, 0, 24576, 256000) +
                      28 * 8192.0 * (4 * 3072.0 * 4096 - 2 * 3072.0 * 3072) / 1e6 +
                      28 * 2 * 8192.0 * 8192 * (4096 - 3072) / 1e6,
                  1},
        // torchvision's 86567656 less class token and positions; one row more than its patches.
        Published{"vit_b_16", 86567656 - 768 - 197 * 768,
                  transformer(12, 197, 768) + (197 * 768.0 * 768 + 768 * 1000) / 1e6, 1e-6},
        // The checkpoint's 241734912 less the encoder's positions, which are no weights in the
        // paper.
        Published{
            "whisper_small", 241734912 - 1500 * 768,
            transformer(12, 1500, 768) + transformer(12, 448, 768) +
                (3000 * 768.0 * 3 * 80 + 1500 * 768.0 * 3 * 768 +
                 12 * (2 * 448 * 768.0 * 768 + 2 * 1500 * 768.0 * 768 + 2 * 448 * 1500 * 768.0) +
                 448 * 768.0 * 51865) /
                    1e6,
            1},
        // 671 billion, of which 37 work for a token (DeepSeek-AI, 2024); 64 more numbers in the
        // norm of each latent vector.
        Published{"deepseek_v3", 671026404352 + 61 * 64, deepseek_v3(4096), 1},
        // The checkpoint of Stable Diffusion 1.5: 859520964.
        Published{"stable_diffusion_unet", 859520964, 401648, 3000},
        // 12 h^2 + 13 h a layer, words and positions of h, the last norm: 174.6 of the "175
        // billion".
        Published{"gpt3_175b",
                  96 * (12 * 12288LL * 12288 + 13 * 12288) + (50257 + 2048 + 2) * 12288LL,
                  transformer(96, 2048, 12288) + 12288.0 * 50257 / 1e6, 1},
        // 7B: 32 blocks, embedding and logits of 32000 x 4096, last norm: 6,738,415,616.
        Published{"llama_block_prefill", (6738415616 - 2 * 32000 * 4096 - 4096) / 32,
                  2048 * 202.37516800 + 2.0 * 2048 * 2048 * 4096 / 1e6, 1e-3},
        Published{"llama_block_decode", (6738415616 - 2 * 32000 * 4096 - 4096) / 32,
                  202.37516800 + 2.0 * 2048 * 4096 / 1e6, 1e-3}),
    [](const auto& published) { return std::string(published.param.name); });

TEST(MobileNet, SpendsItsMultiplyAddsInPointwiseLayers) {
  const Network network = load_network("mobilenet_v1");
  double pointwise = 0;
  double depthwise = 0;
  for (const Layer& layer : network.layers) {
    if (layer.name.ends_with(".pointwise")) pointwise += static_cast<double>(macs(network, layer));
    if (layer.name.ends_with(".depthwise")) depthwise += static_cast<double>(macs(network, layer));
  }
  const auto all = static_cast<double>(macs(network));
  EXPECT_NEAR(100 * pointwise / all, 94.9, 0.05);
  EXPECT_NEAR(100 * depthwise / all, 3.1, 0.05);
}

}  // namespace
}  // namespace tcsim::networks
