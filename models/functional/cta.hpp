#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/functional/async_unit.hpp"
#include "models/functional/matrix_unit.hpp"
#include "models/functional/memory_unit.hpp"

namespace tcsim::functional {

/// One CTA from start to end. Its warps run in turn, each until it waits for others or exits.
class Cta {
 public:
  /// The CTA of rank `rank` in cluster `cluster` of the grid. `programs` and `buffers` are those of
  /// the launch, prepared, in the same order; `order` belongs to the cluster and `global_order` to
  /// the launch, each null if not needed. Everything passed by reference must outlive the CTA.
  Cta(const isa::KernelLaunch& launch, std::span<const LaneProgram> programs, std::int64_t cluster,
      int rank, std::span<const std::span<std::uint8_t>> buffers, MatrixUnit& matrix_unit,
      CausalOrder* order, GlobalOrder* global_order);
  Cta(const Cta&) = delete;
  Cta& operator=(const Cta&) = delete;

  /// Runs every warp until it waits for others, and past a barrier once all warps have reached it.
  /// Sets `advanced` if anything was executed. Refusals: those of execute(); the sentence names
  /// CTA, warp and instruction.
  [[nodiscard]] std::optional<numerics::Refusal> run_on(bool& advanced);
  [[nodiscard]] bool has_ended() const;
  /// What its warps wait for, each preceded by "; ".
  [[nodiscard]] std::string waits_text();
  [[nodiscard]] std::int64_t index() const { return index_; }
  /// Adds its shared memory to `cluster`, which outlives it, as that of the next rank.
  void join(ClusterMemory& cluster) {
    cluster.add(shared_, warps_);
    memory_unit_.join(cluster);
  }
  /// Null if the launch does not need one.
  [[nodiscard]] AsyncUnit* async() { return async_.get(); }

  [[nodiscard]] const std::vector<Race>& races() { return shared_.races().races(); }

 private:
  /// kStays: at an instruction that waits for other warps without a barrier.
  enum class Progress : std::uint8_t { kGoesOn, kWaits, kStays };
  using Failure = std::optional<numerics::Refusal>;

  /// Sets `advanced` if it executes anything.
  Failure run_to_wait(Warp& warp, bool& advanced);
  [[nodiscard]] bool is_at_barrier() const;
  Failure check_barriers() const;
  Failure execute(Warp& warp, LaneMask mask, Progress& progress);
  Failure synchronize(Warp& warp, Progress& progress);
  Failure check_flag(const Warp& warp);
  [[nodiscard]] numerics::Refusal located(const Warp& warp, const numerics::Refusal& refusal) const;

  const std::int64_t index_;
  MatrixUnit& matrix_unit_;
  SharedMemory shared_;
  MemoryUnit memory_unit_;
  GlobalOrder* const global_order_;
  std::vector<Warp> warps_;
  std::unique_ptr<AsyncUnit> async_;  ///< if the launch needs one
};

}  // namespace tcsim::functional
