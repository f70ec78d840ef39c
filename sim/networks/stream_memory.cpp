#include "sim/networks/stream_memory.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace tcsim::networks {
namespace {

/// For kernels that pad their tensors: the last block of an instance is not its end.
constexpr std::uint64_t kSlack = 16 * kPageBytes;

std::uint64_t aligned(std::uint64_t bytes, std::uint64_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

}  // namespace

StreamMemory::StreamMemory(const Program& program, const Placement& placement, int instances)
    : placement_(placement),
      is_shared_(placement.bytes.size(), false),
      first_(placement.bytes.size()) {
  for (std::size_t tensor = 0; tensor < program.tensors.size(); ++tensor)
    if (program.tensors[tensor].is_permanent && placement.block_of[tensor] >= 0)
      is_shared_[static_cast<std::size_t>(placement.block_of[tensor])] = true;
  std::uint64_t shared_end = kPageBytes;
  std::uint64_t own_end = 0;
  for (std::size_t block = 0; block < first_.size(); ++block) {
    std::uint64_t& end = is_shared_[block] ? shared_end : own_end;
    first_[block] = end;
    end = aligned(end + static_cast<std::uint64_t>(placement.bytes[block]), kPageBytes);
  }
  for (int instance = 0; instance < instances; ++instance) {
    const std::uint64_t base =
        shared_end + kSlack + static_cast<std::uint64_t>(instance) * (own_end + kSlack);
    instance_base_.push_back(base);
  }
  const std::uint64_t tensors_end = instance_base_.back() + own_end + kSlack;
  constexpr std::uint64_t kWorkspaceBytes = std::uint64_t{1} << 33;  // of addresses, not of memory
  for (int instance = 0; instance < instances; ++instance)
    workspace_.push_back(tensors_end + static_cast<std::uint64_t>(instance) * kWorkspaceBytes);
}

std::uint64_t StreamMemory::address_of(const Binding& binding, int instance) const {
  const auto block =
      static_cast<std::size_t>(placement_.block_of[static_cast<std::size_t>(binding.tensor)]);
  const std::uint64_t base =
      is_shared_[block] ? 0 : instance_base_[static_cast<std::size_t>(instance)];
  return base + first_[block] + static_cast<std::uint64_t>(binding.offset);
}

/// A name may stand for several buffers of a stream: the last kernel's is the tensor.
std::vector<isa::KernelLaunch> StreamMemory::placed(const Step& step,
                                                    const std::vector<isa::KernelLaunch>& launches,
                                                    int instance) const {
  std::vector<isa::KernelLaunch> moved = launches;
  std::map<std::uint64_t, std::uint64_t> places;  // addresses of the kernels to those here
  std::set<std::string> bound;
  std::uint64_t free = workspace_[static_cast<std::size_t>(instance)];
  for (auto launch = moved.rbegin(); launch != moved.rend(); ++launch) {
    for (isa::Buffer& buffer : launch->buffers) {
      const auto [place, is_new] = places.emplace(buffer.base_address, free);
      if (is_new) {
        const auto binding = std::ranges::find(step.bindings, buffer.name, &Binding::buffer);
        if (binding != step.bindings.end() && bound.insert(buffer.name).second)
          place->second = address_of(*binding, instance);
        else
          free = aligned(free + buffer.bytes, isa::kBufferAlignment);
      }
      buffer.base_address = place->second;
    }
  }
  return moved;
}

}  // namespace tcsim::networks
