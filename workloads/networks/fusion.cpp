#include "workloads/networks/fusion.hpp"

namespace tcsim::networks {
namespace {

/// The one layer that reads layer `index`, or -1.
int only_reader(const Network& network, int index) {
  int reader = -1;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    for (const int input : network.layers[i].inputs) {
      if (input != index) continue;
      if (reader >= 0) return -1;
      reader = static_cast<int>(i);
    }
  }
  return reader;
}

bool is_kind(const Network& network, int index, LayerKind kind) {
  return index >= 0 && network.layers[static_cast<std::size_t>(index)].kind == kind;
}

}  // namespace

std::vector<FusedTail> fuse(const Network& network, bool is_training) {
  std::vector<FusedTail> tails(network.layers.size());
  for (int i = 0; i < static_cast<int>(tails.size()); ++i) {
    FusedTail& tail = tails[static_cast<std::size_t>(i)];
    tail.last = i;
    const bool is_conv = is_kind(network, i, LayerKind::kConv);
    if (is_training ? !is_kind(network, i, LayerKind::kAdd)
                    : !is_conv && !is_kind(network, i, LayerKind::kAdd))
      continue;
    int next = only_reader(network, i);
    if (is_conv && is_kind(network, next, LayerKind::kBatchNorm)) {
      tail.has_scale = true;
      tail.last = next;
      next = only_reader(network, next);
    }
    if (is_kind(network, next, LayerKind::kRelu)) {
      tail.has_relu = true;
      tail.last = next;
    }
  }
  return tails;
}

}  // namespace tcsim::networks
