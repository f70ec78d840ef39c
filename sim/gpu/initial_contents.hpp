#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/isa/launch.hpp"
#include "models/memory/memory_system.hpp"
#include "models/sm/sm.hpp"
#include "sim/config/machine.hpp"
#include "sim/gpu/simulation.hpp"

namespace tcsim::gpu {

/// What the memory side and the SMs hold before the kernels of a run.
class InitialContents {
 public:
  /// All of these must outlive it.
  InitialContents(const config::Machine& machine, const SimulationOptions& options,
                  memory::MemorySystem& memory, const std::vector<std::unique_ptr<sm::Sm>>& sms)
      : machine_(machine), options_(options), memory_(memory), sms_(sms) {}

  /// Installs the contents of the L2 given in the options, except uses so old that twice the
  /// capacity followed.
  void fill_l2();

  /// Code that is new among the `lines` of code memory in use is in the L2, where loading it or an
  /// earlier launch has left it, and in the SMs' instruction L1 until a launch empties it. With
  /// cold_code of the options it is in neither.
  void install_code(std::uint32_t lines);

  /// The driver has written the parameters of each launch, whose lines of code memory begin at one
  /// of `first_lines`, with `again` over those of an earlier run: SMs and copies in the L2 hold
  /// none of them.
  void install_constants(const std::vector<std::uint32_t>& first_lines, bool again);

  /// Whatever filled the buffers has used their pages (assumption: translations of a run are in the
  /// chip's TLB if they fit).
  void install_data(const std::vector<isa::KernelLaunch>& launches);

 private:
  const config::Machine& machine_;
  const SimulationOptions& options_;
  memory::MemorySystem& memory_;
  const std::vector<std::unique_ptr<sm::Sm>>& sms_;
  std::uint32_t code_lines_ = 0;  ///< installed lines of code memory
};

}  // namespace tcsim::gpu
