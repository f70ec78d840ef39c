#pragma once

#include <vector>

#include "workloads/networks/step_builder.hpp"

namespace tcsim::networks {

/// True if attention is one kernel: in 16 bits, on machines that have such kernels.
bool fuses_attention(const StepBuilder& builder);

/// Q, K and V of an attention, from one joined input or from three.
struct HeadOperands {
  Value q, k, v;
};
HeadOperands head_operands(const Layer& layer, std::int64_t dim, const std::vector<Value>& inputs);

/// Appends the forward steps of attention layers.
class AttentionLayers {
 public:
  AttentionLayers(const Network& network, StepBuilder& builder)
      : network_(network), builder_(builder) {}

  /// `operands`: the layer's inputs, in the type of products.
  Value attention(const Layer& layer, const std::vector<Value>& operands);
  Value latent_attention(const Layer& layer, const std::vector<Value>& inputs);

 private:
  /// Computes keys and values of all heads from the latent vectors, then attention over them.
  Value expanded_attention(const Layer& layer, const Value& query, const Value& latent);
  /// Attention of the queries over the latent vectors of a cache, which take the place of keys.
  Value absorbed_attention(const Layer& layer, const Value& query);
  Value fused_attention(const kernels::AttentionProblem& problem, double macs, const Value& q,
                        const StepBuilder::KeysAndValues& read);
  /// Here values have `value_dim` columns.
  Value unfused_attention(const kernels::AttentionProblem& problem, std::int64_t value_dim,
                          const Value& q, const Value& k, const Value& v);

  const Network& network_;
  StepBuilder& builder_;
};

}  // namespace tcsim::networks
