#include "sim/gpu/code_map.hpp"

#include <algorithm>
#include <utility>

#include "models/sm/kernel.hpp"

namespace tcsim::gpu {

std::uint32_t CodeMap::place(const isa::KernelLaunch& launch) {
  Code code;
  for (const isa::WarpProgram& program : launch.programs) code.push_back(program.instructions);
  const auto known = std::ranges::find(placed_, code, &Placed::code);
  if (known != placed_.end()) return known->first_line;
  const std::uint32_t first = std::exchange(lines_, sm::Kernel::end_line(launch, fetch_, lines_));
  placed_.push_back({std::move(code), first});
  return first;
}

}  // namespace tcsim::gpu
