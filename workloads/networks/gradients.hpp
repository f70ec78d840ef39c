#pragma once

#include <map>
#include <vector>

#include "workloads/networks/forward.hpp"

namespace tcsim::networks {

/// Appends the steps that follow a forward pass in training: loss, gradients, optimiser.
class Gradients {
 public:
  Gradients(const Network& network, StepBuilder& builder, std::vector<LayerState> states);

  void run();

 private:
  void loss();
  void run_layer(int index);
  void add(int index, const Value& dy);
  void one_token(int index, const Value& dy);
  void silu_and_multiply(int index, const Value& dy);
  void conv(int index, const Value& dy);
  void linear(int index, const Value& dy);
  void matmul(int index, const Value& dy);
  void attention(int index, const Value& dy);
  void concatenate(int index, const Value& dy);
  void embedding(int index, const Value& dy);
  void optimizer();
  /// Keeps a gradient of weights until the optimiser, in their type. Returns what it keeps.
  Value keep(const Value& gradient);
  /// Adds `gradient` to the gradient of the layer's input number `which`.
  void pass_to(int index, std::size_t which, const Value& gradient);
  [[nodiscard]] bool is_wanted(int index, std::size_t which) const;
  [[nodiscard]] LayerState& state(int index) { return states_[static_cast<std::size_t>(index)]; }
  [[nodiscard]] const Layer& layer(int index) const {
    return network_.layers[static_cast<std::size_t>(index)];
  }

  const Network& network_;
  StepBuilder& builder_;
  std::vector<LayerState> states_;
  std::vector<bool> has_gradient_;
  std::vector<Value> gradients_;                  ///< of the layers' results
  std::vector<Value> weight_gradients_;           ///< in the order of their steps
  std::map<std::size_t, Value> table_gradients_;  ///< by embedding: of tied weights
};

}  // namespace tcsim::networks
