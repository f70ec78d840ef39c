#pragma once

#include <cstdint>
#include <vector>

#include "models/isa/launch.hpp"
#include "workloads/networks/placement.hpp"
#include "workloads/networks/program.hpp"

namespace tcsim::networks {

/// Addresses for instances of one network in one memory: blocks of weights once, blocks of
/// activations once per instance, and after them an instance's workspace, where every step has the
/// buffers that are not tensors of the network.
class StreamMemory {
 public:
  StreamMemory(const Program& program, const Placement& placement, int instances);

  /// The launches of `step` with the buffers of `instance`, counted from 0.
  [[nodiscard]] std::vector<isa::KernelLaunch> placed(
      const Step& step, const std::vector<isa::KernelLaunch>& launches, int instance) const;

 private:
  [[nodiscard]] std::uint64_t address_of(const Binding& binding, int instance) const;

  const Placement& placement_;
  std::vector<bool> is_shared_;               ///< by block
  std::vector<std::uint64_t> first_;          ///< by block, of instance 0
  std::vector<std::uint64_t> instance_base_;  ///< added to blocks that are not shared
  std::vector<std::uint64_t> workspace_;      ///< by instance
};

}  // namespace tcsim::networks
