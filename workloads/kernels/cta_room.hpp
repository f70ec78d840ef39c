#pragma once

#include <string>

#include "models/isa/launch.hpp"
#include "models/isa/residency.hpp"
#include "workloads/kernels/gemm.hpp"

namespace tcsim::kernels {

/// How many CTAs with `needs` an SM of `target` holds at once.
isa::ResidentCtas room_for(const isa::ResidencyNeeds& needs, const Target& target);

/// Why an SM of `target` holds no CTA with `needs`, in one sentence; empty if it holds one.
std::string why_no_room(const isa::ResidencyNeeds& needs, const Target& target);

/// True if an SM of `target` holds a CTA of `launch`.
bool has_room(const isa::KernelLaunch& launch, const Target& target);

}  // namespace tcsim::kernels
