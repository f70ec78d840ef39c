#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "models/isa/launch.hpp"

namespace tcsim::trace {

/// Larger counts are limited to this: no simulation comes near it, and a few such counts can be
/// added without overflow.
inline constexpr std::int64_t kMostCounted = std::numeric_limits<std::int64_t>::max() / 64;

/// Warp instructions by opcode, including guarded-off ones, which are issued too. No count exceeds
/// kMostCounted.
struct InstructionCounts {
  std::array<std::int64_t, isa::kMostOpcodes> executed{};
  /// Bytes of boxes (UTMALDG, UBLKCP.S.G), counted once even for many CTAs.
  std::int64_t box_bytes_loaded = 0;
  std::int64_t box_bytes_stored = 0;      ///< (UTMASTG, UTMAREDG, UBLKCP.G.S, UBLKRED)
  std::int64_t box_bytes_put = 0;         ///< to shared memory of the cluster (UBLKCP.S.S)
  std::int64_t box_bytes_prefetched = 0;  ///< only into the L2 (UBLKPF)

  [[nodiscard]] std::int64_t of(isa::Opcode opcode) const {
    return executed[static_cast<std::size_t>(opcode)];
  }
  [[nodiscard]] std::int64_t total() const;
  /// MMA instructions, HMMA.884 steps counted one by one.
  [[nodiscard]] std::int64_t mma() const;
  /// Multiply-adds of the tensor cores with all lanes on.
  [[nodiscard]] std::int64_t mma_macs() const;
};

/// Bytes that instructions request if every lane takes part. Caches are not considered. Guards are
/// considered only for boxes, which one lane copies for all.
struct RequestedBytes {
  std::int64_t global_read = 0;
  std::int64_t global_written = 0;
  std::int64_t shared_read = 0;
  std::int64_t shared_written = 0;
};

/// What one warp with these variables executes of program `program` of `launch`. Loop counters in
/// `bindings` are ignored.
InstructionCounts count_of_warp(const isa::KernelLaunch& launch, std::size_t program,
                                const isa::Bindings& bindings);

/// What the whole grid executes. The time is proportional to its extent along the axes that
/// iteration counts depend on; along x, to how often the counts change if they only rise or only
/// fall, and else to the different values of what decides them. Throws NotCovered, as count_of_warp
/// does, if it would take more than some minutes.
InstructionCounts count_of_grid(const isa::KernelLaunch& launch);

RequestedBytes requested_bytes(const InstructionCounts& counts);

}  // namespace tcsim::trace
