#pragma once

#include <optional>
#include <span>

#include "models/functional/cluster_memory.hpp"
#include "models/functional/warp.hpp"
#include "models/numerics/result.hpp"

namespace tcsim::functional {

/// Executes LDG, STG, LDS, STS, LDSM, STSM, LDGSTS, LD, ST and atomics of one CTA. Lanes of an
/// atomic are executed in ascending order, warps and CTAs in the order in which they are run.
class MemoryUnit {
 public:
  /// `buffers`: the bytes of KernelLaunch::buffers.
  MemoryUnit(std::span<const std::span<std::uint8_t>> buffers, SharedMemory& shared)
      : buffers_(buffers), shared_(shared) {}

  /// LD, ST and ATOM access the shared memory of `cluster`, which outlives this object.
  void join(const ClusterMemory& cluster) { cluster_ = &cluster; }

  /// Reports the global accesses of this CTA, number `cta`, to `order`, which outlives this object.
  void watch(GlobalOrder& order, std::int64_t cta) {
    global_order_ = &order;
    cta_ = cta;
  }

  /// Executes the next instruction of `warp` in the lanes of `mask`. Refusal kMistake: an address
  /// that is out of range or not a multiple of the access width, or a CTA that is not in the
  /// cluster or has ended; the lanes before it have been executed.
  /// kUnsupported: LDC, whose values are not modelled.
  /// Requires isa::is_memory(opcode), and all lanes for LDSM and STSM.
  [[nodiscard]] std::optional<numerics::Refusal> execute(Warp& warp, LaneMask mask);

 private:
  using Failure = std::optional<numerics::Refusal>;
  /// A byte in the shared memory of some CTA.
  struct SharedPlace {
    SharedMemory* memory;
    std::int64_t offset;
  };

  [[nodiscard]] numerics::Result<SharedPlace> shared_place(isa::Effect effect, std::int64_t address,
                                                           std::size_t bytes,
                                                           std::size_t lane) const;
  Failure load_global(Warp& warp, const LaneAccess& access, LaneMask mask, std::size_t bytes);
  Failure store_global(Warp& warp, const LaneAccess& access, LaneMask mask, std::size_t bytes);
  Failure load_shared(Warp& warp, const LaneAccess& access, LaneMask mask, std::size_t bytes);
  Failure store_shared(Warp& warp, const LaneAccess& access, LaneMask mask, std::size_t bytes);
  Failure load_matrices(Warp& warp, const LaneAccess& access);
  Failure store_matrices(Warp& warp, const LaneAccess& access);
  Failure update(Warp& warp, const LaneAccess& access, LaneMask mask, std::size_t bytes);
  Failure copy(Warp& warp, const LaneAccess& access, LaneMask mask, std::size_t bytes);

  [[nodiscard]] std::span<std::uint8_t> buffer_of(const LaneAccess& access) const {
    return buffers_[static_cast<std::size_t>(access.buffer)];
  }

  std::span<const std::span<std::uint8_t>> buffers_;
  SharedMemory& shared_;
  const ClusterMemory* cluster_ = nullptr;
  GlobalOrder* global_order_ = nullptr;  ///< if the launch needs one
  std::int64_t cta_ = 0;
};

}  // namespace tcsim::functional
