#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/isa/launch.hpp"

namespace tcsim::trace {

/// Warp instructions by opcode, guarded-off ones included: they are issued too. No count passes
/// 2^57.
struct InstructionCounts {
  std::array<std::int64_t, isa::kMostOpcodes> executed{};
  std::int64_t box_bytes_loaded = 0;  ///< of boxes (UTMALDG, UBLKCP.S.G), once for many CTAs too
  std::int64_t box_bytes_stored = 0;  ///< (UTMASTG, UTMAREDG, UBLKCP.G.S, UBLKRED)
  std::int64_t box_bytes_put = 0;     ///< to shared memory of the cluster (UBLKCP.S.S)
  std::int64_t box_bytes_prefetched = 0;  ///< into the L2 alone (UBLKPF)

  [[nodiscard]] std::int64_t of(isa::Opcode opcode) const {
    return executed[static_cast<std::size_t>(opcode)];
  }
  [[nodiscard]] std::int64_t total() const;
  /// MMA instructions, HMMA.884 steps counted one by one.
  [[nodiscard]] std::int64_t mma() const;
  /// Multiply-adds of the tensor cores with all lanes on.
  [[nodiscard]] std::int64_t mma_macs() const;
};

/// Bytes that instructions ask for if every lane takes part; caches are not considered, and of
/// guards those of boxes alone, which one lane copies for all.
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

/// What the whole grid executes. Takes time proportional to its extent along the axes that trip
/// counts depend on, along x to how often they change where they only rise or only fall.
InstructionCounts count_of_grid(const isa::KernelLaunch& launch);

RequestedBytes requested_bytes(const InstructionCounts& counts);

}  // namespace tcsim::trace
