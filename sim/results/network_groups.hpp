#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/results/stored_network.hpp"

namespace tcsim::results {

/// What reports that add up steps need of a step of a network.
struct NetworkStepView {
  std::string layer;
  std::string part;
  std::string title;
  std::string operation;  ///< "gemm", "attn", "layernorm": the first word of the workload
  std::string block;      ///< "layer.3" of "layer.3.query"; empty outside of repeated blocks
  std::string like;       ///< "layer.*.query", and the part where that is not the forward one
  double start_us = 0;    ///< after all steps before it
  double time_us = 0;
  double flop = 0;
  double dram_bytes = 0;
  double l2_bytes = 0;
  std::optional<double> energy_j;
  std::optional<double> tflops;
  std::optional<double> peak_tflops;
  std::string dtype;
  std::string bound_by;
  std::map<std::string, double> cycles_by_reason;
};

/// The steps of `network` in their order.
std::vector<NetworkStepView> network_steps(const StoredNetwork& network);

/// Steps that have something in common, added up.
struct StepGroup {
  std::string label;
  std::string operation;  ///< of the first step
  int steps = 0;
  double time_us = 0;
  double flop = 0;
  double dram_bytes = 0;
  double l2_bytes = 0;
  double energy_j = 0;
  std::map<std::string, double> time_by_bound;
  std::map<std::string, double> cycles_by_reason;

  /// The bottleneck for the longest time.
  [[nodiscard]] std::string bound_by() const;
};

/// `steps` grouped by the value of `key`, the longest group first.
std::vector<StepGroup> groups_of(const std::vector<NetworkStepView>& steps,
                                 std::string NetworkStepView::*key);

}  // namespace tcsim::results
