#pragma once

#include <string>
#include <vector>

#include "models/isa/launch.hpp"
#include "sim/config/machine.hpp"

namespace tcsim::gpu::test {

/// The kernel of `text`, .tct, assembled for `machine`.
isa::KernelLaunch assembled(const std::string& text, const config::Machine& machine);

/// `ctas` CTAs of four warps that run `body`, .tct text, `trips` times with loop counter i0, on a
/// buffer A of 64 MiB at 64 KiB; assembled for `machine`.
std::vector<isa::KernelLaunch> sampled_kernel(const config::Machine& machine, int ctas,
                                              const std::string& trips, const std::string& body);

}  // namespace tcsim::gpu::test
