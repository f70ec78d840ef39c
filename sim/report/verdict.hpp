#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/report/cycle_breakdown.hpp"
#include "sim/report/remedies.hpp"

namespace tcsim::report {

/// How close each resource came to its ceiling, and what else a verdict names, in [0, 1]; nothing
/// where it does not apply.
struct ResourceUse {
  bool tensor_unit = true;                   ///< the workload ran on tensor cores
  std::optional<double> issue_fraction;      ///< tensor pipes
  std::optional<double> fma_fraction;        ///< busiest pipes of the CUDA cores
  std::optional<double> issue_active;        ///< issue slots of the sub-cores
  std::optional<double> sm_memory_fraction;  ///< data path of shared memory and L1
  std::optional<double> l2_fraction;
  std::optional<double> dram_fraction;      ///< of the pins, or of the way of reads to the L2
  std::optional<double> conflict_fraction;  ///< bank conflicts, of the shared-memory wavefronts
  /// SMs that have no CTA left, of all SM time, in kernels of which every SM had some.
  double ended_fraction = 0;
  /// Kernels that take more than one wave, of the time.
  double waves_fraction = 0;
};

/// One row of the speed-of-light bars.
struct SpeedOfLight {
  std::string id;  ///< tensor_cores, cuda_cores, issue_slots, sm_memory, l2, dram
  std::string label;
  double fraction;
};

/// What limits the run and what would help.
struct Verdict {
  std::string bound_by;  ///< a SpeedOfLight id, or latency, launch, parallelism, drain, deadlock
  std::string phrase;    ///< "tensor cores, slowed by copy wait"
  std::string sentence;
  std::string advice;                ///< what helps against that; empty where nothing always does
  std::vector<std::string> options;  ///< the advice as words after the command of the run
  std::vector<SpeedOfLight> bars;
};

/// A run is bound by the resource that is closest to its ceiling, if that reaches kBindingFraction
/// of it. Otherwise the run waits for what takes most cycles: its launch, CTAs or its last writes,
/// for which sub-cores hold no warp, or the latency of a wait inside running warps. The advice is
/// the one of `remedies` for that cause.
Verdict judge(const ResourceUse& use, const std::vector<CycleShare>& breakdown,
              const std::vector<Remedy>& remedies);

/// The usual reading of a speed-of-light chart: above 60 % the unit is busy, below it latency
/// dominates.
inline constexpr double kBindingFraction = 0.6;
/// A unit that is used this much has no slowdown worth naming.
inline constexpr double kFullFraction = 0.9;

}  // namespace tcsim::report
