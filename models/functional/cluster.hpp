#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "models/functional/causal_order.hpp"
#include "models/functional/cta.hpp"

namespace tcsim::functional {

/// The CTAs of a cluster, which run concurrently: in turn, each until all its warps wait for
/// others.
class Cluster {
 public:
  /// Cluster number `index` of the launch. Parameters as for Cta; `global_order` is set to this
  /// cluster.
  Cluster(const isa::KernelLaunch& launch, std::span<const LaneProgram> programs,
          std::int64_t index, std::span<const std::span<std::uint8_t>> buffers,
          MatrixUnit& matrix_unit, GlobalOrder* global_order);

  /// Runs to the end; call it once. Refusals: those of execute().
  [[nodiscard]] std::optional<numerics::Refusal> run();

  /// By their rank.
  [[nodiscard]] const std::vector<std::unique_ptr<Cta>>& ctas() const { return ctas_; }

 private:
  [[nodiscard]] numerics::Refusal deadlock() const;

  std::optional<CausalOrder> order_;  ///< if the launch, or its global order, needs one
  ClusterBarrier barrier_;
  ClusterMemory memory_;
  std::vector<std::unique_ptr<Cta>> ctas_;
  std::vector<AsyncUnit*> units_;  ///< by rank, if the launch needs them
};

}  // namespace tcsim::functional
