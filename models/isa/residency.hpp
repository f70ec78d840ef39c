#pragma once

#include <limits>
#include <string_view>

namespace tcsim::isa {

/// What an SM offers to its resident CTAs, and the limits per thread and CTA.
struct ResidencyLimits {
  static constexpr int kNone = std::numeric_limits<int>::max();

  int registers = 0;      ///< 32-bit registers
  int register_unit = 1;  ///< a warp receives a multiple of this, out of one sub-core's file
  int sub_cores = 1;
  int shared_bytes = 0;
  int shared_unit_bytes = 1;      ///< a CTA receives a multiple of this
  int shared_reserved_bytes = 0;  ///< in addition, for each CTA with shared memory
  int warps = 0;
  int ctas = 0;
  int registers_per_thread = kNone;
  int shared_bytes_per_cta = kNone;
  int threads_per_cta = kNone;
};

/// The resources that a CTA needs.
struct ResidencyNeeds {
  int registers_per_thread = 0;  ///< at least 1
  int shared_bytes = 0;
  int warps = 0;  ///< at least 1
};

/// Number of CTAs that each resource has room for; kUnlimited if they need none of it.
struct ResidentCtas {
  static constexpr int kUnlimited = std::numeric_limits<int>::max();

  int by_registers = kUnlimited;
  int by_shared_memory = kUnlimited;
  int by_warps = kUnlimited;
  int by_ctas = kUnlimited;
  /// What exceeds the limits of one thread or CTA: "registers of a thread", "shared memory of a
  /// CTA", "threads of a CTA"; empty if nothing.
  std::string_view too_much{};

  /// 0 if a single CTA exceeds a limit.
  [[nodiscard]] int least() const;
};

/// How many CTAs are resident on an SM at once (microarchitecture.md 2.2).
ResidentCtas resident_ctas(const ResidencyLimits& limits, const ResidencyNeeds& needs);

}  // namespace tcsim::isa
