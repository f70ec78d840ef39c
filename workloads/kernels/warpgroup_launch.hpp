#pragma once

#include <vector>

#include "models/isa/launch.hpp"
#include "workloads/kernels/program_builder.hpp"

// What Hopper's kernels have in common, whatever they compute: CTAs of a warpgroup that produces
// and others that consume.
namespace tcsim::kernels::warpgroups {

/// What every program begins with: CTA and thread numbers, and mbarriers, which the first warp sets
/// up.
class BarrierSetup {
 public:
  explicit BarrierSetup(ProgramBuilder& builder);

  /// The mbarrier at byte `address` of shared memory: a phase of it ends with so many arrivals.
  void init(int address, int arrivals);

 private:
  ProgramBuilder& builder_;
  int first_warp_;  ///< guard
};

/// The registers of a thread from here on.
void take_registers(int count, ProgramBuilder& builder);

/// Arrives at an mbarrier and waits there for the others.
void meet(ProgramBuilder& builder, const isa::Expression& address, const isa::Expression& parity);

/// `launch`, with a warpgroup that produces, whose warps run the `programs` but the last, one each,
/// those left over that of the warp before them, and `consumers` warpgroups that run the last.
isa::KernelLaunch with_roles(isa::KernelLaunch launch, int consumers,
                             std::vector<isa::WarpProgram> programs);

}  // namespace tcsim::kernels::warpgroups
