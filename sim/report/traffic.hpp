#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/isa/launch.hpp"
#include "sim/config/machine.hpp"
#include "sim/gpu/occupancy.hpp"

namespace tcsim::report {

/// The least that the operation of some launches can move: it reads each input buffer once, but for
/// what an earlier launch has written, and writes each output buffer once. What launches only pass
/// on to later ones, scratch and flags are neither. Buffers count whole, but for isa::Buffer's
/// `replaced`.
struct MinimumTraffic {
  std::int64_t read_bytes = 0;
  std::int64_t write_bytes = 0;
};

/// Nothing if a launch names no buffers, as recorded traces do.
std::optional<MinimumTraffic> minimum_traffic(const std::vector<isa::KernelLaunch>& launches);

/// What the CTAs of a kernel take of an SM.
struct KernelNeeds {
  int warps_per_cta = 0;
  int registers_per_thread = 0;
  int shared_bytes_per_cta = 0;
  std::vector<gpu::Occupancy::Limit> limits;  ///< CTAs per SM by each resource alone
  std::int64_t idle_ctas = 0;                 ///< that have nothing to compute and end at once
};

KernelNeeds needs_of(const isa::KernelLaunch& launch, const config::Machine& machine);

}  // namespace tcsim::report
