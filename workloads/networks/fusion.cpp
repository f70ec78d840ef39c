#include "workloads/networks/fusion.hpp"

#include <initializer_list>

#include "workloads/networks/shape_inference.hpp"

namespace tcsim::networks {
namespace {

bool is_kind(const Network& network, int index, LayerKind kind) {
  return index >= 0 && network.layers[static_cast<std::size_t>(index)].kind == kind;
}

kernels::Activation activation_of(LayerKind kind) {
  switch (kind) {
    case LayerKind::kRelu:
      return kernels::Activation::kRelu;
    case LayerKind::kGelu:
      return kernels::Activation::kGelu;
    default:
      return kernels::Activation::kSilu;
  }
}

/// Follows the readers of a layer as long as its kernel can compute them.
class TailFinder {
 public:
  TailFinder(const Network& network, const LoweringOptions& options)
      : network_(network), options_(options), readers_(readers(network)) {}

  FusedTail find(int index) {
    end_ = index;
    tail_ = FusedTail();
    const bool is_sum = is_kind(network_, index, LayerKind::kAdd) && adds_equal_shapes(index);
    if (is_sum) take_activation({LayerKind::kRelu});
    if (is_sum || options_.is_training) return tail_;
    if (is_kind(network_, index, LayerKind::kConv)) {
      tail_.has_scale = next_is(LayerKind::kBatchNorm);
      if (tail_.has_scale) take();
      if (!is_depthwise(index)) take_residual(index);
      take_activation({LayerKind::kRelu});
    } else if (is_kind(network_, index, LayerKind::kLinear)) {
      take_residual(index);
      take_activation({LayerKind::kRelu, LayerKind::kGelu, LayerKind::kSilu});
    }
    return tail_;
  }

 private:
  /// The one layer that reads the end of the tail, or -1.
  [[nodiscard]] int only_reader() const {
    const std::vector<int>& found = readers_[static_cast<std::size_t>(end_)];
    return found.size() == 1 ? found.front() : -1;
  }
  /// Depthwise kernels have no epilogue of sums.
  [[nodiscard]] bool is_depthwise(int index) const {
    const Layer& layer = network_.layers[static_cast<std::size_t>(index)];
    const std::int64_t channels = network_.shape_of(layer.inputs.front()).c;
    return channels > 1 && groups_of(layer, channels) == channels;
  }
  /// True unless one row is added to all.
  [[nodiscard]] bool adds_equal_shapes(int sum) const {
    const std::vector<int>& inputs = network_.layers[static_cast<std::size_t>(sum)].inputs;
    return network_.shape_of(inputs[0]) == network_.shape_of(inputs[1]);
  }
  [[nodiscard]] bool next_is(LayerKind kind) const {
    return is_kind(network_, only_reader(), kind);
  }
  void take() {
    end_ = only_reader();
    tail_.layers.push_back(end_);
  }
  void take_activation(std::initializer_list<LayerKind> kinds) {
    for (const LayerKind kind : kinds) {
      if (!next_is(kind)) continue;
      take();
      tail_.activation = activation_of(kind);
      return;
    }
  }
  void take_residual(int index) {
    if (options_.precision == Precision::kAmp || !next_is(LayerKind::kAdd)) return;
    const int sum = only_reader();
    if (!adds_equal_shapes(sum)) return;
    const std::vector<int>& inputs = network_.layers[static_cast<std::size_t>(sum)].inputs;
    const int other = inputs[0] == end_ ? inputs[1] : inputs[0];
    if (other >= index) return;  // not computed yet
    tail_.residual = other;
    take();
  }

  const Network& network_;
  const LoweringOptions& options_;
  const std::vector<std::vector<int>> readers_;
  int end_ = 0;  ///< end of the tail so far
  FusedTail tail_;
};

}  // namespace

std::vector<FusedTail> fuse(const Network& network, const LoweringOptions& options) {
  TailFinder finder(network, options);
  std::vector<FusedTail> tails;
  tails.reserve(network.layers.size());
  for (int i = 0; i < static_cast<int>(network.layers.size()); ++i) tails.push_back(finder.find(i));
  return tails;
}

}  // namespace tcsim::networks
