#pragma once

#include <vector>

#include "models/isa/launch.hpp"
#include "workloads/kernels/program_builder.hpp"

// What Hopper's kernels have in common, whatever they compute: CTAs with one producer warpgroup and
// one or more consumer warpgroups.
namespace tcsim::kernels::warpgroups {

/// The start of every program: CTA and thread numbers, and mbarriers, which the first warp
/// initialises.
class BarrierSetup {
 public:
  explicit BarrierSetup(ProgramBuilder& builder);

  /// The mbarrier at byte `address` of shared memory; each of its phases ends with that many
  /// arrivals.
  void init(int address, int arrivals);

 private:
  ProgramBuilder& builder_;
  int first_warp_;  ///< guard
};

/// Sets the registers of a thread from here on.
void take_registers(int count, ProgramBuilder& builder);

/// Arrives at an mbarrier and waits there for the others.
void meet(ProgramBuilder& builder, const isa::Expression& address, const isa::Expression& parity);

/// `launch` with a producer warpgroup and `consumers` consumer warpgroups. The producer's warps run
/// one each of `programs` except the last; remaining warps run the program of the warp before them.
/// The consumers run the last program.
isa::KernelLaunch with_roles(isa::KernelLaunch launch, int consumers,
                             std::vector<isa::WarpProgram> programs);

}  // namespace tcsim::kernels::warpgroups
