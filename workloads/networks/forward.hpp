#pragma once

#include <vector>

#include "workloads/networks/attention_layers.hpp"
#include "workloads/networks/fusion.hpp"
#include "workloads/networks/step_builder.hpp"

namespace tcsim::networks {

/// What the forward steps keep for the gradients.
struct LayerState {
  Value result;
  Value weights;  ///< conv, linear: as operands of the forward product; embedding: the table
  std::vector<Value> inputs;    ///< as read by the layer
  std::vector<Value> operands;  ///< for products: the same in the product's type
};

/// Appends the forward steps of a network.
class Forward {
 public:
  Forward(const Network& network, StepBuilder& builder);

  /// One state per layer; layers inside a fused tail have the result of the tail's end.
  std::vector<LayerState> run();

 private:
  Value input_value() const;
  [[nodiscard]] const Value& value_of(int input) const;
  /// The weights of a linear layer, as they are kept.
  [[nodiscard]] Value weights_of(const Layer& layer, std::int64_t columns) const;
  void run_layer(int index);
  Value result_of(const Layer& layer, LayerState& state, const FusedTail& tail);
  Value conv(const Layer& layer, LayerState& state, const FusedTail& tail);
  Value linear(const Layer& layer, LayerState& state, const FusedTail& tail);
  Value matmul(const Layer& layer, LayerState& state);
  Value embedding(const Layer& layer, LayerState& state);
  Value experts(const Layer& layer, const Value& x);
  Value conv_transpose(const Layer& layer, const Value& x);
  Value pool(const Layer& layer, const Value& x);
  Value norm(const Layer& layer, const Value& x);
  Value group_norm(const Layer& layer, const Value& x);
  Value concatenate(const Layer& layer, const std::vector<Value>& inputs);

  const Network& network_;
  StepBuilder& builder_;
  AttentionLayers attention_;
  const std::vector<FusedTail> tails_;
  Value input_;
  std::vector<LayerState> states_;
};

/// A convolution on `batch` samples of `input`.
kernels::ConvProblem conv_problem(const Layer& layer, const Shape& input, std::int64_t batch);
/// The sum over all pixels of each of `batch` samples, for every channel.
kernels::PoolProblem pixel_sums(const Shape& shape, std::int64_t batch);

}  // namespace tcsim::networks
