#include "sim/networks/network_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "sim/files/utf8.hpp"

namespace tcsim::networks {
namespace {

/// In double quotes, since names of other programs hold anything. A byte that is not UTF-8 is
/// written as the character of Latin-1 that it most likely is.
std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  while (!text.empty()) {
    const std::size_t sound = files::utf8_length(text);
    for (const char c : text.substr(0, sound)) {
      if (c == '"' || c == '\\') result += '\\';
      const auto code = static_cast<unsigned char>(c);
      result += code < 0x20 || code == 0x7f ? fmt::format("\\x{:02x}", code) : std::string(1, c);
    }
    text.remove_prefix(sound);
    if (text.empty()) break;
    result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    text.remove_prefix(1);
  }
  return result + "\"";
}

std::string pair(const char* both, const char* first, const char* second, std::int64_t a,
                 std::int64_t b) {
  return a == b ? fmt::format(", {}: {}", both, a)
                : fmt::format(", {}: {}, {}: {}", first, a, second, b);
}

std::string window(const Layer& layer) {
  return pair("rs", "r", "s", layer.r, layer.s) +
         pair("stride", "stride_h", "stride_w", layer.stride_h, layer.stride_w) +
         pair("pad", "pad_h", "pad_w", layer.pad_h, layer.pad_w);
}

std::string dilation(const Layer& layer) {
  if (layer.dil_h == 1 && layer.dil_w == 1) return "";
  return pair("dil", "dil_h", "dil_w", layer.dil_h, layer.dil_w);
}

std::string parameters_of(const Layer& layer) {
  switch (layer.kind) {
    case LayerKind::kConv:
      return fmt::format(", k: {}{}{}, groups: {}, bias: {}", layer.features, window(layer),
                         dilation(layer),
                         layer.groups == 0 ? std::string("channels") : std::to_string(layer.groups),
                         layer.has_bias);
    case LayerKind::kConvTranspose:
      return fmt::format(", k: {}{}{}{}, bias: {}", layer.features, window(layer), dilation(layer),
                         pair("more", "more_h", "more_w", layer.more_h, layer.more_w),
                         layer.has_bias);
    case LayerKind::kLatentAttention:
      return fmt::format(", heads: {}, dim: {}, rope: {}, causal: {}", layer.heads, layer.dim,
                         layer.rope, layer.is_causal);
    case LayerKind::kGroupNorm:
      return fmt::format(", groups: {}", layer.groups);
    case LayerKind::kUpsample:
      return pair("rs", "r", "s", layer.r, layer.s);
    case LayerKind::kLinear:
      return fmt::format(", out: {}, bias: {}, tied: {}", layer.features, layer.has_bias,
                         layer.has_tied_weights);
    case LayerKind::kMatmul:
      return fmt::format(", m: {}, n: {}, k: {}, count: {}", layer.m, layer.n, layer.k,
                         layer.count);
    case LayerKind::kAttention:
      return fmt::format(", heads: {}, kv_heads: {}, keys: {}, causal: {}", layer.heads,
                         layer.kv_heads, layer.keys, layer.is_causal);
    case LayerKind::kMaxPool:
    case LayerKind::kAveragePool:
      return window(layer) + fmt::format(", ceil: {}", layer.has_ceiling) +
             (layer.counts_padding ? "" : ", count_pad: false");
    case LayerKind::kEmbedding:
      return fmt::format(", vocabulary: {}, out: {}", layer.vocabulary, layer.features);
    case LayerKind::kExperts:
      return fmt::format(", out: {}, experts: {}, active: {}", layer.features, layer.experts,
                         layer.active);
    case LayerKind::kReshape:
      return fmt::format(", h: {}, w: {}, c: {}{}", layer.new_shape.h, layer.new_shape.w,
                         layer.new_shape.c, layer.resizes ? ", resizes: true" : "");
    default:
      return "";
  }
}

std::string inputs_of(const Network& network, std::size_t index) {
  const Layer& layer = network.layers[index];
  if (layer.inputs == std::vector<int>{static_cast<int>(index) - 1}) return "";
  std::vector<std::string> names(layer.inputs.size());
  std::ranges::transform(layer.inputs, names.begin(), [&](int input) {
    return input == kNetworkInput ? std::string("input")
                                  : in_quotes(network.layers[static_cast<std::size_t>(input)].name);
  });
  return fmt::format(", from: [{}]", fmt::join(names, ", "));
}

}  // namespace

std::string network_yaml(const Network& network) {
  std::string text =
      fmt::format("name: {}\nsource: {}\n", in_quotes(network.name), in_quotes(network.source));
  text += network.takes_tokens ? fmt::format("input: {{tokens: {}}}\n", network.input.h)
          : network.is_sequence
              ? fmt::format("input: {{tokens: {}, c: {}}}\n", network.input.h, network.input.c)
              : fmt::format("input: {{h: {}, w: {}, c: {}}}\n", network.input.h, network.input.w,
                            network.input.c);
  if (!network.skipped.empty()) text += "skipped:\n";
  for (const Skipped& skipped : network.skipped)
    text += fmt::format("  - {{name: {}, op: {}{}}}\n", in_quotes(skipped.name),
                        in_quotes(skipped.operation),
                        skipped.macs ? fmt::format(", macs: {:.0f}", *skipped.macs) : "");
  text += "layers:\n";
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    text += fmt::format("  - {{name: {}, op: {}{}{}}}\n", in_quotes(layer.name), word(layer.kind),
                        parameters_of(layer), inputs_of(network, i));
  }
  return text;
}

}  // namespace tcsim::networks
