#pragma once

#include <optional>
#include <span>
#include <vector>

#include "models/functional/matrix_unit.hpp"
#include "models/functional/memory_unit.hpp"

namespace tcsim::functional {

/// One CTA from start to end. Its warps run in turn, each until it waits at a barrier or exits.
class Cta {
 public:
  /// `programs` and `buffers` hold those of the launch, prepared, in the same order. All but the
  /// launch's numbers are referred to and must outlive the CTA.
  Cta(const isa::KernelLaunch& launch, std::span<const LaneProgram> programs, std::int64_t index,
      std::span<const std::span<std::uint8_t>> buffers, MatrixUnit& matrix_unit);
  Cta(const Cta&) = delete;
  Cta& operator=(const Cta&) = delete;

  /// Runs to the end, once. Refusals: those of execute(); the sentence names CTA, warp and
  /// instruction.
  [[nodiscard]] std::optional<numerics::Refusal> run();

  [[nodiscard]] const std::vector<Race>& races() { return shared_.races().races(); }

 private:
  enum class Progress : std::uint8_t { kGoesOn, kWaits, kExits };
  using Failure = std::optional<numerics::Refusal>;

  Failure run_to_barrier(Warp& warp);
  Failure check_barriers() const;
  Failure execute(Warp& warp, LaneMask mask, Progress& progress);
  static Failure check_flag(const Warp& warp);
  static void branch(Warp& warp);
  static void skip(Warp& warp);
  [[nodiscard]] numerics::Refusal located(const Warp& warp, const numerics::Refusal& refusal) const;

  const std::int64_t index_;
  MatrixUnit& matrix_unit_;
  SharedMemory shared_;
  MemoryUnit memory_unit_;
  std::vector<Warp> warps_;
};

}  // namespace tcsim::functional
