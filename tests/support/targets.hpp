#pragma once

#include <array>

#include "workloads/kernels/gemm.hpp"

namespace tcsim::kernels::testing {

/// Limits of whole GPUs (microarchitecture.md 2), as the configuration would set them.
Target v100();
Target t4();
Target a100();
Target p100();

inline constexpr std::array kLayouts{Layout::kNormal, Layout::kTransposed};

}  // namespace tcsim::kernels::testing
